"""Each form of the report, on small deliveries."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal
from xml.etree import ElementTree

import pytest
from pydantic import BaseModel, Field

from pratique import Contract, Finding, Limits, Reference, note, refuse
from pratique.cli.checked import Checked
from pratique.cli.terminal import Terminal
from pratique.errors import CODES
from pratique.show import escape, width

FORMATS = ("full", "concise", "json", "ndjson", "sarif", "github", "junit")
PLAIN = ("full", "concise", "github", "junit")


class Item(BaseModel):
    """A unit with all that a report has to tell."""

    rank: Annotated[int, Field(ge=1)]
    action: Literal["work-next", "park"]
    why: Annotated[str, Field(max_length=600)] = "not said"


class Task(BaseModel):
    """A unit with a reference."""

    rank: int
    stream: Annotated[str, Reference("workstream")]


class Head(BaseModel):
    """What stands around the list."""

    summary: str


def echo(item: Item) -> Iterator[Finding]:
    """Refuse or note with the producer's text as it came: a check may be careless."""
    if "refuse" in item.why:
        yield refuse(f"bad: {item.why}", path="why", help=f"not {item.why}")
    elif "note" in item.why:
        yield note(f"odd: {item.why}", path="why")


triage = Contract.items(Item, at="items", envelope=Head, unique=("rank",), checks=[echo], limits=Limits(max_items=3))
tasks = Contract.items(Task, at="items")


def report(*units: str, summary: str = '"s"') -> str:
    """Write a report with one unit a line."""
    return f'{{\n  "summary": {summary},\n  "items": [\n    ' + ",\n    ".join(units) + "\n  ]\n}\n"


SOUND = '{"rank": 1, "action": "park", "why": "w"}'
TYPED = '{"rank": "2", "action": "park", "why": "w"}'
BROKEN = '{"rank": 3, "action": "park", "why": }'


def printed(
    name: str,
    text: str | bytes,
    *,
    contract: Contract[Any] = triage,
    terminal: Terminal | None = None,
    **call: Any,
) -> str:
    """Return one delivery's report in one format."""
    checked = Checked("report.json", contract.admit(text, **call))
    lines = importlib.import_module(f"pratique.cli.formats.{name}").render([checked], terminal or Terminal())
    return "\n".join(lines)


# ------------------------------------------------------------------------------------- full


def test_full_shows_the_place_the_line_the_reason_and_the_help() -> None:
    shown = printed("full", report(SOUND, TYPED)).split("\n\n")
    assert shown[0].splitlines()[1:6] == [
        " --> report.json:5:14  $.items[1].rank",
        "  |",
        '5 |     {"rank": "2", "action": "park", "why": "w"}',
        "  |              ^^^",
        "  = quarantined: schema (unit 1)",
    ]
    assert shown[0].splitlines()[0].startswith("validate.")
    assert shown[-1] == "report.json: partial: admitted 1 of 2 units; quarantined 1 (schema 1)"


def test_full_of_a_clean_report_is_one_line() -> None:
    assert printed("full", report(SOUND)) == "report.json: clean: admitted 1 of 1 unit"


def test_full_tells_findings_in_order_of_place() -> None:
    shown = printed("full", report(BROKEN, SOUND, TYPED))
    places = [int(line) for line in re.findall(r"--> report.json:(\d+):", shown)]
    assert places == sorted(places)
    assert {4, 6} <= set(places)


def test_full_says_where_a_delivery_was_cut() -> None:
    shown = printed("full", report(SOUND, TYPED)[:90]).splitlines()
    assert re.search(r"; truncated at 5:\d+ inside \$", shown[-1])


def test_full_says_when_only_the_finish_reason_tells_of_the_cut() -> None:
    shown = printed("full", report(SOUND), finish_reason="length")
    assert shown.splitlines()[-1].endswith("truncated at 7:1, as the finish reason says")


def test_full_tells_each_edit_as_a_note() -> None:
    shown = printed("full", report('{"rank": 1, "action": "Park", "why": "w"}'))
    assert '`"Park"` was read as `"park"`\n --> report.json:4:' in shown
    assert shown.endswith("report.json: clean: admitted 1 of 1 unit")


def test_full_counts_edits_of_one_kind_beyond_the_first_few() -> None:
    wide = Contract.items(Item, at="items")
    units = [f'{{"rank": {rank}, "action": "park", "why": "w",}}' for rank in range(1, 13)]
    shown = printed("full", '{"items": [' + ", ".join(units) + "]}", contract=wide)
    assert shown.count("a surplus comma was deleted: `,`") == 5
    assert "7 more edits of this kind" in shown


