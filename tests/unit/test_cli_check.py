"""``pratique check`` from argument to exit code."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from pratique.cli import main

CONTRACTS = """
from typing import Annotated
from pydantic import BaseModel
from pratique import Contract, Limits, Reference

class Item(BaseModel):
    rank: int

class Task(BaseModel):
    rank: int
    stream: Annotated[str, Reference("workstream")]

class Answer(BaseModel):
    text: str

class Declined(BaseModel):
    because: str

triage = Contract.items(Item, at="items")
tasks = Contract.items(Task, at="items")
plan = Contract.one(Answer | Declined, refusal=Declined)
small = Contract.items(Item, at="items", limits=Limits(max_bytes=20))
"""
DELIVERIES = {
    "clean": '{"items": [{"rank": 1}, {"rank": 2}]}',
    "partial": '{"items": [{"rank": 1}, {"rank": "2"}]}',
    "empty": '{"items": []}',
    "lost": "There is nothing to report.",
    "refused": "I cannot help with that.",
}
SCHEMA = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "items": {"type": "object", "properties": {"rank": {"type": "integer"}}, "required": ["rank"]},
        }
    },
    "required": ["items"],
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a directory with contracts, deliveries and allow-lists."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, "shop", raising=False)
    tmp_path.joinpath("shop.py").write_text(CONTRACTS)
    for name, text in DELIVERIES.items():
        tmp_path.joinpath(name).write_text(text)
    tmp_path.joinpath("schema.json").write_text(json.dumps(SCHEMA))
    tmp_path.joinpath("tasks").write_text('{"items": [{"rank": 1, "stream": "a"}, {"rank": 2, "stream": "b"}]}')
    tmp_path.joinpath("ids").write_text("a\n")
    return tmp_path


def check(*argv: str, contract: str = "triage") -> int:
    """Run ``pratique check`` with one of the contracts."""
    return main(["check", *argv, "--contract", f"shop:{contract}"])


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """Return the one JSON object that was printed."""
    found: dict[str, str] = json.loads(capsys.readouterr().out)
    return found


# ------------------------------------------------------------------------------- exit codes

REFUSAL = ("--finish-reason", "refusal")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("file", "options", "exits"),
    [
        ("clean", (), {"partial": 0, "lost": 0, "never": 0}),
        ("partial", (), {"partial": 3, "lost": 0, "never": 0}),
        ("empty", (), {"partial": 3, "lost": 0, "never": 0}),
        ("lost", (), {"partial": 1, "lost": 1, "never": 0}),
        ("refused", REFUSAL, {"partial": 4, "lost": 4, "never": 0}),
    ],
)
def test_the_exit_code_is_that_of_the_verdict(
    file: str, options: tuple[str, ...], exits: dict[str, int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(file, *options) == exits["partial"]
    for fail_on, code in exits.items():
        assert check(file, *options, "--fail-on", fail_on) == code
    capsys.readouterr()
    check(file, *options, "--format", "json")
    assert told(capsys)["status"] == file


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("files", "code"),
    [
        (("clean", "clean"), 0),
        (("clean", "partial", "clean"), 3),
        (("lost", "partial"), 1),
        (("clean", "absent", "lost"), 2),
        (("absent",), 2),
    ],
)
def test_of_several_files_the_worst_counts(files: tuple[str, ...], code: int) -> None:
    assert check(*files) == code


@pytest.mark.usefixtures("here")
def test_a_refusal_is_worse_than_a_partial_and_better_than_a_loss() -> None:
    from pratique.cli.exits import worst

    assert (worst([3, 4]), worst([4, 1]), worst([1, 2]), worst([])) == (4, 1, 2, 0)


@pytest.mark.usefixtures("here")
def test_a_producer_may_decline_in_band(tmp_path: Path) -> None:
    tmp_path.joinpath("no.json").write_text('{"because": "no owner"}')
    assert check("no.json", contract="plan") == 4


@pytest.mark.usefixtures("here")
def test_a_wrong_call_fails_even_when_no_verdict_does() -> None:
    assert check("absent", "--fail-on", "never") == 2


# ------------------------------------------------------------------------------ wrong calls


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["clean"], "no contract was given"),
        (["clean", "--contract", "shop:triage", "--schema", "schema.json"], "both a contract and a schema"),
        (["clean", "--contract", "shop:triage", "--at", "items"], "--at belongs to --schema"),
        (["clean", "--contract", "no_such:triage"], 'no module is called "no_such"'),
        (["clean", "--contract", "shop:triag"], "did you mean triage?"),
        (["clean", "--contract", "shop:Item"], "is no Contract"),
        (["clean", "--contract", "shop"], "does not name a contract"),
        (["clean", "--schema", "absent.json", "--at", "items"], '"absent.json": no such file'),
        (["clean", "--schema", "lost", "--at", "items"], "is not JSON"),
        (["clean", "--schema", "schema.json", "--at", "nope"], "nope"),
        (["absent", "--contract", "shop:triage"], '"absent": no such file'),
        ([".", "--contract", "shop:triage"], '".": is a directory'),
        (["-", "-", "--contract", "shop:triage"], "standard input can be read only once"),
        (["-", "--contract", "shop:tasks", "--references", "workstream=-"], "can be read only once"),
        (["--nope", "clean", "--contract", "shop:triage"], 'no option is called "--nope"'),
        (
            ["tasks", "--contract", "shop:tasks", "--references", "workstream=absent"],
            '"absent": no such file',
        ),
        (
            ["clean", "--contract", "shop:triage", "--references", "stream=ids"],
            "no field of Item is a Reference",
        ),
        (
            ["clean", "--contract", "shop:triage", "--emit", "-", "--format", "full"],
            "both want standard output",
        ),
        (["clean", "empty", "--contract", "shop:triage", "--emit", "kept"], "of one delivery"),
        (["clean", "--contract", "shop:triage", "--emit", "./clean"], "would write over"),
        (["clean", "--contract", "shop:triage", "--emit", "no/such/kept"], "no such file"),
    ],
)
def test_a_wrong_call_says_what_is_wrong_and_what_to_write(
    argv: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", *argv]) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert "\n  = help: " in printed.err
    assert "Traceback" not in printed.err
    assert printed.out == ""


@pytest.mark.usefixtures("here")
def test_a_file_that_cannot_be_read_does_not_hide_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("absent", "clean") == 2
    printed = capsys.readouterr()
    assert "clean: clean: admitted 2 of 2 units" in printed.out
    assert '"absent": no such file' in printed.err


# ----------------------------------------------------------------------- what goes in, where


@pytest.mark.usefixtures("here")
def test_the_delivery_may_come_on_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(DELIVERIES["partial"].encode())))
    assert check("-", "--format", "concise") == 3
    assert capsys.readouterr().out.startswith("<stdin>:1:34: ")


def test_bytes_that_are_not_utf8_cost_their_unit_and_nothing_more(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here.joinpath("raw").write_bytes(b'{"items": [{"rank": 1}, {"rank": "\xff"}, {"rank": 3}]}')
    assert check("raw") == 3
    assert "admitted 2 of 3 units" in capsys.readouterr().out


@pytest.mark.usefixtures("here")
def test_a_schema_stands_in_for_a_contract(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "partial", "--schema", "schema.json", "--at", "items"]) == 3
    assert "admitted 1 of 2 units" in capsys.readouterr().out


@pytest.mark.usefixtures("here")
def test_an_allow_list_refuses_what_is_not_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("tasks", "--references", "workstream=ids", contract="tasks") == 3
    assert "quarantined 1 (allow_list 1)" in capsys.readouterr().out


@pytest.mark.usefixtures("here")
def test_a_reference_without_an_allow_list_is_never_clean() -> None:
    assert check("tasks", contract="tasks") == 3


@pytest.mark.usefixtures("here")
def test_a_finish_reason_of_length_is_a_truncation(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("clean", "--finish-reason", "length") == 3
    assert "truncated at 1:" in capsys.readouterr().out


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("file", DELIVERIES)
def test_every_producer_gets_the_same_verdict(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = set()
    for producer in ("model", "agent", "person"):
        check(file, "--producer", producer, "--format", "json")
        told.add(capsys.readouterr().out)
    assert len(told) == 1


@pytest.mark.usefixtures("here")
def test_a_delivery_over_the_limit_is_not_read_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("clean", contract="small") == 1
    assert "delivery.too_large" in capsys.readouterr().out


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("format", ["full", "concise", "json", "ndjson", "sarif", "github", "junit"])
def test_every_format_prints_every_status(format: str, capsys: pytest.CaptureFixture[str]) -> None:
    for file in DELIVERIES:
        check(file, "--format", format)
        printed = capsys.readouterr()
        assert printed.out.endswith("\n")
        assert printed.err == ""


# ------------------------------------------------------------------------------------- emit


def test_emit_writes_the_admitted_values_as_a_list(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check("partial", "--emit", "kept.json") == 3
    assert json.loads(here.joinpath("kept.json").read_text()) == [{"rank": 1}]
    assert "admitted 1 of 2 units" in capsys.readouterr().out


def test_emit_writes_an_empty_list_over_an_old_one_when_nothing_was_admitted(here: Path) -> None:
    """What an earlier delivery left must not pass as this one's."""
    here.joinpath("kept.json").write_text('[{"rank": 9}]')
    assert check("lost", "--emit", "kept.json") == 1
    assert json.loads(here.joinpath("kept.json").read_text()) == []


