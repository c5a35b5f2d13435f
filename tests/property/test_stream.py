"""Law: a stream gives the verdict of the whole delivery, whatever its pieces, and takes back nothing it handed out.

Whatever the chunks, ``close`` gives what ``contract.admit`` gives on the whole text, and the units handed out before
are, in order and unchanged, the first of its units. One exception is meant: a delivery that is refused as a whole
after units of it went out keeps those and admits nothing after them.

Each corpus case is cut at every place, in even pieces and at random, for its own contract and for the same contract
made to release early. Where that would be too much for a test, the places are sampled, always the same ones: single
cuts of a text longer than ``MAX_SINGLE_CUTS`` are taken at even distances, the sweeps at every n-th case.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from random import Random
from typing import Any

import pytest

from corpus.cases import CASES, Case
from corpus.contracts import CONTRACTS
from damage.kinds import KINDS, Damaged
from damage.readers import contract_for
from damage.report import WITH_ENVELOPE, Report, Style, contract_of, make_report
from damage.sweeps import cuts, insertions, lost_characters, lost_stretches, small_reports
from pratique import Admission, Chunk, Contract, Delivery, Locality, Provisional, Stream
from pratique.boundary.delivery import Stop

MAX_SINGLE_CUTS = 400
"""Single cuts of one text under its early contract; a longer text is cut at even distances."""
MAX_HELD_CUTS = 20
"""The same under a contract that holds its units: there the pieces are only put together."""
SIZES = (1, 2, 3, 7, 16, 64)
RANDOM_CUTS = 50
DAMAGE_SEEDS = 5
SWEEP_SIZES = (1, 7, 64)
REFUSING = (Stop.DECLINED, Stop.FAILED, Stop.UNKNOWN)

Piece = str | bytes | Chunk


def early(contract: Contract[Any]) -> Contract[Any]:
    """Return the same contract, made to release its units as they come."""
    return Contract(replace(contract.terms, frames="first", keep="first", order_by=None))


# ---------------------------------------------------------------------- cutting


def _joined(text: Any, places: Iterable[int]) -> list[Any]:
    """Cut at places, in order."""
    marks = [0, *places, len(text)]
    return [text[start:end] for start, end in pairwise(marks)]


def _even(text: Any, size: int) -> list[Any]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _single_cuts(text: Any, many: int) -> Iterator[list[Any]]:
    step = max(1, -(-(len(text) + 1) // many))
    for at in range(0, len(text) + 1, step):
        yield _joined(text, [at])


def _random_cuts(text: Any, rng: Random, many: int = RANDOM_CUTS) -> Iterator[list[Any]]:
    for _ in range(many):
        places = sorted(rng.choices(range(len(text) + 1), k=rng.randint(1, 12)))
        yield _joined(text, places)


def chunkings(source: str | bytes | Delivery, *, many: int, rng: Random) -> Iterator[list[Piece]]:
    """Yield the ways in which a delivery comes: text and bytes cut anywhere, calls with their arguments cut."""
    if isinstance(source, Delivery):
        for at in range(0, len(source.body) + 1, max(1, len(source.body) // many)):
            yield _delivered(source, lambda text, at=at: _joined(text, [min(at, len(text))]))
        for size in SIZES:
            yield _delivered(source, lambda text, size=size: _even(text, size))
        for _ in range(RANDOM_CUTS):
            yield _delivered(source, lambda text: next(_random_cuts(text, rng, 1)))
        return
    text = source.decode("utf-8", "surrogateescape") if isinstance(source, bytes) else source
    yield from _single_cuts(source, many)
    if isinstance(source, bytes):
        for at, one in enumerate(_single_cuts(text, many)):
            if at % 5 == 0 or not source.isascii():
                yield one
    for size in SIZES:
        yield _even(text, size)
        if isinstance(source, bytes):
            yield _even(source, size)
    yield from _random_cuts(source, rng, RANDOM_CUTS // 2)
    yield from _random_cuts(text, rng, RANDOM_CUTS // 2)


def _delivered(delivery: Delivery, cut: Any) -> list[Piece]:
    """Cut a delivery with tool calls as a provider sends it."""
    chunks = [Chunk(text=piece) for piece in cut(delivery.text)]
    for place, call in enumerate(delivery.tool_calls):
        chunks.append(Chunk(call=place, name=call.name, id=call.id))
        chunks += [Chunk(call=place, arguments=piece) for piece in cut(call.arguments)]
        chunks.append(Chunk(call=place, done=True))
    return [*chunks, Chunk(finish_reason=delivery.finish_reason)]


def _in_pieces(source: str | bytes | Delivery, size: int) -> list[Any]:
    return _delivered(source, lambda text: _even(text, size)) if isinstance(source, Delivery) else _even(source, size)


# ---------------------------------------------------------------------- the law


def _dicts(units: Iterable[Any]) -> list[Any]:
    return [unit.to_dict() for unit in units]


def _streamed(stream: Stream[Any], chunks: Iterable[Piece], finish_reason: str | None) -> tuple[list[Any], Any]:
    handed = [unit for chunk in chunks for unit in stream.feed(chunk)]
    return handed, stream.close(finish_reason=finish_reason)


def _is_refused(whole: Admission[Any]) -> bool:
    """Say whether the delivery is refused as a whole, by what is known only at its end."""
    too_large = any(finding.code == "delivery.too_large" for finding in whole.findings)
    return too_large or whole.delivery.stop in REFUSING


class Law:
    """Hold streams of one delivery to its verdict in one piece."""

    def __init__(self, contract: Contract[Any], source: str | bytes | Delivery, **call: Any) -> None:
        self.contract = contract
        self.references = call.get("references")
        told = {} if isinstance(source, Delivery) else {"finish_reason": call.get("finish_reason")}
        self.finish_reason = told.get("finish_reason")
        self.whole = contract.admit(source, references=self.references, **told)
        self.verdict = self.whole.to_dict()
        self.units = _dicts(self.whole.units)
        self.refused = _is_refused(self.whole)

    def hold(self, chunks: Sequence[Piece]) -> int:
        """Check one way of coming; return how many units were handed out before the end."""
        stream = self.contract.stream(references=self.references)
        handed, admission = _streamed(stream, chunks, self.finish_reason)
        if self.refused:
            self._hold_refused(handed, admission)
        else:
            assert _dicts(handed) == self.units[: len(handed)]
            assert admission.to_dict() == self.verdict
        if not self.contract.release.early:
            assert handed == []
        return len(handed)

    def _hold_refused(self, handed: list[Any], admission: Admission[Any]) -> None:
        assert _dicts(admission.units) == _dicts(handed)
        assert {finding.code for finding in self.whole.findings} <= {finding.code for finding in admission.findings}
        late = "stream.stopped_late" in {finding.code for finding in admission.findings}
        assert late is bool(handed)
        if not handed:
            assert (admission.status, admission.counts) == (self.whole.status, self.whole.counts)


def _contracts(case: Case) -> list[tuple[str, Contract[Any]]]:
    contract = CONTRACTS[case.contract]
    if contract.terms.locality is not Locality.ITEM:
        return [("as it is", contract)]
    return [("as it is", contract), ("early", early(contract))]


RUNS = [
    pytest.param(case, contract, id=f"{case.name}, {name}") for case in CASES for name, contract in _contracts(case)
]


@pytest.mark.parametrize(("case", "contract"), RUNS)
def test_every_corpus_case_gets_one_verdict_whatever_its_pieces(case: Case, contract: Contract[Any]) -> None:
    """Cut once at every place, in even pieces, at random; as text and as bytes; calls by their arguments."""
    law = Law(contract, case.delivery(), **case.call)
    many = MAX_SINGLE_CUTS if contract.release.early else MAX_HELD_CUTS
    for chunks in chunkings(case.delivery(), many=many, rng=Random(case.name)):
        law.hold(chunks)


def test_the_corpus_hands_units_out_early() -> None:
    """The law is not kept by handing out nothing: most of what is admitted comes before the end."""
    handed = admitted = 0
    for case in CASES:
        contract = CONTRACTS[case.contract]
        if contract.terms.locality is Locality.ITEM and case.call.get("tool_calls") is None:
            law = Law(early(contract), case.raw, **case.call)
            handed += 0 if law.refused else law.hold(_even(case.raw, 1))
            admitted += 0 if law.refused else len(law.units)
    assert handed > admitted / 2


# ---------------------------------------------------------------------- damage


@pytest.mark.parametrize("name", sorted(KINDS))
def test_damaged_reports_get_one_verdict(name: str) -> None:
    """Every kind of damage, in pieces of several sizes."""
    for seed in range(DAMAGE_SEEDS):
        rng = Random(f"{name} {seed}")
        damaged = KINDS[name](make_report(rng), rng)
        law = Law(early(contract_for(damaged)), damaged.text)
        for size in (1, 3, 16, 64, 300, 5_000):
            law.hold(_even(damaged.text, size))
        for chunks in _random_cuts(damaged.text, rng, 3):
            law.hold(chunks)


SWEEPS: dict[str, tuple[Callable[[Report], Iterator[Damaged]], int]] = {
    "cuts": (cuts, 23),
    "lost": (lost_characters, 23),
    "inserted": (insertions, 47),
    "gaps": (lost_stretches, 47),
}


@pytest.mark.parametrize("sweep", sorted(SWEEPS))
@pytest.mark.parametrize("style", tuple(Style))
def test_swept_reports_get_one_verdict(sweep: str, style: Style) -> None:
    """Every n-th cut, lost character, inserted character and lost stretch of a small report."""
    make, every = SWEEPS[sweep]
    report = next(report for report in small_reports() if report.style is style)
    for number, damaged in enumerate(islice(make(report), 0, 6_000, every)):
        law = Law(early(contract_for(damaged)), damaged.text)
        law.hold(_even(damaged.text, SWEEP_SIZES[number % len(SWEEP_SIZES)]))


# ---------------------------------------------------------------------- deliveries nobody would write


def _item(rank: int, why: str = "w") -> str:
    return json.dumps({"rank": rank, "action": "park", "why": why})


_JUNK = (
    " ", "\n", "  \n", ",", ", ,", "/* c */", "// c\n", "...", "…", "}", "]", "}}", "x", '"x"', "5", "null", "[1]",
    "{}", "```", "```\n", "</think>", "<think>", "\ufeff", '{"rank": ', '"rank": 3,', '{"summary": "z"}',
    '], "summary": "q"', "\n\nand so on\n\n", "é", "\x00", "\ud800",
)  # fmt: skip
_FRAMES = {
    "report": [
        ('{"summary": "s", "recommendations": [', "]}"),
        ('{"summary": "s"}\n', ""),
        ('{"recommendations": [', '], "summary": "t"}'),
    ],
    "list": [("[", "]"), ("", ""), ("see [", "] and so"), ("```json\n[\n", "\n]\n```")],
    "pointer": [('{"data": {"items": [', "]}}")],
}  # fmt: skip


def _damaged_unit(unit: str, rng: Random) -> str:
    place = rng.randrange(len(unit))
    return rng.choice(
        [
            unit[:place] + unit[place + 1 :],
            unit[:place] + rng.choice("\"{}[]:,\\'0a -.\n/#…") + unit[place:],
            unit[:place],
            unit.replace(", ", " ", 1),
            unit[:-1] + ",}",
            unit.replace('"park"', '"nope"'),
            unit.replace('"rank": ', '"rank": -'),
            unit[:place] + '}, {"rank": 5' + unit[place:],
        ]
    )


def hostile(rng: Random) -> tuple[str, str]:
    """Make a contract's name and a delivery: units, sound and damaged, with junk around and between them."""
    name = rng.choice(sorted(_FRAMES))
    head, foot = rng.choice(_FRAMES[name])
    between = "\n" if head in ("", '{"summary": "s"}\n') else rng.choice((", ", ",\n", ",", ",\n  ", " "))
    share = rng.choice((0.0, 0.05, 0.15, 0.4))
    parts = []
    for rank in range(1, rng.choice((2, 3, 5, 9, 20)) + 1):
        unit = _item(rank if rng.random() < 0.8 else rng.randint(0, 4), "w" * rng.choice((1, 5, 40, 400)))
        unit = _damaged_unit(unit, rng) if rng.random() < share else unit
        unit += rng.choice(_JUNK) if rng.random() < share / 2 else ""
        parts.append(unit if rng.random() >= 0.01 else unit + " " * rng.choice((100, 1_000, 8_000)))
        parts.append(between if rng.random() >= share / 10 else rng.choice((", ", ",\n", "\n", "", ",,", " , ")))
    text = head + "".join(parts[:-1]) + foot
    if rng.random() < 0.3:
        text += rng.choice(
            (" bye", ' "rank": 4', "</think>\n", f"\n[{_item(7)}, {_item(8)}]", f" {head}{_item(8)}{foot}")
        )
    return name, text if rng.random() > 0.15 else text[: rng.randrange(len(text) + 1)]