def test_full_tells_of_unclaimed_text_in_brief() -> None:
    shown = printed("full", "Here is\nthe report:\n" + report(SOUND))
    assert 'unclaimed: 20 characters at report.json:1:1: "Here is\\nthe report:"' in shown


def test_full_tells_of_defaults() -> None:
    shown = printed("full", report('{"rank": 1, "action": "park"}'))
    assert "defaults: left out by the producer, filled by the contract: why (in 1)" in shown


def test_full_keeps_a_source_line_within_the_terminal() -> None:
    text = json.dumps({"summary": "s" * 300, "items": [{"rank": "2", "action": "猫" * 200, "why": "w" * 300}]})
    for cells in (40, 80, 120):
        shown = printed("full", text, terminal=Terminal(max_cells=cells))
        lines = [line for line in shown.splitlines() if re.match(r" *\d* \|", line)]
        assert lines
        assert max(map(width, lines)) <= cells


def test_full_marks_the_same_text_with_colour() -> None:
    text = report(SOUND, TYPED)
    painted = printed("full", text, terminal=Terminal(colour=True))
    assert "\x1b[" in painted
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == printed("full", text)


def test_full_tells_of_a_finding_without_a_place() -> None:
    shown = printed("full", '{"items": [{"rank": 1, "stream": "a"}]}', contract=tasks)
    assert "report.json: partial" in shown


def test_full_tells_of_an_empty_delivery() -> None:
    assert printed("full", "").splitlines()[-1].startswith("report.json: lost: admitted 0 of 0 units")


def test_full_tells_of_a_producer_that_declined() -> None:
    assert "report.json: refused: " in printed("full", "I cannot help with that.", finish_reason="refusal")


def test_full_separates_files_by_a_blank_line() -> None:
    from pratique.cli.formats.full import render

    one = Checked("a.json", triage.admit(report(SOUND)))
    two = Checked("b.json", triage.admit(report()))
    assert list(render([one, two], Terminal())) == [
        "a.json: clean: admitted 1 of 1 unit",
        "",
        "b.json: empty: admitted 0 of 0 units",
    ]


# ---------------------------------------------------------------------------------- concise


def test_concise_is_one_line_a_finding_and_one_a_file() -> None:
    shown = printed("concise", report(SOUND, TYPED)).splitlines()
    assert len(shown) == 2
    assert re.fullmatch(
        r"report\.json:5:14: validate\.\w+: .* at \$\.items\[1\]\.rank; quarantined: schema \(unit 1\)",
        shown[0],
    )
    assert shown[1] == "report.json: partial: admitted 1 of 2 units; quarantined 1 (schema 1)"


# -------------------------------------------------------------------------- json and ndjson


def test_json_is_one_object_with_the_file_and_the_whole_verdict() -> None:
    text = report(SOUND, TYPED)
    told = json.loads(printed("json", text))
    assert told == {"file": "report.json", **triage.admit(text).to_dict()}
    promised = "status truncated review_required envelope units quarantined unclaimed findings counts"
    assert set(promised.split()) <= told.keys()


def test_json_holds_the_keys_that_are_promised_of_a_unit() -> None:
    told = json.loads(printed("json", report(SOUND, TYPED)))
    assert {"index", "value", "edits", "span", "defaulted"} <= told["units"][0].keys()
    assert told["quarantined"][0].keys() == {"index", "reason", "findings", "raw", "span", "draft", "edits"}
    assert {"code", "path", "message", "span", "effect"} <= told["quarantined"][0]["findings"][0].keys()


def test_json_is_one_line_of_ascii_whatever_was_written() -> None:
    told = printed("json", b'{"summary": "s", "items": [{"rank": "caf\xe9 \xff"}]} \xf0\x9f\x90\x88')
    assert told.isascii()
    assert "\n" not in told
    assert "\\udce9" in told


def test_ndjson_has_one_line_for_each_thing_and_the_summary_last() -> None:
    lines = [json.loads(line) for line in printed("ndjson", "Well:\n" + report(SOUND, TYPED)).splitlines()]
    assert [line["kind"] for line in lines] == ["unit", "quarantined", "unclaimed", "summary"]
    assert {line["file"] for line in lines} == {"report.json"}
    assert lines[-1]["counts"] == {"seen": 2, "admitted": 1, "quarantined": 1, "not_kept": 0, "schema": 1}
    assert lines[-1]["status"] == "partial"


