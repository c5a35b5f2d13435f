"""The operations of an OpenAPI document as tools: the parameters by name, and the body under ``body``.

What a generator makes of an operation differs by generator; every part of its schemas is the document's own and is
linted where it stands there. Source: OpenAPI 3.0.3, 3.1.1 and 3.2.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pratique.errors import Misuse
from pratique.lint.origin import JsonOrigin, JsonText, Location, Origin
from pratique.lint.sources.openapi_schema import Definitions, place_named, standing_at
from pratique.lint.subject import Kind, Part, Subject
from pratique.show import show
from pratique.terms.schema_document import Place

__all__ = ["is_openapi", "operation_subjects"]

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")


def is_openapi(document: Any) -> bool:
    """Say whether a document calls itself one of OpenAPI, or of its predecessor."""
    return isinstance(document, Mapping) and ("openapi" in document or "swagger" in document)


def operation_subjects(document: Mapping[str, Any], *, file: str = "", text: JsonText | None = None) -> list[Subject]:
    """Make a subject of each operation; one whose references lead nowhere is unreadable, and costs only itself.

    Errors: Misuse for another version than 3.x.
    """
    version = str(document.get("openapi", document.get("swagger", "")))
    if not version.startswith("3."):
        raise Misuse(f"the document is of OpenAPI {show(version)}", remedy="convert it to OpenAPI 3.0 or later")
    whole = JsonOrigin(file, text) if text is not None else Origin()
    found = list(_operations(document))
    names = tuple(one.name for one in found)
    return [_subject(document, one, whole, names) for one in found]


class _Found(NamedTuple):
    """One operation where it stands, and the parameters of its path; or a path that leads nowhere."""

    name: str
    place: Place
    operation: Mapping[str, Any]
    shared: list[tuple[Place, Any]]
    fault: Misuse | None = None


def _operations(document: Mapping[str, Any]) -> Iterator[_Found]:
    paths = document.get("paths")
    for path, written in paths.items() if isinstance(paths, Mapping) else ():
        if not path.startswith("/"):
            continue  # an extension
        try:
            at, item = _resolved(document, ("paths", path), written)
        except Misuse as fault:
            yield _Found(path, ("paths", path), {}, [], fault)
            continue
        shared = _listed(at, item)
        for method in _METHODS:
            operation = item.get(method)
            if isinstance(operation, Mapping):
                name = operation.get("operationId")
                given = name if isinstance(name, str) and name else f"{method.upper()} {path}"
                yield _Found(given, (*at, method), operation, shared)


def _listed(place: Place, holder: Mapping[str, Any]) -> list[tuple[Place, Any]]:
    """Return the parameters of a path or an operation, each with its place."""
    listed = holder.get("parameters")
    return [
        ((*place, "parameters", str(index)), each)
        for index, each in enumerate(listed if isinstance(listed, list) else ())
    ]


def _subject(document: Mapping[str, Any], found: _Found, whole: Origin, names: tuple[str, ...]) -> Subject:
    definitions = Definitions(document)
    places: dict[Place, Place] = {}
    written: Mapping[str, Any] | Misuse
    try:
        if found.fault is not None:
            raise found.fault
        written = definitions.complete(_arguments(document, found, places))
    except Misuse as fault:
        written = fault
    told = "\n".join(str(found.operation[word]) for word in ("summary", "description") if found.operation.get(word))
    origin = _Operation(whole, found.place, places, definitions.places)
    return Subject(
        f"operations/{found.name}", Kind.TOOL, (Part("schema", written),), told, origin=origin, offered_with=names
    )


def _arguments(document: Mapping[str, Any], found: _Found, places: dict[Place, Place]) -> dict[str, Any]:
    """Return the schema of an operation's parameters and body; note in ``places`` where each part is written.

    Errors: Misuse for a reference that leads nowhere.
    """
    operation, place = found.operation, found.place
    properties: dict[str, Any] = {}
    required: list[str] = []
    for where, written in (*found.shared, *_listed(place, operation)):
        at, parameter = _resolved(document, where, written)
        if isinstance(parameter.get("name"), str):
            field = parameter["name"]
            at, schema = _schema_in(at, parameter)
            places[("properties", field)] = at
            properties[field] = _described(schema, parameter)
            required += [field] if parameter.get("required") is True and field not in required else []
    if isinstance(operation.get("requestBody"), Mapping):
        at, body = _resolved(document, (*place, "requestBody"), operation["requestBody"])
        at, schema = _schema_in(at, body)
        places[("properties", "body")] = at
        properties["body"] = _described(schema, body)
        required += ["body"] if body.get("required") is True else []
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


class _Operation(Origin):
    """Lead places of the made schema back into the document."""

    def __init__(
        self, whole: Origin, place: Place, places: Mapping[Place, Place], definitions: Mapping[str, Place]
    ) -> None:
        self.file = whole.file
        self._whole, self._place, self._places, self._definitions = whole, place, places, definitions

    def locate(self, part: str, place: Place) -> Location | None:
        if place[:1] == ("$defs",) and place[1:2]:
            return self._whole.locate(part, (*self._definitions.get(place[1], ()), *place[2:]))
        at = self._places.get(place[:2], self._place)
        return self._whole.locate(part, (*at, *place[2:]))


def _resolved(document: Mapping[str, Any], place: Place, written: Any) -> tuple[Place, Mapping[str, Any]]:
    """Follow a reference to a path, a parameter or a body."""
    seen: set[str] = set()
    while isinstance(written, Mapping) and isinstance(written.get("$ref"), str):
        reference = written["$ref"]
        found = place_named(reference)
        if found is None or reference in seen:
            told = "leads to itself" if reference in seen else "leads out of the document"
            raise Misuse(f"{show(reference)} {told}", remedy="bundle it into one document")
        seen.add(reference)
        place, written = found, standing_at(document, found)
        if written is None:
            raise Misuse(f"the document has no {show('/'.join(place))}", remedy="mend the reference to it")
    return place, written if isinstance(written, Mapping) else {}


def _schema_in(place: Place, holder: Mapping[str, Any]) -> tuple[Place, Mapping[str, Any]]:
    """Return the schema of a parameter or a body: its own, or that of its JSON content."""
    content = holder.get("content")
    if isinstance(content, Mapping):
        kinds = sorted(content, key=lambda kind: "json" not in kind)
        for kind in kinds[:1]:
            schema = content[kind].get("schema", {}) if isinstance(content[kind], Mapping) else {}
            return (*place, "content", kind, "schema"), schema if isinstance(schema, Mapping) else {}
    schema = holder.get("schema", {})
    return (*place, "schema"), schema if isinstance(schema, Mapping) else {}


def _described(schema: Mapping[str, Any], holder: Mapping[str, Any]) -> dict[str, Any]:
    words = holder.get("description")
    if not isinstance(words, str) or "description" in schema:
        return dict(schema)
    return {**schema, "description": words}