@pytest.mark.parametrize("seed", range(12))
def test_hostile_deliveries_get_one_verdict(seed: int) -> None:
    """Sound, damaged and refused units in any order, junk and floods of white space between them."""
    rng = Random(f"hostile {seed}")
    for _ in range(60):
        name, text = hostile(rng)
        law = Law(early(CONTRACTS[name]), text)
        law.hold(_even(text, rng.choice((1, 2, 3, 7, 16, 64, 300, 5_000))))
        law.hold(next(_random_cuts(text, rng, 1)))


def _node(rank: int, why: str = "w" * 40, children: str = "") -> str:
    return f'{{"rank": {rank}, "why": "{why}", "children": [{children}]}}'


_LARGE = '{"rank": 7, "action": "park" "note": "' + "y" * 9_000 + '}, {\'rank\': 1, z", "why": "z"}'
_FLOODED = '{"rank": 2 "action": "park", "why": "z"}'
_KIDS = "\n" + ",\n".join(_node(rank) for rank in range(120)) + "\n"
FAR: dict[str, tuple[str, str]] = {
    # what stands behind thousands of blanks decides whether the unit before them may end there
    "a flood of blanks, then noise": (
        "list",
        f"[{_item(1)}, /* c */{_FLOODED}{' ' * 12_000}x, {', '.join(map(_item, range(3, 90)))}]",
    ),
    "a flood of blanks, then a string": (
        "list",
        f'[{_item(1)}, /* c */{_FLOODED}{" " * 12_000}"x": , {", ".join(map(_item, range(3, 90)))}]',
    ),
    # the larger the units that were seen, the further the brackets of the next one are followed
    "a unit of units after a large one": (
        "tree",
        "[\n"
        + ",\n".join([_node(1), _node(2), f"/* c */ {_node(3, 'w' * 3_500)}", _node(4, "big", _KIDS), _node(5)])
        + "\n]",
    ),
    "large edited units": (
        "open",
        f"[{_item(1)}, {_LARGE}, {_item(4)}]",
    ),
    "separators of several kinds, then a break": (
        "list",
        f"[{_item(1)}, {_item(2)},\n{_item(3)},\n{_item(4)},\n{_item(5)[:-1]},\n" + ", ".join(map(_item, range(6, 90))),
    ),
}


