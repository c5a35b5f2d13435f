"""The demo runs, its reconstructions break where the real run broke, and its files are what they say."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from examples import demo, triage_run
from examples.demo import HERE, cases, whole_document
from examples.portfolio import WORKSTREAMS, portfolio, references_of

from pratique import Misuse, Reason, Status
from pratique.apps.triage import Wsjf, triage, wsjf_score
from pratique.quarantine import SqliteQuarantine

ROOT = HERE.parent
PREVIEW_CHARS = 4_000
REFERENCES = {"workstream": list(triage_run.WORKSTREAMS.values())}


# ---------------------------------------------------------------------- the reconstructions


def test_the_report_as_it_was_meant_is_sound() -> None:
    """Sixteen items in order of a score that follows from its components, ranks 1 to 16."""
    report = json.loads(triage_run.sound_run())
    items = report["recommendations"]
    assert [item["rank"] for item in items] == list(range(1, 17))
    scores = [wsjf_score(Wsjf(**item["wsjf"])) for item in items]
    assert scores == sorted(scores, reverse=True)
    assert all(abs(item["wsjf"]["score"] - score) < 0.01 for item, score in zip(items, scores, strict=True))


def test_the_report_as_it_was_meant_keeps_the_best_seven_without_a_note() -> None:
    """All that is said of it is that nine are over the limit."""
    admission = triage.admit(triage_run.sound_run(), references=REFERENCES)
    assert [value.rank for value in admission.values] == list(range(1, 8))
    assert {unit.reason for unit in admission.quarantined} == {Reason.OVER_LIMIT}
    assert [finding for unit in admission.units for finding in unit.findings] == []


@pytest.mark.parametrize("reply", [triage_run.lost_comma(), triage_run.cut_off()], ids=["lost comma", "cut off"])
def test_both_reconstructions_break_where_the_real_run_broke(reply: triage_run.Reply) -> None:
    """The message of the run of 2026-06-26, word for word."""
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads(reply.text)
    assert str(caught.value) == "Expecting ',' delimiter: line 136 column 22 (char 5268)"


def test_the_preview_that_was_kept_would_have_held_seven_items() -> None:
    """Seven whole items end before character 4,000, and the eighth does not."""
    ends = [found.end() for found in re.finditer(r"\n    \}", triage_run.sound_run())]
    assert ends[6] <= PREVIEW_CHARS < ends[7]
    assert ends[7] < triage_run.BREAK < ends[8]


def test_the_lost_comma_costs_no_unit() -> None:
    """The comma is the only thing that fits there: all sixteen are seen, and the edit is on the ninth."""
    reply = triage_run.lost_comma()
    admission = triage.admit(reply.text, references=REFERENCES, finish_reason=reply.finish_reason)
    assert [value.rank for value in admission.values] == list(range(1, 8))
    assert [unit.reason for unit in admission.quarantined] == [Reason.OVER_LIMIT] * 9
    assert not admission.truncated


def test_with_room_for_all_the_ninth_item_is_admitted_with_its_edit() -> None:
    """One comma was inserted, and nothing else differs from what was meant."""
    from pratique.apps.triage import triage_contract

    reply = triage_run.lost_comma()
    admission = triage_contract(max_items=16).admit(reply.text, references=REFERENCES)
    meant = triage_contract(max_items=16).admit(triage_run.sound_run(), references=REFERENCES)
    assert admission.values == meant.values
    assert admission.status is Status.CLEAN
    edited = {unit.value.rank: unit.edits for unit in admission.units if unit.edits}
    assert list(edited) == [9]
    ((edit,),) = edited.values()
    assert (edit.before, edit.after.strip()) == ("", ",")
    assert edit.span.start == triage_run.BREAK


def test_the_cut_costs_the_ninth_item_and_is_told() -> None:
    """Eight whole items; the best seven are kept, the eighth is over the limit, the ninth truncated."""
    reply = triage_run.cut_off()
    admission = triage.admit(reply.text, references=REFERENCES, finish_reason=reply.finish_reason)
    assert [value.rank for value in admission.values] == list(range(1, 8))
    assert [unit.reason for unit in admission.quarantined] == [Reason.OVER_LIMIT, Reason.TRUNCATED]
    assert admission.status is Status.PARTIAL
    assert admission.truncation is not None
    assert admission.truncation.offset == triage_run.BREAK
    assert (admission.truncation.told, admission.truncation.seen) == (True, True)


# ---------------------------------------------------------------------- the portfolio contract


def test_the_references_of_a_set_are_its_workstreams() -> None:
    """And another set's name is an error at once."""
    assert references_of("wind") == {"workstream": WORKSTREAMS["wind"]}
    with pytest.raises(KeyError):
        references_of("rain")


@pytest.mark.parametrize("form", ["array", "object", "object without summary", "ndjson"])
def test_one_contract_judges_all_three_forms(form: str) -> None:
    """The same two items in an array, in an object and as NDJSON: clean, and equal."""
    items = [
        {
            "rank": rank,
            "workstream_id": name,
            "action": "monitor",
            "title": "T",
            "rationale": "R.",
            "confidence": 1,
        }
        for rank, name in ((1, "alpha"), (2, "beta"))
    ]
    text = {
        "array": json.dumps(items),
        "object": json.dumps({"recommendations": items, "summary": "S."}),
        "object without summary": json.dumps({"recommendations": items}),
        "ndjson": "\n".join(json.dumps(item) for item in items),
    }[form]
    admission = portfolio.admit(text, references=references_of("logistics"))
    assert admission.status is Status.CLEAN
    assert [value.model_dump() for value in admission.values] == items