def test_ndjson_tells_findings_on_the_delivery_in_lines_of_their_own() -> None:
    lines = [json.loads(line) for line in printed("ndjson", report(SOUND), finish_reason="length").splitlines()]
    assert "finding" in {line["kind"] for line in lines}


# ------------------------------------------------------------------------------------ sarif


def test_sarif_gives_the_region_in_lines_columns_and_characters() -> None:
    text = report(SOUND, TYPED)
    log = json.loads(printed("sarif", text))
    (run,) = log["runs"]
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]
    start = text.index('"2"')
    assert log["version"] == "2.1.0"
    assert run["columnKind"] == "unicodeCodePoints"
    assert place == {
        "artifactLocation": {"uri": "report.json"},
        "region": {
            "startLine": 5,
            "startColumn": 14,
            "endLine": 5,
            "endColumn": 17,
            "charOffset": start,
            "charLength": 3,
        },
    }
    assert result["level"] == "error"
    assert result["properties"]["quarantined"] == "schema"


def test_sarif_takes_its_rules_from_the_codes() -> None:
    (run,) = json.loads(printed("sarif", report(BROKEN, TYPED)))["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        rule = rules[result["ruleIndex"]]
        code = CODES[result["ruleId"]]
        assert (rule["id"], rule["help"]["text"]) == (code.id, code.help)
        assert (rule["shortDescription"]["text"], rule["fullDescription"]["text"]) == (code.title, code.why)


def test_sarif_of_a_clean_report_has_no_results() -> None:
    (run,) = json.loads(printed("sarif", report(SOUND)))["runs"]
    assert run["results"] == []
    assert run["artifacts"][0]["location"] == {"uri": "report.json"}


def test_sarif_writes_a_file_name_as_a_uri() -> None:
    from pratique.cli.formats.sarif import render

    checked = Checked("my file\udcff#.json", triage.admit(report(SOUND)))
    (run,) = json.loads("".join(render([checked], Terminal())))["runs"]
    assert run["artifacts"][0]["location"] == {"uri": "my%20file%FF%23.json"}


# ----------------------------------------------------------------------------------- github


def test_github_writes_one_command_a_finding() -> None:
    shown = printed("github", report(SOUND, TYPED)).splitlines()
    assert re.fullmatch(
        r"::error file=report\.json,line=5,endLine=5,col=14,endColumn=16,title=validate\.\w+::.* at "
        r"\$\.items\[1\]\.rank \(quarantined: schema \(unit 1\)\); .*",
        shown[0],
    )
    assert shown[1:] == ["pratique: report.json: partial: admitted 1 of 2 units; quarantined 1 (schema 1)"]


def test_github_escapes_what_would_end_a_property_or_a_command() -> None:
    from pratique.cli.formats.github import render

    unit = '{"rank": 1, "action": "park", "why": "note 100%\\n::set-output name=x::y"}'
    checked = Checked("a,b:c%.json", triage.admit(report(unit)))
    command, _ = render([checked], Terminal())
    assert command.startswith("::notice file=a%2Cb%3Ac%25.json,line=4,")
    assert "note 100%25\\n::set-output" in command
    assert "\n" not in command


def test_github_gives_no_columns_for_a_region_of_several_lines() -> None:
    text = report('{"rank": 1,\n "action": "park", "why": "refuse",\n "extra": 1}')
    for line in printed("github", text).splitlines():
        found = re.search(r"line=(\d+),endLine=(\d+)(,col=)?", line)
        assert found is None or (found[1] == found[2]) == bool(found[3])


# ------------------------------------------------------------------------------------ junit


def test_junit_has_one_case_a_unit_and_one_for_the_delivery() -> None:
    root = ElementTree.fromstring(printed("junit", report(SOUND, TYPED)))
    (suite,) = root
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases] == ["delivery", "unit 0", "unit 1"]
    assert [case.get("classname") for case in cases] == ["Item"] * 3
    assert [len(case.findall("failure")) for case in cases] == [0, 0, 1]
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("report.json", "3", "1")
    assert (root.get("tests"), root.get("failures")) == ("3", "1")


