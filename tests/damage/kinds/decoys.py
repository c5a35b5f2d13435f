"""Complete units that are no part of the payload: none of them may be admitted."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from damage.kind import Damaged, Expect, kind
from damage.report import Report, Style, make_unit


def _all(report: Report) -> tuple[int, ...]:
    return tuple(range(len(report.units)))


def _others(report: Report, *indices: int) -> tuple[int, ...]:
    return tuple(at for at in _all(report) if at not in indices)


def _decoy(rng: Random) -> dict[str, Any]:
    return make_unit(rng.randint(900, 999), rng)


def _draft(report: Report, rng: Random) -> str:
    """Write another report of the same contract: what a producer tried before it made up its mind."""
    units = [_decoy(rng) for _ in range(rng.randint(1, 3))]
    return Report({"summary": "a draft", "complete": False}, tuple(units), report.style, report.ascii_only).text


@kind
def decoy_prose(report: Report, rng: Random) -> Damaged:
    """One unit stands in the prose, before or after the report."""
    # Not beside a report of one unit a line: there, a unit on a line of its own is a line of that report.
    shown = report.restyled(rng.choice((Style.PRETTY, Style.SPACED, Style.COMPACT)))
    decoy = shown.dump(_decoy(rng))
    text = rng.choice(
        (
            f"I rejected this one: {decoy}.\n\n{shown.text}",
            f"{shown.text}\n\nI left out this one: {decoy}\n",
            f"An example:\n{decoy}\n\nThe report:\n{shown.text}",
            f"For example `{decoy}` would be wrong.\n```json\n{shown.text}\n```\n",
        )
    )
    return Damaged(text=text, kind="decoy_prose", untouched=_all(report), expect=Expect(truncated=False))


@kind
def decoy_beside_lines(report: Report, rng: Random) -> Damaged:
    """A unit stands inside a sentence before a report of one unit a line."""
    shown = report.restyled(Style.NDJSON)
    text = f"I rejected this one: {shown.dump(_decoy(rng))}, as you said.\n{shown.text}"
    return Damaged(text=text, kind="decoy_beside_lines", untouched=_all(report), expect=Expect(truncated=False))


@kind
def decoy_list_in_prose(report: Report, rng: Random) -> Damaged:
    """A list of units stands in the prose; the report with its envelope outranks it."""
    decoys = json.dumps([_decoy(rng), _decoy(rng)])
    shown = report.restyled(Style.PRETTY if rng.random() < 0.5 else Style.SPACED)
    text = rng.choice((f"The form is {decoys}.\n\n{shown.text}", f"{shown.text}\n\nNot these: {decoys}"))
    return Damaged(text=text, kind="decoy_list_in_prose", untouched=_all(report), expect=Expect(truncated=False))


@kind
def decoy_fence(report: Report, rng: Random) -> Damaged:
    """An example unit has a fence of its own before the report's fence."""
    shown = report.restyled(rng.choice((Style.PRETTY, Style.SPACED, Style.COMPACT)))
    text = f"The form:\n```json\n{report.dump(_decoy(rng))}\n```\nThe report:\n```json\n{shown.text}\n```\n"
    return Damaged(text=text, kind="decoy_fence", untouched=_all(report), expect=Expect(truncated=False))


@kind
def decoy_comment(report: Report, rng: Random) -> Damaged:
    """A unit is commented out between two units."""
    shown = report.restyled(rng.choice((Style.PRETTY, Style.SPACED)))
    texts = shown.unit_texts
    index = rng.randrange(1, len(texts))
    decoy = json.dumps(_decoy(rng))
    while "*/" in decoy:  # the comment would end inside it: another damage than the one meant
        decoy = json.dumps(_decoy(rng))
    texts[index] = rng.choice((f"/* {decoy}, */ ", f"// {decoy},\n", f"/*{decoy}*/\n")) + texts[index]
    return Damaged(
        text=shown.join(texts),
        kind="decoy_comment",
        untouched=_all(report),
        expect=Expect(status=frozenset({"partial"}), truncated=False),
    )


