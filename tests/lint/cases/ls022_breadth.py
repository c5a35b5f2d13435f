"""LS022: many fields."""

from __future__ import annotations

from typing import Any

from lint.case import Case, obj, tool
from pratique.lint.rule import Level

TEXT = {"type": "string"}


def wide(count: int, prefix: str = "f") -> Any:
    """Make an object of some fields."""
    return obj({f"{prefix}{index}": TEXT for index in range(count)})


FIRES: dict[str, Any] = {
    "more than thirty fields": Case(wide(31), at=("",), level=Level.WARN),
    "in an object inside": Case(obj({"a": wide(31)}), at=("/properties/a",), level=Level.WARN),
    "more than a hundred, told once": Case(wide(101), at=("",), level=Level.ERROR),
    "more than a hundred over narrow objects": Case(
        obj({f"o{index}": wide(25) for index in range(4)}), at=("",), level=Level.ERROR
    ),
    "a bound of the caller's own": Case(wide(5), {"warn_fields": 4}),
    "a tool": [tool(wide(40))],
    "both, where they are not the same object": Case(
        obj({f"o{index}": wide(40) for index in range(3)}),
        at=("", "/properties/o0", "/properties/o1", "/properties/o2"),
    ),
}
QUIET: dict[str, Any] = {
    "thirty fields": wide(30),
    "a hundred fields": obj({f"o{index}": wide(24) for index in range(4)}),
    "a definition counts once however often it is used": obj(
        {f"o{index}": {"$ref": "#/$defs/o"} for index in range(10)}, **{"$defs": {"o": wide(25)}}
    ),
    "alternatives of one object count once": {
        **wide(28),
        "anyOf": [{"required": [f"f{index}"]} for index in range(10)],
    },
    "a map has no fields": obj({"m": {"type": "object", "additionalProperties": TEXT}}),
    "a long list of values is LS030's": obj({"e": {"enum": [f"v{index}" for index in range(200)]}}),
}
