"""``pratique lint``: what is named, what is printed, and the exit code."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pratique.cli import main

FORMATS = ("full", "concise", "json", "ndjson", "sarif", "github", "junit")
ARGUMENTS = {
    "type": "object",
    "properties": {
        "step": {
            "anyOf": [
                {
                    "type": "object", "properties": {"type": {"const": "one"}, "name": {"type": "string"}},
                    "required": ["type", "name"], "additionalProperties": False,
                },
                {
                    "type": "object",
                    "properties": {
                        "type": {"const": "many"},
                        "names": {"type": "array", "items": {"type": "string"}, "minItems": 2},
                    },
                    "required": ["type", "names"], "additionalProperties": False,
                },
            ]
        },
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "required": ["step"],
    "additionalProperties": False,
}  # fmt: skip
TOOLS = {"tools": [{"name": "run", "description": "Run the steps.", "inputSchema": ARGUMENTS}]}
MODULE = """\
from pydantic import BaseModel

from pratique import Contract


class Note(BaseModel):
    text: str


class Deep(BaseModel):
    a: list[list[list[list[Note]]]]


notes = Contract.one(Note)
again = notes
deep = Contract.one(Deep)
number = 3
"""
SERVER = """\
import sys

from mcp.server.mcpserver import MCPServer

server = MCPServer("small")


@server.tool()
def add(a: int, b: int) -> int:
    "Add two numbers."
    return a + b


if "--fail" in sys.argv:
    print("no key", file=sys.stderr)
    sys.exit(3)
server.run()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a list of tools and a module, to be called from."""
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS, indent=2), encoding="utf-8")
    (tmp_path / "lint_module.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "lint_module", raising=False)
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Call ``pratique lint``; return the exit code and what was printed."""
    code = main(["lint", *words])
    out = capsys.readouterr()
    return code, out.out, out.err


