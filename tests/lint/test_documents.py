"""Files that are written otherwise than most: marks, line ends, repeated keys, depth, and YAML that explodes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lint.case import obj
from pratique import Misuse
from pratique.lint.linting import lint_subjects
from pratique.lint.sources.documents import document_subjects

DEEP = obj({"a": {"type": "array", "items": {"type": "array", "items": obj({"b": {"type": "string"}})}}})
WRITTEN = json.dumps({"title": "漢字", **DEEP}, indent=1, ensure_ascii=False)


@pytest.mark.parametrize(
    "text",
    [
        WRITTEN,
        "\ufeff" + WRITTEN,
        WRITTEN.replace("\n", "\r\n"),
        WRITTEN.replace("\n", "\r"),
        WRITTEN.replace(" ", "\t"),
        WRITTEN.replace('"a"', '"\\u0061"'),
        WRITTEN.replace('"properties": {', '"properties": {"a": {"type": "string", "items": {}},', 1),
    ],
    ids=["plain", "byte order mark", "CRLF", "CR", "tabs", "an escaped key", "a key that is written twice"],
)
def test_a_finding_stands_in_the_line_where_it_is_written(text: str) -> None:
    """Of a key that stands there twice the last one counts, as for every reader of JSON."""
    (finding,) = lint_subjects(document_subjects(text, file="a.json"), only=["LS020"]).findings
    assert finding.location is not None
    lines, span = finding.location.lines, finding.location.span
    assert lines.text[span.start : span.end] == '"items"'
    position = lines.position(span.start)
    assert (position.line, position.column) == (9, 5)


@pytest.mark.parametrize("levels", [200, 450])
def test_a_schema_that_is_too_deep_is_told_and_costs_only_itself(levels: int) -> None:
    """Some readers of JSON go deeper than those of schemas."""
    deep = '{"properties":{"a":' * levels + "{}" + "}}" * levels
    listed = '[{"name": "deep", "inputSchema": ' + deep + '}, {"name": "other", "inputSchema": {}}]'
    report = lint_subjects(document_subjects(listed, file="tools.json"))
    assert [finding.code for finding in report.findings if finding.subject == "tools/deep"] == ["LS000"]
    assert len(report.subjects) == 2


@pytest.mark.parametrize("file", ["x.json", "x.yaml"])
def test_a_file_that_is_too_deep_is_told(file: str) -> None:
    """The reader of the text gives up first."""
    with pytest.raises(Misuse, match="nested too deep"):
        document_subjects("[" * 20_000, file=file)


def bomb(levels: int) -> str:
    """Make a list of ten, and ten lists of that, and so on."""
    written = "l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in range(levels):
        written += f"l{level + 1}: &l{level + 1} [{', '.join([f'*l{level}'] * 10)}]\n"
    return written


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (bomb(9), "multiply each other"),
        ("a: &a\n  b: *a\n", "multiply each other"),
        (bomb(9).replace("[", "{<<: [").replace("]", "]}").replace("{<<: [x, x, x, x, x, x, x, x, x, x]}", "{a: 1}"),
         "multiply each other"),
        ("? [a]\n: 2\n", "unhashable key, in line 1"),
        ("a: 1\nb: [\n", "in line 3"),
        ("a: 1\n---\nb: 2\n", "but found another document, in line 2"),
        ("!!python/object/apply:os.system [x]\n", "could not determine a constructor"),
        ("", "nothing that can be linted"),
    ],
    ids=["a bomb", "a cycle", "a bomb of merges", "a list as a key", "an open end", "two documents", "a tag", "empty"],
)  # fmt: skip
def test_yaml_that_cannot_be_is_told(text: str, told: str) -> None:
    """Before anything is made of it."""
    with pytest.raises(Misuse, match=told):
        document_subjects(text, file="x.yaml")


def test_yaml_is_read_as_openapi_asks_for() -> None:
    """Words and dates are text, numbers as keys are keys, an alias is what it stands for."""
    text = """
    type: object
    required: [on, off]
    properties:
      on: &text {type: string, enum: [yes, no, 2026-11-22], default: yes}
      off: *text
      200: {<<: *text, nullable: true}
    """
    (subject,) = document_subjects(text, file="x.yaml")
    one: dict[str, Any] = {"type": "string", "enum": ["yes", "no", "2026-11-22"], "default": "yes"}
    assert subject.main.schema["required"] == ["on", "off"]
    assert subject.main.schema["properties"] == {"on": one, "off": one, "200": {**one, "nullable": True}}
