"""What people have becomes subjects, and a finding points at the line where its schema is written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lint.case import obj, tool
from pratique import Contract, Misuse
from pratique.lint import lint
from pratique.lint.linting import lint_subjects
from pratique.lint.origin import JsonText
from pratique.lint.sources.documents import document_subjects
from pratique.lint.sources.objects import subject_of
from pratique.lint.subject import Kind

DEEP = obj({"a": {"type": "array", "items": {"type": "array", "items": obj({"b": {"type": "string"}})}}})
"""Four levels: LS020 fires."""
ONLY = ("LS020",)


def text_of(document: Any) -> str:
    """Write a document over several lines."""
    return json.dumps(document, indent=1)


@pytest.mark.parametrize(
    ("document", "name"),
    [
        ([tool(DEEP)], "tools/search"),
        ({"tools": [tool(DEEP)], "nextCursor": None}, "tools/search"),
        ({"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool(DEEP)]}}, "tools/search"),
        ([{"name": "search", "input_schema": DEEP}], "tools/search"),
        ([{"type": "function", "function": {"name": "search", "parameters": DEEP}}], "tools/search"),
        ([{"type": "function", "name": "search", "parameters": DEEP}], "tools/search"),
        (tool(DEEP), "tools/search"),
        (DEEP, "deep.json"),
        ({**DEEP, "title": "Deep"}, "Deep"),
    ],
    ids=["bare", "tools/list", "json-rpc", "anthropic", "openai chat", "openai responses", "one", "schema", "titled"],
)
def test_a_file_is_what_its_form_says_and_findings_point_into_it(document: Any, name: str) -> None:
    """Every form in which a list of tools is saved."""
    text = text_of(document)
    (finding,) = lint_subjects(document_subjects(text, file="deep.json"), only=ONLY).findings
    assert finding.subject == name
    assert finding.location is not None
    assert finding.location.file == "deep.json"
    start, end = finding.location.span
    assert text[start:end] == '"items"'


@pytest.mark.parametrize("document", [{"tools": []}, {"result": {"tools": []}}])
def test_a_server_without_tools_is_clean(document: Any) -> None:
    """Nothing is wrong with it: a hook over saved lists must pass."""
    assert document_subjects(text_of(document), file="tools.json") == []


def test_every_place_of_a_json_text_is_indexed() -> None:
    """Keys with quotes, empty brackets, nested lists; each place once."""
    document = {"a": [1, {"b,}": "x,y"}, [], {}, [[2]]], 'c"': {"d": None}, "": {"e": True}}
    index = JsonText(json.dumps(document))

    def places(value: Any, way: tuple[str, ...] = ()) -> Any:
        yield way
        pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, part in pairs:
            yield from places(part, (*way, str(key)))

    assert set(index.spans) == set(places(document))
    assert len({span.start for span in index.spans.values()}) == len(index.spans)
    start, end = index.spans[("a", "1", "b,}")]
    assert index.lines.text[start:end] == '"b,}"'


OPENAPI: dict[str, Any] = {
    "openapi": "3.0.3",
    "paths": {
        "/pets/{id}": {
            "parameters": [{"$ref": "#/components/parameters/Id"}],
            "post": {
                "operationId": "addPet", "summary": "Add a pet.",
                "parameters": [{"name": "dry", "in": "query", "schema": {"type": "boolean"}}],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}},
                },
            },
            "get": {},
        }
    },
    "components": {
        "parameters": {"Id": {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}},
        "schemas": {
            "Pet": {
                "type": "object", "required": ["deep", "kind"],
                "properties": {"deep": DEEP, "kind": {"type": "string", "nullable": True, "enum": ["cat", "dog"]}},
            },
            "Unused": {"type": "object"},
        },
    },
}  # fmt: skip


def test_an_operation_of_openapi_is_a_tool_and_findings_stand_where_they_are_written() -> None:
    """Parameters by name, the body under ``body``; definitions are followed into the components."""
    text = text_of(OPENAPI)
    post, get = sorted(document_subjects(text, file="openapi.json"), key=lambda each: each.name, reverse=True)
    assert (post.name, get.name) == ("operations/addPet", "operations/GET /pets/{id}")
    assert post.kind is Kind.TOOL
    assert post.described == "Add a pet."
    assert post.offered_with == ("addPet", "GET /pets/{id}") or set(post.offered_with) == {"addPet", "GET /pets/{id}"}
    schema = post.main.schema
    assert schema["required"] == ["id", "body"]
    assert list(schema["properties"]) == ["id", "dry", "body"]
    assert list(schema["$defs"]) == ["Pet"]
    assert schema["$defs"]["Pet"]["properties"]["kind"] == {"type": ["string", "null"], "enum": ["cat", "dog", None]}
    (finding,) = lint_subjects([post], only=ONLY).findings
    assert finding.location is not None
    start, end = finding.location.span
    assert text[start:end] == '"items"'
    assert finding.location.lines.position(start).line > text[: text.index('"schemas"')].count("\n")


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ({"get": {"operationId": "bad", "parameters": [{"$ref": "#/x"}]}}, "mend the reference"),
        ({"get": {"operationId": "bad", "parameters": [{"$ref": "b.json"}]}}, "bundle it into one"),
        ({"$ref": "#/components/gone"}, "mend the reference"),
    ],
)
def test_an_operation_whose_references_lead_nowhere_costs_only_itself(broken: Any, told: str) -> None:
    """The others are linted."""
    sound = {"get": {"operationId": "good", "parameters": [{"name": "q", "in": "query", "schema": DEEP}]}}
    document = {"openapi": "3.1.0", "paths": {"/bad": broken, "/good": sound}}
    report = lint_subjects(document_subjects(text_of(document), file="o.json"), only=["LS000", "LS020"])
    bad, good = report.findings
    assert bad.code == "LS000"
    assert told in bad.help
    assert bad.subject in ("operations/bad", "operations//bad")
    assert (good.code, good.subject) == ("LS020", "operations/good")


def test_a_tool_without_a_schema_costs_only_itself() -> None:
    """In a list where others have one; its name is told."""
    tools = [{"name": "bare", "description": "No schema."}, tool(DEEP, "whole")]
    subjects = document_subjects(text_of({"tools": tools}), file="t.json")
    assert subjects[1].offered_with == ("bare", "whole")
    bare, whole = lint_subjects(subjects, only=["LS000", "LS020"]).findings
    assert (bare.code, bare.subject) == ("LS000", "tools/bare")
    assert "is no tool" in bare.message
    assert (whole.code, whole.subject) == ("LS020", "tools/whole")


def test_yaml_is_read_where_the_name_says_so() -> None:
    """Its places are not known by line; the finding is the same."""
    subjects = document_subjects("type: object\nproperties: {a: {type: string}}\n", file="a.yaml")
    assert subjects[0].main.schema["properties"] == {"a": {"type": "string"}}
    with pytest.raises(Misuse, match="is not YAML"):
        document_subjects("a: [", file="a.yml")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "nested too deep"),
        ("3", "nothing that can be linted"),
        ("[1, 2]", "nothing that can be linted"),
        ('{"tools": "none"}', "nothing that can be linted"),
        ('{"swagger": "2.0", "paths": {}}', "convert it to OpenAPI 3.0"),
    ],
)
def test_what_cannot_be_linted_is_told_with_what_can(text: str, told: str) -> None:
    """A wrong file is the caller's mistake, at once."""
    with pytest.raises(Misuse, match=told):
        document_subjects(text, file="x.json")