@pytest.mark.parametrize("name", sorted(FAR))
@pytest.mark.parametrize("size", [1, 16, 64, 700, 5_000])
def test_what_decides_a_unit_may_stand_far_behind_it(name: str, size: int) -> None:
    """Nothing is handed out before it is certain, however far the walk looks ahead."""
    contract, text = FAR[name]
    Law(early(CONTRACTS[contract]), text).hold(_even(text, size))


# ---------------------------------------------------------------------- nothing kept


def _forgotten_view(admission: dict[str, Any], units: list[Any]) -> dict[str, Any]:
    """Return what an admission says that must be the same when nothing was kept."""
    view = {key: admission[key] for key in ("status", "truncation", "envelope", "counts", "unclaimed", "findings")}
    quarantined = [dict(unit) for unit in admission["quarantined"]]
    for unit in quarantined:  # of these, only the message may differ: it names units that come later
        if unit["reason"] in ("over_limit", "conflict"):
            unit["findings"] = [finding["code"] for finding in unit["findings"]]
    return view | {"quarantined": quarantined, "units": units}


def _core(view: dict[str, Any]) -> dict[str, Any]:
    """Return what does not hang on text that was forgotten: units, counts, the envelope, whether it was cut."""
    kept = ("status", "counts", "quarantined", "units", "envelope")
    return {key: view[key] for key in kept} | {"truncated": view["truncation"] is not None}


