"""The comparison's judge is right, its watchdog works, and its adapters read what they are given.

The peers below are fakes that misbehave on command; the worker process imports them from this very file.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import pytest
from bench.peers.environments import ROOT, variables
from bench.peers.page import BEGIN, END, Page, best_of_each_package, short_table, tables, write_page
from bench.peers.peer import HERE, Answer, Document, Peer, Read, as_object, chunked
from bench.peers.process import Fate, Reply, Worker
from bench.peers.trial import Case, Tally, cases, large_reports, reading_of, units_in
from bench.peers.unit import Unit as PeersUnit
from bench.survival import Conditions, Suite, all_peers, chosen, main, page_of, run_peer, told
from bench.survival_plot import rows

from damage.kind import Damaged
from damage.report import Report, Style, Unit, make_report
from pratique import Misuse, Outage

MEMORY_BYTES = 1 << 30
START_S = 60.0
PATIENT_S = 60.0
IMPATIENT_S = 0.3


def _misbehaving() -> Read:
    def read(document: Document) -> Answer:
        text = document.text
        if text == "hang":
            while True:
                pass
        if text == "die":
            os.kill(os.getpid(), signal.SIGSEGV)
        if text == "print":
            print("noise that must not reach the judge")
        if text == "fill":
            return Answer([bytearray(1 << 20) for _ in range(4_096)])
        if text == "raise":
            raise KeyError("no such thing")
        if text == "deep":
            deep: list[Any] = []
            for _ in range(100_000):
                deep = [deep]
            return Answer([{"rank": 1}, deep, float("nan"), {1, 2}])
        if text == "log":
            return Answer([], log=lambda: True)
        return Answer([text, isinstance(document.raw, bytes), document.bare])

    return read


def _never_opens() -> Read:
    raise ImportError("half of it is missing")


PEERS = tuple(
    Peer(name=name, package="", environment=HERE, call="", needs=(), open=opened)
    for name, opened in {"misbehaving": _misbehaving, "never opens": _never_opens}.items()
)


def _worker(folder: Path, name: str = "misbehaving") -> Worker:
    command = [sys.executable, "-m", "bench.peers.worker", "unit.test_bench_survival", name, str(MEMORY_BYTES)]
    return Worker(command, folder=ROOT, environment=variables(), log=folder / "worker.log", start_s=START_S)


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Worker]:
    with _worker(tmp_path) as started:
        yield started


def _ask(worker: Worker, text: str | bytes, *, timeout_s: float = PATIENT_S) -> Reply:
    return worker.ask(text, bare=False, timeout_s=timeout_s)


def _case(**changes: Any) -> Case:
    report = make_report(Random(7), units=5, style=Style.SPACED)
    damaged = Damaged(text=report.text, kind="valid", untouched=tuple(range(5)))
    return Case("valid", report, replace(damaged, **changes))


def _judged(value: Any, *, told: bool = False, logged: bool = False) -> Tally:
    tally = Tally("fake")
    tally.add(_case(), Reply(Fate.ANSWERED, value, told, logged, seconds=0.001))
    return tally


def _plain_report() -> Report:
    """Make a report whose strings upset nobody."""
    report = make_report(Random(3), units=4, style=Style.COMPACT)
    units = tuple({**unit, "why": f"reason number {unit['rank']}"} for unit in report.units)
    return Report({"summary": "four of them", "complete": True}, units, Style.COMPACT, ascii_only=True)


# The judge


def test_a_peer_that_gives_back_all_scores_perfectly() -> None:
    """All units, unaltered: full recall, nothing made up, nothing silent, no false alarm."""
    tally = _judged({"recommendations": list(_case().report.truth)})
    score = tally.total()
    assert (score.recalled, score.fabricated, score.silent) == (5, 0, 0)
    assert (tally.accepted, tally.false_alarms, tally.fabrication) == (5, 0, 0.0)


def test_a_unit_that_nobody_wrote_is_counted() -> None:
    """A peer that alters one unit has made up one of five, and its loss was silent."""
    first, *others = _case().report.truth
    tally = _judged([{**first, "owner": "nobody"}, *others])
    assert (tally.total().fabricated, tally.total().recalled, tally.total().silent) == (1, 4, 1)
    assert tally.fabrication == pytest.approx(20.0)


def test_a_loss_without_a_word_is_silent() -> None:
    """A peer that drops a unit and says nothing is silent; one that tells is not."""
    kept = list(_case().report.truth)[1:]
    assert _judged(kept).total().silent == 1
    assert _judged(kept, told=True).total().silent == 0
    assert _judged(kept, told=True).total().recalled == 4


def test_a_log_that_must_be_asked_for_is_credit_and_told_apart() -> None:
    """A loss that stands in a log only is not silent; it is counted for those who do not read the log."""
    kept = list(_case().report.truth)[1:]
    logged = _judged(kept, logged=True)
    assert (logged.total().silent, logged.silent_but_for_the_log) == (0, 1)
    assert _judged(kept).silent_but_for_the_log == 0


def test_a_lucky_guess_is_told_apart_from_recall() -> None:
    """A damaged unit that came back as it was meant is neither recall nor made up: it is a guess, and right."""
    tally = Tally("fake")
    tally.add(_case(untouched=(0, 1, 2, 3)), Reply(Fate.ANSWERED, list(_case().report.truth), told=True))
    assert (tally.total().recalled, tally.total().fabricated, tally.guessed_right) == (4, 0, 1)


def test_a_word_without_a_loss_is_a_false_alarm() -> None:
    """A peer that warns although all came back is told to have warned."""
    assert _judged(list(_case().report.truth), told=True).false_alarms == 1


@pytest.mark.parametrize("wrap", ["report", "list", "reports", "wrapped", "lines"])
def test_every_form_of_answer_has_credit(wrap: str) -> None:
    """A report, a list, a list of reports, a wrapped report, units behind an envelope: all are read."""
    truth = list(_case().report.truth)
    value = {
        "report": {"summary": "s", "recommendations": truth, "complete": True},
        "list": truth,
        "reports": [{"recommendations": truth[:2]}, {"recommendations": truth[2:]}],
        "wrapped": {"result": {"data": {"recommendations": truth}}},
        "lines": [{"summary": "s", "complete": True}, *truth],
    }[wrap]
    tally = _judged(value)
    assert (tally.total().recalled, tally.total().silent) == (5, 0)


def test_one_bare_unit_is_a_unit() -> None:
    """A unit on its own, or in the place of the list, is one unit."""
    unit = _case().report.truth[0]
    assert list(units_in(unit)) == [unit]
    assert list(units_in({"recommendations": unit})) == [unit]


@pytest.mark.parametrize(
    "changes",
    [{"rank": "1"}, {"rank": 0}, {"blocked": None}, {"extra": 1}, {"action": "ship"}, {"why": float("nan")}],
    ids=["text for a number", "out of range", "null", "one more key", "out of vocabulary", "not finite"],
)
def test_what_is_no_unit_is_refused_and_counts_as_told(changes: dict[str, Any]) -> None:
    """The judge validates strictly; what it refuses is neither made up nor silent."""
    first, *others = _case().report.truth
    tally = _judged([{**first, **changes}, *others])
    assert (tally.total().fabricated, tally.total().silent, tally.accepted) == (0, 0, 4)


@pytest.mark.parametrize("value", [None, "", 3, True])
def test_an_answer_that_is_no_container_is_no_silence(value: Any) -> None:
    """Nobody mistakes None or a text for a report: it counts as told."""
    assert reading_of(Reply(Fate.ANSWERED, value, told=False)).told


def test_an_empty_list_is_silence() -> None:
    """A peer that returns an empty list for five units and says nothing is silent."""
    assert _judged([]).total().silent == 1


def test_the_documents_are_the_same_for_the_same_seed() -> None:
    """Every peer and every run gets the same bytes; another seed makes others."""
    first, second = list(cases(1, 5)), list(cases(1, 5))
    assert first == second
    assert first != list(cases(1, 6))


def test_the_large_reports_hold_what_they_claim() -> None:
    """The broken report lacks one comma in each of its broken units; the cut one ends inside a unit."""
    sound, broken, cut = large_reports(5)
    assert len(json.loads(sound.text)["recommendations"]) == sound.whole
    assert len(sound.text) - len(broken.text) == sound.whole - broken.whole
    assert sound.text.startswith(cut.text)
    with pytest.raises(ValueError, match="delimiter"):
        json.loads(broken.text)


def test_the_peers_unit_is_the_contracts_unit() -> None:
    """The unit that peers validate with has the same JSON Schema as the oracle's."""

    def bare(schema: Any) -> Any:
        if isinstance(schema, dict):
            return {
                key: bare(part) for key, part in schema.items() if key not in ("description", "additionalProperties")
            }
        return [bare(part) for part in schema] if isinstance(schema, list) else schema

    assert bare(PeersUnit.model_json_schema()) == bare(Unit.model_json_schema())