def test_junit_tells_the_reason_the_place_and_the_raw_text_of_a_failure() -> None:
    root = ElementTree.fromstring(printed("junit", report(SOUND, TYPED)))
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.get("type") == "schema"
    assert (failure.text or "").splitlines()[0] == "report.json:5:5: quarantined: schema"
    assert (failure.text or "").splitlines()[-1] == "raw: " + json.dumps(TYPED)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("", {}),
        (report(), {}),
        ("no payload at all", {}),
        (report(SOUND), {"finish_reason": "length"}),
        (report(SOUND, summary="1"), {}),
        (report(SOUND, TYPED), {}),
        ("I cannot", {"finish_reason": "refusal"}),
    ],
)
def test_junit_fails_whatever_is_not_clean(text: str, call: dict[str, Any]) -> None:
    suite = ElementTree.fromstring(printed("junit", text, **call))[0]
    assert int(suite.get("failures", "0")) > 0


def test_junit_passes_what_is_clean() -> None:
    suite = ElementTree.fromstring(printed("junit", report(SOUND)))[0]
    assert suite.get("failures") == "0"


# --------------------------------------------------------------------------- untrusted text

NASTY = [
    "\x1b]0;owned\x07",
    "\u202eevil\u202c",
    "ze\u200bro\u2060",
    "nul\x00",
    "\x9b31m",
    "\u2028",
    "\U000e0041",
]
SHAPES = [
    report('{"rank": "@", "action": "park", "why": "w"}'),
    report('{"rank": 1, "action": "park", "why": "refuse @"}'),
    report('{"rank": 1, "action": "park", "why": "note @"}'),
    report('{"rank": 1, "action": "park", "@": 1}'),
    report("{'rank': 1, 'action': 'park', 'why': '@',}"),
    report('{"rank": 1, /* @ */ "action": "park", "why": "w"}', "@", '"@"'),
    report('{"rank": 1, "action": "park", "why": "cut @').rstrip("]}\n "),
    report(SOUND, summary="@"),
    report(SOUND, summary='"x", "@": 1'),
    "prose @\n" + report(SOUND) + "@",
    "```@\n" + report(SOUND) + "```@",
]
"""What stands for ``@`` comes once as it is and once as JSON writes it."""
HOSTILE = [shape.replace("@", text) for shape in SHAPES for nasty in NASTY for text in (nasty, json.dumps(nasty)[1:-1])]
BYTES = [
    *(text.encode("utf-8") for text in HOSTILE),
    b'{"summary": "s", "items": [{"rank": "\xff\xfe", "action": "park"}]}',
    b'\xff{"summary": "\xe9", "items": [{"rank": 1, "action": "\xc3", "why": "\x80"}, '
    + TYPED.encode()
    + b"]} \xf0\x9f",
    b"\xed\xa0\x80" + report(TYPED).encode(),
    b"\x00" * 50,
]


@pytest.mark.parametrize("name", PLAIN)
def test_nothing_a_producer_wrote_reaches_a_terminal_unescaped(name: str) -> None:
    for text in BYTES:
        for line in printed(name, text).split("\n"):
            assert escape(line) == line, text


def test_colour_adds_only_our_own_sequences() -> None:
    for text in BYTES:
        shown = printed("full", text, terminal=Terminal(colour=True))
        for line in re.sub(r"\x1b\[(?:0|7|1|1;3[1246])m", "", shown).split("\n"):
            assert escape(line) == line, text


@pytest.mark.parametrize("name", ["json", "ndjson", "sarif"])
def test_what_is_json_stays_json_and_ascii(name: str) -> None:
    for text in BYTES:
        shown = printed(name, text)
        assert shown.isascii()
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", shown)
        for line in shown.splitlines() if name == "ndjson" else [shown]:
            json.loads(line)


def test_what_is_xml_can_be_parsed_back() -> None:
    for text in BYTES:
        ElementTree.fromstring(printed("junit", text))


@pytest.mark.parametrize("name", FORMATS)
def test_a_hostile_file_name_is_inert(name: str) -> None:
    render = importlib.import_module(f"pratique.cli.formats.{name}").render
    shown = "\n".join(render([Checked("\x1b[31m\u202e\n\udcff", triage.admit(report(TYPED)))], Terminal()))
    for line in shown.split("\n"):
        assert escape(line) == line


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_of_no_file_is_sound(name: str) -> None:
    render = importlib.import_module(f"pratique.cli.formats.{name}").render
    shown = "\n".join(render([], Terminal()))
    if name == "sarif":
        assert json.loads(shown)["runs"][0]["results"] == []
    elif name == "junit":
        assert ElementTree.fromstring(shown).get("tests") == "0"
    else:
        assert shown == ""