def _hold_forgotten(
    contract: Contract[Any], source: str | bytes, chunks: Sequence[Piece], *, core: bool = False, **call: Any
) -> None:
    references, finish_reason = call.get("references"), call.get("finish_reason")
    whole = contract.admit(source, references=references, finish_reason=finish_reason)
    if _is_refused(whole):
        return
    stream = contract.stream(references=references, retain=False)
    handed, admission = _streamed(stream, chunks, finish_reason)
    assert admission.released in (0, len(handed))
    units = _dicts([*handed, *admission.units[len(handed) - admission.released :]])
    views = _forgotten_view(admission.to_dict(), units), _forgotten_view(whole.to_dict(), _dicts(whole.units))
    said, wanted = map(_core, views) if core else views
    assert said == wanted


FORGETTING = [
    case
    for case in CASES
    if (contract := CONTRACTS[case.contract]).terms.locality is Locality.ITEM
    and contract.terms.list_rules is None
    and case.call.get("tool_calls") is None
]


@pytest.mark.parametrize("case", FORGETTING, ids=lambda case: case.name)
def test_a_stream_that_keeps_nothing_says_the_same_of_the_corpus(case: Case) -> None:
    """Counts, status, units, quarantine, findings, envelope, truncation, and what nobody claims."""
    contract = early(CONTRACTS[case.contract])
    for size in (*SIZES, 1_000):
        _hold_forgotten(contract, case.raw, _even(case.raw, size), **case.call)