def test_emit_writes_one_value_as_a_list_of_one(here: Path) -> None:
    here.joinpath("plan.json").write_text('{"text": "go"}')
    assert check("plan.json", "--emit", "kept.json", contract="plan") == 0
    assert json.loads(here.joinpath("kept.json").read_text()) == [{"text": "go"}]


@pytest.mark.usefixtures("here")
def test_emit_to_standard_output_sends_the_report_to_standard_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert check("partial", "--emit", "-") == 3
    printed = capsys.readouterr()
    assert json.loads(printed.out) == [{"rank": 1}]
    assert printed.err.splitlines()[-1].startswith("partial: partial: admitted 1 of 2 units")


def test_emit_writes_nothing_when_the_delivery_cannot_be_read(here: Path) -> None:
    here.joinpath("kept.json").write_text("old")
    assert check("absent", "--emit", "kept.json") == 2
    assert here.joinpath("kept.json").read_text() == "old"


def test_emit_leaves_no_temporary_file(here: Path) -> None:
    before = set(os.listdir(here))
    check("clean", "--emit", "kept.json")
    assert set(os.listdir(here)) - before == {"kept.json"}


# -------------------------------------------------------------------- colour, and as a program


@pytest.mark.usefixtures("here")
def test_forced_colour_is_printed_and_no_color_wins(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    check("partial")
    assert "\x1b[" in capsys.readouterr().out
    check("partial", "--no-color")
    assert "\x1b" not in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    check("partial")
    assert "\x1b" not in capsys.readouterr().out


def test_the_program_judges_a_pipe_and_exits_with_the_verdict(here: Path) -> None:
    call = [sys.executable, "-m", "pratique", "check", "-", "--contract", "shop:triage"]
    ran = subprocess.run(
        call, cwd=here, input=b'{"items": [{"rank": 1}, {"rank": \xff}', capture_output=True, check=False
    )
    assert ran.returncode == 3
    assert b"\\udcff" in ran.stdout
    assert ran.stderr == b""


def test_a_file_beside_the_delivery_does_not_shadow_the_library(here: Path) -> None:
    """A model that may write into the directory must not get its code run."""
    for name in ("pydantic", "cyclopts", "jiter"):
        here.joinpath(f"{name}.py").write_text("raise SystemExit('shadowed')")
    call = [sys.executable, "-m", "pratique", "check", "clean", "--contract", "shop:triage"]
    ran = subprocess.run(call, cwd=here, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.usefixtures("here")
def test_what_the_contracts_module_prints_is_no_part_of_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tmp_path.joinpath("shop.py").write_text("print('loading')\n" + CONTRACTS)
    check("clean", "--format", "json")
    assert told(capsys)["status"] == "clean"
