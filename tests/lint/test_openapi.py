"""OpenAPI as it is found: references anywhere, words of 3.0, a discriminator that alone tells the arms apart."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lint.case import obj
from pratique import Misuse
from pratique.lint.linting import lint_subjects
from pratique.lint.sources.documents import document_subjects

NAME = {"type": "string"}
PET = {"type": "object", "properties": {"kind": NAME, "name": NAME}, "required": ["kind", "name"]}


def posting(schema: Any, **components: Any) -> dict[str, Any]:
    """Make a document of one operation with a body."""
    body = {"content": {"application/json": {"schema": schema}}}
    return {"openapi": "3.0.3", "paths": {"/a": {"post": {"requestBody": body}}}, "components": components}


def body_of(document: Any) -> tuple[Any, Any]:
    """Return the schema of the only operation's body, and the definitions."""
    (subject,) = document_subjects(json.dumps(document), file="openapi.json")
    schema = subject.main.schema
    assert not lint_subjects([subject], only=["LS000"]).findings
    return schema["properties"]["body"], schema.get("$defs", {})


@pytest.mark.parametrize(
    ("reference", "components"),
    [
        ("#/components/schemas/Pet", {"schemas": {"Pet": PET}}),
        ("#/components/schemas/A~1B%20C", {"schemas": {"A/B C": PET}}),
        ("#/components/schemas/All/properties/pet", {"schemas": {"All": {"properties": {"pet": PET}}}}),
        ("#/components/parameters/P/schema", {"parameters": {"P": {"name": "p", "in": "query", "schema": PET}}}),
        ("#/components/responses/R/content/application~1json/schema",
         {"responses": {"R": {"content": {"application/json": {"schema": PET}}}}}),
        ("#/components/schemas/All/anyOf/1", {"schemas": {"All": {"anyOf": [NAME, PET]}}}),
    ],
)  # fmt: skip
def test_a_reference_leads_anywhere_in_the_document(reference: str, components: dict[str, Any]) -> None:
    """Not to the schemas alone; a finding stands where the definition is written."""
    document = posting({"$ref": reference}, **components)
    _, definitions = body_of(document)
    assert list(definitions.values()) == [PET]
    (subject,) = document_subjects(json.dumps(document, indent=1), file="openapi.json")
    location = subject.origin.locate("schema", ("$defs", next(iter(definitions)), "properties", "name"))
    assert location is not None
    assert location.lines.text[location.span.start : location.span.end] == '"name"'


def test_a_path_may_be_a_reference_and_an_extension_is_no_path() -> None:
    """Their operations are linted as any other's; nothing is passed over unseen."""
    document = posting(PET)
    whole = {**document, "paths": {"/b": {"$ref": "#/components/pathItems/A"}, "x-own": {"get": {}}}}
    whole["components"] = {"pathItems": {"A": document["paths"]["/a"]}}
    body, _ = body_of(whole)
    assert body == PET
    (subject,) = document_subjects(json.dumps(whole), file="openapi.json")
    assert subject.name == "operations/POST /b"


def test_words_of_openapi_are_translated_where_they_are_words() -> None:
    """A property of that name is a property, and a default is a value."""
    schema = obj({"nullable": {"type": "string", "nullable": True}, "$ref": NAME, "n": {"type": "integer"}})
    schema["default"] = {"nullable": True, "type": "x", "$ref": "#/components/schemas/Gone"}
    body, _ = body_of(posting(schema))
    assert body["properties"] == {"nullable": {"type": ["string", "null"]}, "$ref": NAME, "n": {"type": "integer"}}
    assert body["default"] == schema["default"]


@pytest.mark.parametrize(
    "mapping", [None, {"one": "#/components/schemas/Single", "many": "Several"}], ids=["by name", "by mapping"]
)
def test_a_discriminator_tells_the_arms_apart(mapping: dict[str, str] | None) -> None:
    """As OpenAPI means it: the union of source 001 is found where no arm lists its own tag."""
    rows = {"type": "array", "items": NAME}
    components = {
        "Single": obj({"type": NAME, "rows": {**rows, "minItems": 1, "maxItems": 1}}),
        "Several": obj({"type": NAME, "rows": {**rows, "minItems": 2}}),
    }
    union: dict[str, Any] = {"oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in components]}
    union["discriminator"] = {"propertyName": "type", **({"mapping": mapping} if mapping else {})}
    (subject,) = document_subjects(json.dumps(posting(union, schemas=components)), file="openapi.json")
    (finding,) = lint_subjects([subject], only=["LS001"]).findings
    assert ('"one" = 1, "many" = 2' if mapping else '"Single" = 1, "Several" = 2') in finding.message
    del union["discriminator"]
    (subject,) = document_subjects(json.dumps(posting(union, schemas=components)), file="openapi.json")
    assert not lint_subjects([subject], only=["LS001"]).findings


@pytest.mark.parametrize("nothing", [None, [], {}, "", 3])
def test_parts_that_are_left_empty_are_empty(nothing: Any) -> None:
    """YAML leaves null where nothing is written behind a key."""
    item = {"parameters": nothing, "get": {"parameters": nothing, "requestBody": nothing}, "put": nothing}
    document = {"openapi": "3.1.0", "paths": {"/a": item, "/b": nothing}, "components": nothing}
    subjects = document_subjects(json.dumps(document), file="openapi.json")
    assert [subject.name for subject in subjects] == ["operations/GET /a"] + ["operations/PUT /a"] * (nothing == {})


def test_a_reference_to_itself_is_told() -> None:
    """It would never end."""
    document = posting(PET)
    document["paths"]["/a"]["post"]["requestBody"] = {"$ref": "#/components/requestBodies/B"}
    document["components"] = {"requestBodies": {"B": {"$ref": "#/components/requestBodies/B"}}}
    (subject,) = document_subjects(json.dumps(document), file="openapi.json")
    with pytest.raises(Misuse, match="leads to itself"):
        _ = subject.main.schema