@pytest.mark.parametrize("name", sorted(KINDS))
def test_a_stream_that_keeps_nothing_says_the_same_of_damage(name: str) -> None:
    for seed in range(DAMAGE_SEEDS):
        rng = Random(f"{name} {seed}")
        damaged = KINDS[name](make_report(rng), rng)
        for size in (1, 16, 300):
            _hold_forgotten(early(contract_for(damaged)), damaged.text, _even(damaged.text, size))


_BAD = '{"rank": 0, "action": "nope", "why": "w"}'
FORGOTTEN: dict[str, tuple[str, str]] = {
    "refused, refused, sound; a second payload": (
        "list",
        f"[{_BAD}, {_BAD}, {_item(3)}, {_item(4)}]\n\nand [{_item(7)}, {_item(8)}]",
    ),
    "all refused; a second payload": ("list", f"[{_BAD}, {_BAD}, {_BAD}, {_BAD}]\n\nand [{_item(7)}, {_item(8)}]"),
    "all refused; a lone closing mark of reasoning": ("list", f"[{_BAD}]</think>"),
    "refused; a line of another kind; a unit": ("report", f'{{"summary": "s"}}\n{_BAD}\na\n{{"rank":\n{_item(3)}'),
    "separators of two kinds, then breaks": (
        "list",
        '[{"rank":1,"":""},\n  {"":""},{""k""}, {"rank":},{',
    ),
    "separators of two kinds, a break, a sound run": (
        "list",
        f'[{{"rank":1,"":""}},\n  {_item(2)},{{""""/}},{{""""}},{{"""""""""""""""""""",\n{_item(9)} {{"rank":""""]b',
    ),
    "two units that need edits, then noise": (
        "flagged",
        "{\"rank\":3\"done\":true\"owner\":null}{'rank':2'done':True,'owner':''}e",
    ),
    "a cut list of one edited unit, and reasoning": ("list", "[{'rank':1'action':'park''why':''}{</think>"),
    "an ellipsis glued to a broken unit": (
        "defaulted",
        '[\n{"rank":1"why":""},{"":2"why":""},{"":""},{"":4"why":""},{""}...,{"rank":',
    ),
    "noise between lines, then the end": ("report", '{"rank":1,"":""}{"rank":2,"":"","":""}5\n{"rank":""]'),
}


@pytest.mark.parametrize("name", sorted(FORGOTTEN))
@pytest.mark.parametrize("size", [1, 2, 7, 16, 64, 5_000])
def test_a_stream_that_keeps_nothing_says_the_same_of_hard_cases(name: str, size: int) -> None:
    """Each was found by search: the walk in pieces and the walk in one piece had parted."""
    contract, text = FORGOTTEN[name]
    _hold_forgotten(early(CONTRACTS[contract]), text, _even(text, size))


