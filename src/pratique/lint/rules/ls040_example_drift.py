"""LS040: an example or a default does not keep its own schema.

The default of a type counts, too: the producer sees it in the schema, and writes it. A null default of what may not be
null is milder, and told once for an object: libraries write it for "nothing", and a server mostly takes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pratique.lint.inscribed import Inscribed, inscribed
from pratique.lint.judging import complaints, told
from pratique.lint.names import listed
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Part, Subject
from pratique.lint.view import View
from pratique.show import MAX_SHOWN_CHARS
from pratique.terms.schema_document import Place

__all__ = ["RULE"]

_PLAIN: dict[str, type | tuple[type, ...]] = {
    "string": str, "boolean": bool, "integer": int, "number": (int, float), "array": list, "object": dict,
}  # fmt: skip
_NULL_HELP = "say null in the type, or leave the default out: a field that is not required may be absent"
_SILENT = frozenset({"type", "title", "description", "default", "examples", "example", "deprecated", "$comment"})


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    del settings
    formats = subject.kind in (Kind.TOOL, Kind.SCHEMA)
    for part in subject.parts:
        nulls: dict[Place, list[Place]] = {}
        for place, schema in part.view.document.schemas():
            for way, value in _given(schema):
                if _is_plain(schema, value) or next(complaints(part.view, place, value, formats=formats), None) is None:
                    continue
                if way == ("default",) and value is None and place:
                    nulls.setdefault(place[:-2], []).append(place)
                else:
                    yield _drifted(part, place, way, value, formats)
                    break
        level = Level.WARN if subject.kind in (Kind.CONTRACT, Kind.TYPE) else Level.INFO
        for places in nulls.values():
            names = listed([place[-1] for place in places])
            message = f"the default of {names} is null, and null is refused there"
            yield Remark(part, (*places[0], "default"), message, _NULL_HELP, level)
        for found in inscribed(subject, part):
            yield from _judged_inscribed(part, found)


def _given(schema: dict[str, Any]) -> Iterator[tuple[Place, Any]]:
    """Yield the examples and the default of one schema; an empty object is a default that other defaults fill."""
    listed = schema.get("examples")
    if isinstance(listed, list):
        yield from ((("examples", str(index)), value) for index, value in enumerate(listed))
    for keyword in ("example", "default"):
        if keyword in schema and schema[keyword] != {}:
            yield (keyword,), schema[keyword]


def _is_plain(schema: dict[str, Any], value: Any) -> bool:
    """Say whether a value plainly keeps a schema: most do, and nothing need be compiled."""
    if value is None and schema.keys() <= _SILENT | {"anyOf"}:
        return {"type": "null"} in schema.get("anyOf", ()) and "type" not in schema
    kind = _PLAIN.get(schema["type"]) if isinstance(schema.get("type"), str) else None
    return (
        kind is not None
        and isinstance(value, kind)
        and (not isinstance(value, bool) or kind is bool)
        and (schema.keys() <= _SILENT or (schema.keys() <= _SILENT | {"enum"} and value in schema["enum"]))
    )


def _drifted(part: Part, place: Place, way: Place, value: Any, formats: bool) -> Remark:
    reason = told(next(complaints(part.view, place, value, formats=formats)))
    kind = "default" if way == ("default",) else "example"
    is_mild = (kind == "default" and value in ("", [])) or _only_format(part.view, place, value, formats)
    message = f"the {kind} {_text(value)} does not keep its schema: {reason}"
    return Remark(part, (*place, *way), message, "", Level.WARN if is_mild else None)


def _only_format(view: View, place: Place, value: Any, formats: bool) -> bool:
    """Say whether a format alone is broken: not every validator asserts formats, and not all alike."""
    return formats and next(complaints(view, place, value, formats=False), None) is None


def _judged_inscribed(part: Part, found: Inscribed) -> Iterator[Remark]:
    """Judge an object in a text; one that is not called an example may be a part, and leave out required keys."""
    worst = ""
    for spot in found.candidates:
        against = [
            complaint
            for complaint in complaints(part.view, spot.place, found.value, formats=False)
            if found.is_example or not _is_of_a_part(complaint)
        ]
        if not against:
            return
        worst = worst or told(against[0])
    if worst:
        told_as = f"the object {_text(found.value)} in the description does not keep the schema: {worst}"
        yield Remark(part, found.place, told_as, "", None if found.is_example else Level.WARN)


def _is_of_a_part(complaint: Any) -> bool:
    return not complaint.instance_path and complaint.kind.name in ("required", "anyOf", "oneOf", "minProperties")


def _text(value: Any) -> str:
    """Return a value as JSON, a line at most."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"


_STEP = {
    "type": "object",
    "properties": {"commands": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 9}},
    "required": ["commands"],
    "additionalProperties": False,
}

RULE = Rule(
    code="LS040",
    name="example-drift",
    level=Level.ERROR,
    title="an example or a default does not keep its own schema",
    why="A producer follows an example before it follows a schema: what is shown is written again, and refused.",
    help="correct the example, or take it out; a test that validates all examples keeps it so",
    evidence=(
        "mcp-exec after source 001: the schema had lost type: command, the examples in the tool's description had not",
        "mcp-exec V3: six examples of the input, checked against the schema when it is built",
    ),
    bad={**_STEP, "examples": [{"type": "command", "program": "ls"}]},
    good={**_STEP, "examples": [{"commands": ["ls"]}]},
    check=_check,
    judgement="Which JSON objects in a text are meant as examples: those that have most of their keys from the schema.",
)