def test_a_schema_of_an_older_draft_is_linted_and_not_changed() -> None:
    """Draft 04's definitions and boolean bounds, read as 2020-12."""
    schema = {
        "$schema": "http://json-schema.org/draft-04/schema#", "type": "object",
        "properties": {"a": {"$ref": "#/definitions/n"}},
        "definitions": {"n": {"type": "number", "minimum": 0, "exclusiveMinimum": True}},
    }  # fmt: skip
    before = json.dumps(schema)
    subject = subject_of(schema)
    assert subject.main.view.fields[0].name == "a"
    assert json.dumps(schema) == before


def test_one_unreadable_schema_costs_only_itself() -> None:
    """The other tools of the list are linted."""
    report = lint([tool(obj({"a": {"$ref": "#/gone"}}), "bad"), tool(DEEP, "deep")], only=[])
    assert [finding.code for finding in report.findings if finding.subject == "tools/bad"] == ["LS000"]
    assert "LS020" in {finding.code for finding in report.findings if finding.subject == "tools/deep"}


def test_a_contract_of_a_json_schema_is_linted_as_a_contract() -> None:
    """Its units, and what stands around them."""
    contract = Contract.from_json_schema(
        {"type": "object", "properties": {"rows": {"type": "array", "items": obj({"id": {"type": "string"}})}}},
        at="rows",
    )
    subject = subject_of(contract)
    assert [part.name for part in subject.parts][:1] == ["unit"]
    assert subject.kind is Kind.CONTRACT
    assert lint(contract).subjects[0].name == contract.name


@pytest.mark.parametrize("wrong", [3, "text", object(), [1], b"x", None.__class__])
def test_what_is_no_target_is_a_mistake_with_a_remedy(wrong: Any) -> None:
    """``None`` is a type that pydantic validates; a number is none."""
    if wrong is type(None):
        assert lint(wrong).subjects
        return
    with pytest.raises(Misuse):
        lint(wrong)