# The watchdog


def test_a_hang_is_killed_and_the_next_document_is_answered(worker: Worker) -> None:
    """A peer that never answers is told as hung, its process is killed, a new one serves."""
    assert _ask(worker, "hello").value == ["hello", False, False]
    assert _ask(worker, "hang", timeout_s=IMPATIENT_S).fate is Fate.HUNG
    assert _ask(worker, "again").value == ["again", False, False]
    assert worker.starts == 2


def test_a_death_is_told_and_the_next_document_is_answered(worker: Worker) -> None:
    """A peer whose process ends by a signal is told as died; a new one serves."""
    assert _ask(worker, "die").fate is Fate.DIED
    assert _ask(worker, "again").fate is Fate.ANSWERED
    assert worker.starts == 2


def test_an_exception_is_an_answer(worker: Worker) -> None:
    """What a peer raises is told by name, and its process lives on."""
    reply = _ask(worker, "raise")
    assert (reply.fate, reply.raised, reply.told) == (Fate.ANSWERED, "KeyError", True)
    assert worker.starts == 1


def test_a_peer_may_not_take_all_memory(worker: Worker) -> None:
    """Beyond the cap an allocation fails, and that is the peer's answer."""
    assert _ask(worker, "fill").raised == "MemoryError"


def test_what_a_peer_prints_is_no_answer(worker: Worker) -> None:
    """Noise on standard output does not disturb the line between judge and peer."""
    assert _ask(worker, "print").value == ["print", False, False]
    assert _ask(worker, "next").value == ["next", False, False]