def test_a_reference_that_the_contract_does_not_declare_is_misuse() -> None:
    """So that an allow-list under a wrong name is not silently without effect."""
    with pytest.raises(Misuse):
        portfolio.admit("[]", references={"workstreams": ["alpha"]})


# ---------------------------------------------------------------------- the demo's files


def test_the_files_of_the_reconstructions_are_what_the_generator_makes() -> None:
    """Byte for byte."""
    for name, reply in (("run_lost_comma", triage_run.lost_comma()), ("run_cut_off", triage_run.cut_off())):
        assert (HERE / "replies" / f"{name}.txt").read_bytes() == reply.text.encode()


def test_the_demo_s_replies_are_cases_of_the_test_suite() -> None:
    """Same text, same model, same finish reason: the demo shows what the suite judges."""
    index = json.loads((HERE / "replies" / "replies.json").read_text(encoding="utf-8"))
    for entry in index:
        case = json.loads((ROOT / "tests" / "replies" / f"{entry['case']}.json").read_text(encoding="utf-8"))
        assert (HERE / "replies" / entry["file"]).read_bytes() == case["raw"].encode()
        assert [entry[key] for key in ("model", "finish_reason", "workstreams")] == [
            case[key] for key in ("model", "finish_reason", "workstreams")
        ]
    held = {path.name for path in (HERE / "replies").glob("*.txt")}
    assert held == {case.file.name for case in cases()}


def test_the_demo_s_allow_lists_are_those_of_the_contracts() -> None:
    """One identifier a line, as ``pratique check --references`` reads them."""
    for name, ids in {**WORKSTREAMS, "triage": tuple(triage_run.WORKSTREAMS.values())}.items():
        assert tuple((HERE / "workstreams" / f"{name}.txt").read_text(encoding="utf-8").split()) == ids


# ---------------------------------------------------------------------- the demo


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the demo of this process writes: others may run it at the same time."""
    return tmp_path_factory.mktemp("demo") / "made"


@pytest.fixture(scope="module")
def shown(folder: Path) -> str:
    """What the demo prints where there is no terminal."""
    environ = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "COLUMNS")}
    ran = subprocess.run(
        [sys.executable, "-m", "examples.demo", str(folder)],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        check=True,
        timeout=120,
    )
    assert ran.stderr == b""
    return ran.stdout.decode()


def test_the_demo_prints_no_colour_where_there_is_no_terminal(shown: str) -> None:
    """Not one escape character, whatever the replies hold."""
    assert "\x1b" not in shown


def test_no_line_of_the_demo_s_own_is_wider_than_its_width(shown: str) -> None:
    """What ``pratique`` prints has its own width; the table and the words keep theirs."""
    table = shown[shown.index("All replies") : shown.index("5  What was refused")]
    assert max(len(line) for line in table.splitlines()) <= demo.TABLE_CELLS
    typed = re.compile(r"pratique quarantine |^\$|^    --|u-[0-9a-f]{8} ")
    assert max(len(line) for line in shown.splitlines() if not typed.search(line)) <= 200


def test_the_demo_shows_each_reply_and_the_two_errors(shown: str) -> None:
    """Every case has its row."""
    table = shown[shown.index("All replies") :]
    for case in cases():
        assert re.search(rf"^\s*{case.name} ", table, re.MULTILINE), case.name


def test_the_demo_replays_a_group_once(shown: str, folder: Path) -> None:
    """The dry run and the real one say the same, and the values are handed out."""
    said = re.findall(r"admit(?:ted)? (\d+) of (\d+) records", shown)
    assert len(said) == 2
    assert said[0] == said[1]
    assert len((folder / "admitted.ndjson").read_text(encoding="utf-8").splitlines()) == int(said[0][0])
    with SqliteQuarantine(folder / "quarantine.db") as store:
        assert store.stats().by_state["admitted"] == int(said[0][0])


def test_the_whole_document_way_keeps_all_or_nothing() -> None:
    """It keeps what is clean and well-formed, and never a part."""
    for case in cases():
        kept, why = whole_document(case)
        admission = case.admit()
        assert bool(kept) != bool(why)
        assert kept <= admission.counts["admitted"]
        assert kept in (0, admission.counts["seen"])


def test_the_demo_says_the_same_twice(
    shown: str, folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No order of a set, nothing by chance but the name of a replay; how old a record is depends on the clock."""
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)
    assert demo.main(folder) == 0
    assert _ageless(capfd.readouterr().out) == _ageless(shown)


def _ageless(text: str) -> str:
    """Leave out how old a record is, and the name of a replay, of which there is one each time."""
    return re.sub(r"\br-[0-9a-f]+\b", "r-0", re.sub(r"\b\d+s\b", "0s", text))


def test_the_demo_s_files_are_found_from_any_directory(tmp_path: Path) -> None:
    """It can be started from elsewhere, too."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [sys.executable, "-m", "examples.demo", str(tmp_path / "made")],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr.decode()
