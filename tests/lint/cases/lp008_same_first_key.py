"""LP008: objects of one union that begin alike."""

from __future__ import annotations

from typing import Any

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level
from pratique.terms import Locality

TEXT = {"type": "string"}


def union(*arms: Any, word: str = "anyOf") -> Any:
    """Make an object with one union."""
    return obj({"step": {word: list(arms)}})


OPENAI = ("openai/chat",)
WRITE, READ = obj({"path": TEXT, "text": TEXT}), obj({"path": TEXT})
FIRES: dict[str, Any] = {
    "two objects that begin with the same text": Case(
        union(WRITE, READ), targets=OPENAI, at=("/properties/step/anyOf",), level=Level.ERROR
    ),
    "behind references, in a list": Case(
        {**obj({"steps": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/w"}, {"$ref": "#/$defs/r"}]}}}),
         "$defs": {"w": WRITE, "r": READ}}, targets=OPENAI, at=("/properties/steps/items/anyOf",),
    ),
    "two of three arms": Case(tool(union(WRITE, obj({"url": TEXT}), READ)), targets=OPENAI),
    "the same constant in both": Case(
        union(obj({"kind": {"const": "a"}}), obj({"kind": {"const": "a"}, "x": TEXT})), targets=OPENAI
    ),
    "a tag of two values on one side": Case(
        union(obj({"kind": {"enum": ["a", "b"]}}), obj({"kind": {"const": "c"}})), targets=OPENAI
    ),
    "a tag that comes second": Case(
        union(obj({"id": TEXT, "kind": {"const": "a"}}), obj({"id": TEXT, "kind": {"const": "b"}})), targets=OPENAI
    ),
}  # fmt: skip
QUIET: dict[str, Any] = {
    "constants that differ": Case(
        union(obj({"kind": {"const": "a"}, "x": TEXT}), obj({"kind": {"enum": ["b"]}, "x": TEXT})), targets=OPENAI
    ),
    "other first keys": Case(union(WRITE, obj({"url": TEXT})), targets=OPENAI),
    "an object or nothing": Case(union(WRITE, {"type": "null"}), targets=OPENAI),
    "endpoints that do not mind": Case(union(WRITE, READ), targets=("anthropic/messages", "google", "vllm")),
    "compile names the arms of a contract": Case(
        Contract.from_json_schema(union(WRITE, READ), locality=Locality.ONE), targets=OPENAI
    ),
    "oneOf is refused as a whole": Case(union(WRITE, READ, word="oneOf"), targets=OPENAI),
    "an object without keys": Case(union(WRITE, obj({})), targets=OPENAI),
}