@pytest.mark.usefixtures("folder")
def test_a_finding_shows_its_line_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = printed(capsys, "tools.json", "--only", "LS001")
    assert code == 1
    assert out.startswith('LS001 error derivable-discriminator: the tag "type" only repeats the length of "names"')
    assert "--> tools.json:" in out
    assert re.search(r'\d+ \| +"step": \{\n', out)
    assert "= help: " in out
    assert "= fix: Step: one type" in out
    assert "1 subject: 1 error\n" in out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_tells_the_code_and_the_place(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = printed(capsys, "tools.json", "--format", form, "--only", "LS001")
    assert code == 1
    assert err == ""
    assert "LS001" in out
    assert "/properties/step" in out
    if form == "json":
        told = json.loads(out)
        assert told["counts"] == {"error": 1, "warn": 0, "info": 0}
        (finding,) = told["findings"]
        assert finding["file"] == "tools.json"
        assert finding["line"] == 9
        assert finding["fix"]["schema"]["properties"].keys() == {"names"}
    elif form == "ndjson":
        assert [json.loads(line)["kind"] for line in out.splitlines()] == ["finding", "summary"]
    elif form == "sarif":
        (run,) = json.loads(out)["runs"]
        (result,) = run["results"]
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["name"] == "derivable-discriminator"
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"] == {"uri": "tools.json"}
        assert place["region"]["startLine"] == 9
    elif form == "github":
        assert out.startswith("::error file=tools.json,line=9,endLine=9,col=")
    elif form == "junit":
        suite = ElementTree.fromstring(out.encode()).find("testsuite")
        assert suite is not None
        assert suite.get("failures") == "1"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_says_that_nothing_was_found(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = printed(capsys, "lint_module:notes", "--format", form, "--only", "LS001")
    assert code == 0
    assert "LS001" not in out
    if form == "junit":
        assert ElementTree.fromstring(out.encode()).get("tests") == "1"
    elif form == "sarif":
        assert json.loads(out)["runs"][0]["results"] == []
    else:
        assert out.strip()


@pytest.mark.usefixtures("folder")
def test_the_fix_is_source_that_can_be_redirected(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = printed(capsys, "tools.json", "--fix")
    assert code == 1
    assert err == "1 fix\n"
    names: dict[str, Any] = {"__name__": "fix"}
    exec(compile(out, "fix", "exec"), names)
    assert names["without_tag"]({"type": "one", "name": "a"}) == {"names": ["a"]}
    code, out, err = printed(capsys, "tools.json", "--fix", "--format", "json")
    assert json.loads(out)[0]["fix"]["schema"]["type"] == "object"


@pytest.mark.usefixtures("folder")
def test_a_module_is_all_its_contracts_each_once(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = printed(capsys, "lint_module", "--only", "LS020", "--format", "json")
    told = json.loads(out)
    assert told["subjects"] == 2
    (finding,) = told["findings"]
    assert finding["subject"] == "lint_module:deep"
    assert finding["file"] == "lint_module.py"
    assert code == (1 if finding["level"] == "error" else 0)


@pytest.mark.usefixtures("folder")
def test_a_type_is_linted_too(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = printed(capsys, "lint_module:Note", "--only", "LS005")
    assert "lint_module:Note#" in out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "nothing to lint was named"),
        (["lint_module:missing"], 'has no "missing"'),
        (["lint_module:number"], "cannot be linted"),
        (["missing_module"], 'no module is called "missing_module"'),
        (["missing.json"], "no such file"),
        ([""], "names no file and no module"),
        (["."], "names no file and no module"),
        (["../"], "names no file and no module"),
        (["tools.json", "--target", "openai/chatt"], "did you mean openai/chat?"),
        (["tools.json", "--only", "LS999"], 'no lint rule is called "LS999"'),
        (["tools.json", "--ignore", "LS001", "*", " "], "an ignore needs a reason"),
        (["tools.json", "--ignore", "LS999", "*", "because"], "no lint rule"),
        (["tools.json", "--env", "A=b"], "--env and --timeout-s are for the server"),
        (["tools.json", "--fix", "--statistics"], "leave one of them out"),
        (["tools.json", "--fix", "--format", "junit"], "--fix prints Python source"),
        (["tools.json", "--max-tokens", "-1"], "max_tokens must be a number of at least 0"),
        (["--mcp", "''"], "was not listed|did not list|no command|No such|not found"),
        (["--mcp", "'open"], "cannot be read"),
        (["--mcp", "x", "--env", "secret-without-a-name"], "--env gives no variable"),
    ],
)
def test_a_wrong_call_says_what_to_write(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = printed(capsys, *words)
    assert code in (2, 74)
    assert out == ""
    assert re.search(told if "|" in told else re.escape(told), err)
    assert "= help: " in err
    assert "secret-without-a-name" not in err


@pytest.mark.usefixtures("folder")
def test_levels_decide_what_is_shown_and_what_fails(capsys: pytest.CaptureFixture[str]) -> None:
    shown = {}
    for level in ("error", "warn", "info"):
        code, out, _ = printed(capsys, "tools.json", "--level", level, "--format", "json")
        assert code == 1
        shown[level] = {finding["level"] for finding in json.loads(out)["findings"]}
    assert shown["error"] == {"error"}
    assert shown["warn"] >= {"error"}
    assert "info" not in shown["warn"]
    assert printed(capsys, "tools.json", "--fail-on", "never")[0] == 0
    assert printed(capsys, "lint_module:Note", "--only", "LS005", "--fail-on", "warn")[0] == 1
    assert printed(capsys, "lint_module:Note", "--only", "LS005", "--fail-on", "error")[0] == 0


@pytest.mark.usefixtures("folder")
def test_an_ignore_has_a_reason_and_is_told_when_it_is_stale(capsys: pytest.CaptureFixture[str]) -> None:
    ignore = ["--ignore", "LS001", "tools/run#*", "old clients send it"]
    code, out, _ = printed(capsys, "tools.json", "--only", "LS001", *ignore, "--show-ignored")
    assert code == 0
    assert "ignored LS001 at tools/run#/properties/step: old clients send it" in out
    assert "; 1 ignored" in out
    _, out, _ = printed(capsys, "tools.json", "--only", "LS001", "--ignore", "LS001", "tools/gone#*", "was there")
    assert "ignore matches nothing: LS001 at tools/gone#*: was there" in out
    _, out, _ = printed(capsys, "tools.json", "--only", "LS001", *ignore, "--format", "sarif")
    (result,) = json.loads(out)["runs"][0]["results"]
    assert result["suppressions"] == [{"kind": "external", "justification": "old clients send it"}]


def test_the_projects_own_file_counts_and_the_call_goes_over_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "pyproject.toml").write_text(
        '[tool.pratique.lint]\nfail-on = "never"\nlevel = "error"\ntarget = "openai/chat"\n'
        '[[tool.pratique.lint.ignore]]\ncode = "LS001"\npath = "*"\nreason = "later"\n',
        encoding="utf-8",
    )
    (folder / "below").mkdir()
    code, out, _ = printed(capsys, "tools.json", "--format", "json")
    told = json.loads(out)
    assert code == 0
    assert told["level"] == "error"
    assert {finding["code"] for finding in told["ignored"]} == {"LS001"}
    assert {finding["target"] for finding in told["findings"]} == {"openai/chat"}
    code, out, _ = printed(capsys, "tools.json", "--format", "json", "--fail-on", "error", "--level", "warn")
    assert code == 1
    assert json.loads(out)["level"] == "warn"


@pytest.mark.usefixtures("folder")
def test_without_a_target_it_is_said_that_no_limit_was_looked_at(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = printed(capsys, "tools.json")
    assert "limits of providers were not looked at" in out
    _, out, _ = printed(capsys, "tools.json", "--target", "openai/chat")
    assert "limits of providers were not looked at" not in out
    assert " [openai/chat]: " in out


def test_two_tools_of_one_name_lose_no_finding(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each server has its own ``search``; between them stands another subject."""
    (folder / "again.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    _, out, _ = printed(capsys, "tools.json", "lint_module:Note", "again.json", "--only", "LS001", "--format", "junit")
    suites = ElementTree.fromstring(out.encode()).findall("testsuite")
    assert [(suite.get("name"), suite.get("failures")) for suite in suites] == [
        ("tools/run", "1"),
        ("lint_module:Note", "0"),
    ]
    failure = suites[0].find("testcase/failure")
    assert failure is not None
    assert (failure.text or "").count("LS001 error") == 2


@pytest.mark.usefixtures("folder")
def test_statistics_count_by_rule(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = printed(capsys, "tools.json", "--statistics")
    assert re.search(r"^ +1  LS001  error  derivable-discriminator$", out, re.MULTILINE)


def test_standard_input_is_json(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(folder / "tools.json", encoding="utf-8") as source:
        monkeypatch.setattr(sys, "stdin", source)
        code, out, _ = printed(capsys, "-", "--only", "LS001")
    assert code == 1
    assert "--> stdin:9:" in out


def test_a_name_that_a_terminal_would_obey_is_escaped(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = {"type": "object", "properties": {"\x1b[31m\u202e": {"type": "string"}}}
    (folder / "evil.json").write_text(json.dumps(schema, ensure_ascii=False), encoding="utf-8")
    for form in FORMATS:
        _, out, _ = printed(capsys, "evil.json", "--level", "info", "--format", form)
        assert "\x1b" not in out
        assert "\u202e" not in out


@pytest.mark.slow
def test_a_server_is_started_asked_and_ended(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "server.py").write_text(SERVER, encoding="utf-8")
    code, out, _ = printed(capsys, "--mcp", f"{sys.executable} server.py", "--format", "json", "--level", "info")
    told = json.loads(out)
    assert code == 0
    assert told["subjects"] == 1
    assert {finding["subject"] for finding in told["findings"]} == {"tools/add"}
    code, out, err = printed(capsys, "--mcp", f"{sys.executable} server.py --fail")
    assert code == 74
    assert out == ""
    assert 'its last line: "no key"' in err
    code, _, err = printed(capsys, "--mcp", f"{sys.executable} -c 'import time; time.sleep(60)'", "--timeout-s", "1")
    assert code == 74
    assert "no list within 1 s" in err