@kind
def decoy_string(report: Report, rng: Random) -> Damaged:
    """A unit is quoted, rightly escaped, in another unit's string; its neighbour is broken."""
    shown = report.restyled(rng.choice((Style.PRETTY, Style.SPACED, Style.COMPACT)))
    index = rng.randrange(len(report.units))
    units = [dict(unit) for unit in report.units]
    units[index]["why"] = f"unlike {report.dump(_decoy(rng))}, it is urgent"
    quoted = Report(report.envelope, tuple(units), shown.style, shown.ascii_only)
    texts = quoted.unit_texts
    broken = rng.randrange(len(texts))
    if broken != index:
        texts[broken] = texts[broken][:-1]
    return Damaged(
        text=quoted.join(texts),
        kind="decoy_string",
        untouched=_others(report, index, broken),
        undecidable=(index,),  # it stands undamaged; only its ``why`` differs from the report's own
        expect=Expect(truncated=False),
    )


@kind
def decoy_string_raw(report: Report, rng: Random) -> Damaged:
    """A unit is quoted without escapes in another unit's string: the string is broken, the quote complete."""
    shown = report.restyled(rng.choice((Style.PRETTY, Style.SPACED, Style.COMPACT)))
    index = rng.randrange(len(report.units))
    texts = shown.unit_texts
    decoy = json.dumps(_decoy(rng))
    at = texts[index].index('"why"') + len('"why": "') + rng.randint(0, 10)
    texts[index] = f"{texts[index][:at]} as in {decoy}, see there {texts[index][at:]}"
    return Damaged(text=shown.join(texts), kind="decoy_string_raw", untouched=_others(report, index))


@kind
def reasoning(report: Report, rng: Random) -> Damaged:
    """A reasoning block holds a draft; the report follows."""
    tag = rng.choice(("think", "thinking", "reasoning"))
    text = f"<{tag}>\nFirst try:\n{_draft(report, rng)}\nno, better:\n</{tag}>\n{report.text}"
    return Damaged(text=text, kind="reasoning", untouched=_all(report), expect=Expect(truncated=False))


@kind
def reasoning_end_only(report: Report, rng: Random) -> Damaged:
    """The opening mark went to the prompt: what stands before the lone closing mark is reasoning."""
    text = f"I could say\n{_draft(report, rng)}\nbut no.\n</think>\n\n{report.text}"
    return Damaged(text=text, kind="reasoning_end_only", untouched=_all(report), expect=Expect(truncated=False))


@kind
def reasoning_never_closed(report: Report, rng: Random) -> Damaged:  # noqa: ARG001
    """The reasoning never ends: whatever it holds is not the answer."""
    text = f"<think>\nLet me write it down.\n{report.text}"
    return Damaged(text=text, kind="reasoning_never_closed", untouched=(), expect=Expect(admitted=0))


@kind
def two_documents(report: Report, rng: Random) -> Damaged:
    """Two different reports, and no way to tell which is meant."""
    first = report.restyled(rng.choice((Style.PRETTY, Style.SPACED, Style.COMPACT)))
    other = Report({"summary": "another", "complete": True}, (_decoy(rng), _decoy(rng)), first.style)
    texts = [first.text, other.text]
    rng.shuffle(texts)
    text = rng.choice(("\n", "\n\nOr rather:\n\n", "\n---\n")).join(texts)
    return Damaged(
        text=text,
        kind="two_documents",
        untouched=(),
        expect=Expect(status=frozenset({"lost"}), admitted=0, reasons=frozenset({"ambiguous"})),
    )


@kind
def two_documents_same(report: Report, rng: Random) -> Damaged:
    """The same report twice, written alike or not: it is one."""
    first = report.restyled(rng.choice((Style.PRETTY, Style.SPACED, Style.COMPACT)))
    second = report.restyled(rng.choice((Style.PRETTY, Style.SPACED, Style.COMPACT)))
    text = f"```json\n{first.text}\n```\nIn short:\n```json\n{second.text}\n```\n"
    return Damaged(text=text, kind="two_documents_same", untouched=_all(report), expect=Expect(truncated=False))


@kind
def with_its_own_cut_copy(report: Report, rng: Random) -> Damaged:
    """A report that was cut off and begun again: two payloads, one of them truncated."""
    first = report.restyled(rng.choice((Style.PRETTY, Style.SPACED)))
    second = report.spans[2].start
    text = f"```json\n{first.text[:second]}\n```\nSorry, again:\n```json\n{first.text}\n```\n"
    return Damaged(text=text, kind="with_its_own_cut_copy", untouched=())