def test_an_answer_that_is_not_json_is_handed_on_in_part(worker: Worker) -> None:
    """What is too deep or of no JSON type is marked, and what stands beside it still counts."""
    reply = _ask(worker, "deep")
    assert reply.fate is Fate.ANSWERED
    assert reply.value[0] == {"rank": 1}


def test_a_log_is_asked_for(worker: Worker) -> None:
    """An adapter's log is read behind the clock and told apart from the answer."""
    reply = _ask(worker, "log")
    assert (reply.told, reply.logged) == (False, True)


def test_bytes_arrive_as_bytes(worker: Worker) -> None:
    """A delivery in bytes reaches the adapter as bytes, and as text with replacement."""
    assert _ask(worker, b"\xff!").value == ["�!", True, False]


def test_a_peer_that_cannot_be_opened_has_a_reason(tmp_path: Path) -> None:
    """A process that ends before it is ready is an outage that says why."""
    with _worker(tmp_path, "never opens") as broken, pytest.raises(Outage, match="half of it is missing"):
        broken.start()


def test_a_missing_environment_has_a_remedy(tmp_path: Path) -> None:
    """A peer without its environment is in the tables with the reason, and nothing is raised."""
    module, peer = chosen(["guardrails-ai"])[0]
    tally = run_peer(module, peer, Suite((), (), ()), Conditions(tmp_path))
    assert "--install" in tally.reason


# What is asked for, and what is written


def test_an_unknown_peer_is_misuse(capsys: pytest.CaptureFixture[str]) -> None:
    """A name that no peer has ends with exit code 2 and the names there are."""
    assert main(["--only", "json_repaire"]) == 2
    assert "'json_repair strict'" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--per-kind", "0"], ["--jobs", "0"], ["--hang-s", "0"], ["--json", "/no/such/f"]])
