"""The replies of the field report, each with the verdict that a reader gave before any contract had.

The judgements follow a careful person, not the rules and not the code. Where the boundary differs, the
judgement says so under ``differs``, and what the boundary says instead: a difference that goes away fails
here as well, and is then to be taken out of the record.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest
from bench import field
from examples.portfolio import WORKSTREAMS

from pratique import Misuse

KINDS = {"meaning", "rule", "telling"}

each_reply = pytest.mark.parametrize("id", list(field.judgements()))
each_difference = pytest.mark.parametrize("id", [id for id, told in field.judgements().items() if told.kind])


# ------------------------------------------------------------------ the verdicts


@each_reply
def test_a_reply_gets_the_verdict_that_the_reader_gave_or_the_difference_that_is_told(id: str) -> None:
    """Status, cut, admitted units and reasons; with a difference the number of quarantined units, too."""
    judgement = field.judgements()[id]
    found = field.verdict_of(field.admissions()[id])
    if judgement.kind:
        assert found == judgement.found
    else:
        assert field.agrees(judgement, found), found


@each_difference
def test_a_difference_that_is_told_is_one(id: str) -> None:
    """In the verdict; or, where only what is told about it differs, not in the verdict."""
    judgement = field.judgements()[id]
    assert judgement.kind in KINDS
    assert judgement.differs
    assert field.agrees(judgement, judgement.found) == (judgement.kind == "telling")


@each_reply
def test_what_the_reader_admitted_stands_in_the_reply(id: str) -> None:
    """Each rank and name of the judgement is in the raw text, and the name is one of the question."""
    reply = field.sample()[id]
    for rank, name in field.judgements()[id].verdict.admitted:
        assert name in WORKSTREAMS[reply.workstreams]
        assert f'"{name}"' in reply.raw
        assert f'"rank": {rank},' in reply.raw or f"rank: {rank}," in reply.raw


@each_reply
def test_what_was_admitted_of_a_field_reply_is_what_strict_json_reads_in_its_place(id: str) -> None:
    """Nothing is invented, and nothing had to be edited."""
    raw = field.sample()[id].raw
    for unit in field.admissions()[id].units:
        assert not unit.edits
        assert json.loads(raw[unit.span.start : unit.span.end]) == unit.value.model_dump(exclude_unset=True)


@each_reply
def test_every_character_of_a_field_reply_has_one_owner(id: str) -> None:
    """The claims follow each other without gap or overlap, from the first character to the last."""
    at = 0
    for claim in field.admissions()[id].account():
        assert claim.span.start == at
        at = claim.span.end
    assert at == len(field.sample()[id].raw)


def test_two_checks_in_the_contract_refuse_what_only_a_reader_refused() -> None:
    """With them the boundary parts from the reader on the rule about bare keys alone."""
    parted = {
        id
        for id, judgement in field.judgements().items()
        if not field.agrees(judgement, field.verdict_of(field.admissions("careful")[id]))
    }
    assert parted == {id for id, judgement in field.judgements().items() if judgement.kind == "rule"}


def test_another_verdict_is_no_agreement() -> None:
    """Status, cut, units and reasons each count."""
    judgement = field.judgements()["r071"]
    want = judgement.verdict
    assert field.agrees(judgement, want)
    assert not field.agrees(judgement, replace(want, status="clean"))
    assert not field.agrees(judgement, replace(want, truncated=not want.truncated))
    assert not field.agrees(judgement, replace(want, admitted=()))
    assert not field.agrees(judgement, replace(want, reasons=want.reasons | {"conflict"}))
    assert not field.agrees(judgement, replace(want, reasons=frozenset()))
    assert not field.agrees(replace(judgement, among=True), replace(want, reasons=want.reasons | {"conflict"}))


# ------------------------------------------------------------------ the sample


def test_a_hundred_replies_and_more_were_judged_each_once_and_each_with_a_reason() -> None:
    """No reply of the sample is left out, and none is judged that is not in it."""
    assert len(field.sample()) >= 100
    assert list(field.sample()) == list(field.judgements())
    assert all(judgement.why and judgement.came for judgement in field.judgements().values())
    assert len(field.judgements()) == len(field.JUDGEMENTS.read_text(encoding="utf-8").splitlines())


def test_every_reply_has_its_prompt() -> None:
    """What was asked is kept beside what came."""
    prompts = {json.loads(line)["id"] for line in field.PROMPTS.read_text(encoding="utf-8").splitlines()}
    assert {reply.prompt for reply in field.sample().values()} == prompts


RECORDS = [
    {"model": model, "kind": kind, "api": "chat", "finish_reason": reason}
    for model, kind, reason, count in (
        ("small", "array", "stop", 40),
        ("small", "array", "length", 9),
        ("small", "lines", "stop", 1),
        ("large", "array", "stop", 30),
    )
    for _ in range(count)
]


def _strata(places: list[int]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(RECORDS[place].values()) for place in places)


@pytest.mark.parametrize("size", [4, 5, 7, 20, 79])
def test_a_draw_holds_every_stratum_and_as_many_replies_as_asked(size: int) -> None:
    """Also a stratum of one."""
    drawn = field.draw(RECORDS, size=size)
    assert len(set(drawn)) == len(drawn) == size
    assert len(_strata(drawn)) == 4


def test_a_draw_is_the_same_for_the_same_seed_and_another_for_another() -> None:
    """So that anybody can draw it again."""
    assert field.draw(RECORDS, size=20) == field.draw(RECORDS, size=20)
    assert field.draw(RECORDS, size=20, seed=1) != field.draw(RECORDS, size=20, seed=2)


def test_a_draw_takes_all_where_all_fit() -> None:
    """Nothing is left out without need."""
    assert field.draw(RECORDS, size=80) == list(range(80))


def test_a_draw_smaller_than_its_strata_is_refused() -> None:
    """With how many are needed."""
    with pytest.raises(Misuse, match="draw at least 4"):
        field.draw(RECORDS, size=3)


# ------------------------------------------------------------------ the report


def test_the_field_report_shows_what_the_script_prints() -> None:
    """Date and machine apart; when it is stale, run ``python -m bench.field``."""
    page = field.PAGE.read_text(encoding="utf-8")
    assert field.undated(field.written(page)) == field.undated(page), "stale: run python -m bench.field"
    assert field.written(page.replace("| all |", "| none |")) != page.replace("| all |", "| none |")


def test_a_figure_that_nobody_prints_is_refused() -> None:
    """A marker with a slip in it would stay empty for good."""
    with pytest.raises(Misuse, match="no figure is called 'tabels'"):
        field.written("<!-- field: tabels -->\n<!-- end -->\n")


def test_what_was_between_the_markers_is_replaced_and_the_markers_stay() -> None:
    """Writing twice changes nothing more."""
    page = "before\n<!-- field: fidelity -->\nold\n<!-- end -->\nafter\n"
    once = field.written(page)
    assert "old" not in once
    assert once.endswith("\n<!-- end -->\nafter\n")
    assert field.written(once) == once