@pytest.mark.parametrize("seed", range(6))
def test_a_stream_that_keeps_nothing_says_the_same_of_hostile_deliveries(seed: int) -> None:
    """The units and their counts; findings on junk between them may be others, since it was not kept."""
    rng = Random(f"forgotten {seed}")
    for _ in range(60):
        name, text = hostile(rng)
        _hold_forgotten(early(CONTRACTS[name]), text, _even(text, rng.choice((1, 3, 16, 64, 300, 5_000))), core=True)


# ---------------------------------------------------------------------- provisional units


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_provisional_units_change_no_verdict(case: Case) -> None:
    """Whatever was shown before, the admission is that of the delivery in one piece."""
    contract = CONTRACTS[case.contract]
    law = Law(contract, case.delivery(), **case.call)
    for size in (1, 16):
        stream = contract.stream(references=law.references, provisional=True)
        handed, admission = _streamed(stream, _in_pieces(case.delivery(), size), law.finish_reason)
        if law.refused:
            assert (admission.status, admission.counts) == (law.whole.status, law.whole.counts)
        else:
            assert admission.to_dict() == law.verdict
        if not contract.release.early:
            assert all(isinstance(unit, Provisional) for unit in handed)


def test_provisional_units_come_before_the_end() -> None:
    """Under a contract that holds all: each with the character that closes it."""
    for style in (Style.COMPACT, Style.PRETTY, Style.LIST):
        report = make_report(Random(5), style=style)
        stream = contract_of(style).stream(provisional=True)
        ends = [at for at, char in enumerate(report.text, 1) for _ in stream.feed(char)]
        assert ends == [span.end for span in report.spans]


# ---------------------------------------------------------------------- when units come

_DRESSES = {
    "bare": ("", ""),
    "in a fence after prose": ("Here is the report, as asked:\n\n```json\n", "\n```\nAnything else?"),
    "after reasoning": ('<think>the list "rank": maybe</think>\n', ""),
    "after reasoning with units in it": (f"<think>{_item(9)} or [{_item(8)}]</think>\n\n", ""),
    "after a byte order mark": ("\ufeff", ""),
}


@pytest.mark.parametrize("style", [*(style for style in WITH_ENVELOPE), Style.LIST])
@pytest.mark.parametrize("dress", sorted(_DRESSES))
def test_each_unit_is_out_exactly_when_its_last_character_is_in(style: Style, dress: str) -> None:
    """In every style of report and list, whatever stands before it; not a character later."""
    before, after = _DRESSES[dress]
    for seed in range(4):
        report = make_report(Random(seed), style=style)
        text = before + report.text + after
        stream = early(contract_of(style)).stream()
        ends = [at for at, char in enumerate(text, 1) for _ in stream.feed(char)]
        assert ends == [len(before) + span.end for span in report.spans]


def test_of_bare_lines_the_first_waits_for_the_second() -> None:
    """A single object counts only when it is all there is: the second must have begun; the others do not wait."""
    for seed in range(4):
        report = make_report(Random(seed), style=Style.LINES)
        stream = early(contract_of(Style.LINES)).stream()
        ends = [at for at, char in enumerate(report.text, 1) for _ in stream.feed(char)]
        assert report.spans[1].start < ends[0] <= report.spans[1].end
        assert ends[1:] == [span.end for span in report.spans[1:]]


def test_after_an_edited_unit_the_next_is_out_with_its_last_character() -> None:
    """An edited unit waits for the few characters that tell whether it may end there; the next one does not."""
    text = f'[{_item(1)}, {{"rank": 2 "action": "park", "why": "z"}}, {_item(3)}, {_item(4)}]'
    stream = early(CONTRACTS["list"]).stream()
    ends = [at for at, char in enumerate(text, 1) for _ in stream.feed(char)]
    closing = [at for at, char in enumerate(text, 1) if char == "}"]
    assert [ends[0], *ends[2:]] == [closing[0], *closing[2:]]
    assert closing[1] < ends[1] <= closing[1] + 5