def test_what_would_lose_a_run_is_refused_before_it(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A count of none, and a file that cannot be written, end with exit code 2 and the option's name."""
    assert main(option) == 2
    assert option[0] in capsys.readouterr().err


def test_every_figure_is_plain_json() -> None:
    """What ``--json`` writes can be read again, exceptions by name included."""
    tally = _judged(list(_case().report.truth))
    tally.add(_case(), Reply(Fate.ANSWERED, None, told=True, raised="KeyError"))
    again = json.loads(json.dumps(told(_page(tally))))
    assert again["peers"][0]["raised"] == {"KeyError": 1}
    assert again["peers"][0]["recall"] == 50.0


def test_figures_written_down_make_the_same_page() -> None:
    """Tables made from the JSON of a run are those of the run."""
    tally = _judged(list(_case().report.truth)[1:], logged=True)
    tally.large["sound"] = (12.5, 1_000, 1_000)
    tally.hostile["open brackets"] = "hung"
    page = _page(tally)
    assert tables(page_of(json.loads(json.dumps(told(page))))) == tables(page)


def test_a_file_without_figures_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another file in the place of a run's figures ends with exit code 2; the page stays."""
    other = tmp_path / "other.json"
    other.write_text('{"peers": [{}]}', encoding="utf-8")
    assert main(["--again", str(other)]) == 2
    assert "holds no figures" in capsys.readouterr().err


def test_names_are_told_apart() -> None:
    """No two peers share a name, and there are at least fifteen packages beside ours."""
    peers = [peer for _, peer in all_peers()]
    assert len({peer.name for peer in peers}) == len(peers)
    assert len({peer.package for peer in peers} - {"pratique", ""}) >= 15


def _page(*tallies: Tally) -> Page:
    return Page(
        tallies, documents=1, per_kind=1, seed=5, machine="a machine", date="today", hang_s=5.0, memory_mib=4_096
    )


def test_the_best_configuration_is_the_one_with_the_highest_recall() -> None:
    """Of one package the short table shows one row."""
    truth = list(_case().report.truth)
    good, worse = _judged(truth), _judged(truth[1:])
    good.name, worse.name = "p good", "p worse"
    good.package = worse.package = "p"
    page = _page(worse, good)
    assert best_of_each_package(page) == [good]
    assert "p good" in short_table(page)
    assert "p worse" not in short_table(page)


def test_what_stands_outside_the_markers_stays(tmp_path: Path) -> None:
    """The script writes between its markers; a second run changes nothing else."""
    path = tmp_path / "page.md"
    path.write_text(f"by hand\n{BEGIN}\nold\n{END}\nby hand, too\n", encoding="utf-8")
    absent = Tally("absent", reason="it has no wheel")
    page = _page(_judged(list(_case().report.truth)), absent)
    write_page(page, path)
    once = path.read_text(encoding="utf-8")
    write_page(page, path)
    assert path.read_text(encoding="utf-8") == once
    assert once.startswith("by hand\n")
    assert once.endswith("by hand, too\n")
    assert "old\n" not in once
    assert "it has no wheel" in once


def test_a_page_without_markers_is_misuse(tmp_path: Path) -> None:
    """A page that has lost its markers is not overwritten."""
    path = tmp_path / "page.md"
    path.write_text("by hand\n", encoding="utf-8")
    with pytest.raises(Misuse, match="markers"):
        write_page(_page(), path)
    assert path.read_text(encoding="utf-8") == "by hand\n"


def test_no_name_lies_on_another_in_the_plot() -> None:
    """However close the points, the names keep their order and their distance, and stay in the plane."""
    heights = rows([100.0, 99.0, 99.0, 50.0, 3.0, 2.0, 1.0, 1.0], least=4.0, lowest=0.0)
    assert all(upper - lower >= 4.0 for upper, lower in itertools.pairwise(heights))
    assert heights[-1] == 0.0
    assert heights[3] == 50.0


# The adapters


INSTALLED = [peer for _, peer in all_peers() if all(find_spec(module) for module in peer.needs)]


def test_the_adapters_of_the_base_are_among_those_that_are_run_here() -> None:
    """The tests below are not empty: what needs no more than our own dependencies is in them."""
    names = {peer.name for peer in INSTALLED}
    assert {"pratique", "raw_decode scan by hand", "json (stdlib)", "jiter partial (openai SDK)"} <= names
    assert "pydantic allow_partial" in names


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value, default=lambda model: model.model_dump()))


@pytest.mark.parametrize("peer", INSTALLED, ids=lambda peer: peer.name)
@pytest.mark.parametrize("bare", [False, True], ids=["report", "bare list"])
def test_an_adapter_gives_a_sound_document_back_whole(peer: Peer, bare: bool) -> None:
    """A sound report, and a sound list without an envelope, come back unit by unit and without a word."""
    report = _plain_report()
    text = json.dumps(list(report.units)) if bare else report.text
    answer = peer.open()(Document(text, text, bare=bare))
    reading = reading_of(Reply(Fate.ANSWERED, _plain(answer.value), answer.told))
    assert reading.values == report.truth
    assert not reading.told
    assert answer.log is None or not answer.log()


@pytest.mark.parametrize("peer", INSTALLED, ids=lambda peer: peer.name)
def test_an_adapter_keeps_the_whole_units_of_a_cut_document_or_raises(peer: Peer) -> None:
    """Cut inside its last unit, a report gives the three whole ones, or an exception: the adapter eats neither."""
    report = _plain_report()
    text = report.text[: report.spans[3].start + 40]
    read = peer.open()
    if peer.name in ("json (stdlib)", "pydantic-ai"):  # they read whole documents
        with pytest.raises((ValueError, RuntimeError), match=r"."):
            read(Document(text, text))
        return
    reading = reading_of(Reply(Fate.ANSWERED, _plain(read(Document(text, text)).value), told=False))
    assert reading.values[:3] == report.truth[:3]


def test_a_bare_list_is_put_under_the_key_for_those_that_read_objects() -> None:
    """A peer that reads objects only gets a bare list as an object; a report is left as it is."""
    assert json.loads(as_object(Document("[1]", "[1]", bare=True))) == {"recommendations": [1]}
    assert as_object(Document("{}", "{}")) == "{}"


def test_chunks_make_up_the_text() -> None:
    """A streaming peer gets every character once, in a bounded number of pieces."""
    for length in (0, 1, 16, 1_000, 100_000):
        pieces = chunked("x" * length)
        assert "".join(pieces) == "x" * length
        assert len(pieces) <= 64
