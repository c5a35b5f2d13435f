"""A stream hands units out as soon as they are decided, and its verdict is the one-shot one.

The law over the corpus and the damage suite is in ``tests/property/test_stream.py``; here stands what each part
does: when units come, what is refused, what tool calls and the providers' events become, what is kept.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from pratique import (
    Admission,
    Admitted,
    Chunk,
    Contract,
    Delivery,
    Hold,
    Limits,
    Misuse,
    Producer,
    Provisional,
    Reference,
    Status,
    Stream,
    ToolCall,
    anthropic_chunks,
    openai_chunks,
)
from pratique.boundary.grammar import Grammar
from pratique.events import Event


class Item(BaseModel):
    """One unit."""

    rank: Annotated[int, Field(ge=1)]
    why: str


class Named(BaseModel):
    """A unit that names something that must exist."""

    rank: int
    page: Annotated[str, Reference("page")]


class Summary(BaseModel):
    """What stands around the list."""

    summary: str


class Move(BaseModel):
    """One command."""

    kind: Literal["move"]
    to: int


class Rename(BaseModel):
    """Another command."""

    kind: Literal["rename"]
    title: str


EARLY = Contract.items(Item, name="ranks", frames="first")
HELD = Contract.items(Item, name="ranks")
REPORT = Contract.items(Item, at="items", envelope=Summary, name="report", frames="first")
ORDERED = Contract.items(Item, order_by="-rank", limits=Limits(max_items=2))
TAGGED = Contract.items(Annotated[Move | Rename, Field(discriminator="kind")], frames="first")
NAMED = Contract.items(Named, frames="first", limits=Limits(max_items=100))


def _item(rank: int, why: str = "w") -> str:
    return json.dumps({"rank": rank, "why": why})


def _list(*units: str) -> str:
    return "[" + ", ".join(units) + "]"


THREE = _list(_item(1), _item(2), _item(3))


def _fed(stream: Stream[Any], chunks: Iterable[Any]) -> list[Any]:
    return [unit for chunk in chunks for unit in stream.feed(chunk)]


def _pieces(text: str, size: int = 1) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _dicts(units: Iterable[Any]) -> list[Any]:
    return [unit.to_dict() for unit in units]


def _ranks(units: Iterable[Any]) -> list[int]:
    return [unit.value.rank for unit in units]


# ---------------------------------------------------------------------- when units come


@pytest.mark.parametrize(
    ("contract", "holds"),
    [
        (EARLY, ()),
        (REPORT, ()),
        (HELD, (Hold.FRAMES,)),
        (Contract.items(Item, frames="last"), (Hold.FRAMES,)),
        (Contract.items(Item, frames="all"), (Hold.FRAMES,)),
        (Contract.items(Item, frames="first", order_by="rank"), (Hold.ORDER,)),
        (Contract.items(Item, frames="first", unique=("rank",)), (Hold.UNIQUE,)),
        (Contract.items(Item, frames="first", unique=("rank",), keep="first"), ()),
        (Contract.items(Item, order_by="rank", unique=("rank",)), (Hold.FRAMES, Hold.ORDER, Hold.UNIQUE)),
        (Contract.one(Item), (Hold.ONE, Hold.FRAMES)),
        (Contract.batch(Item), (Hold.BATCH, Hold.FRAMES)),
    ],
)
def test_a_contract_names_the_rules_that_hold_its_units(contract: Contract[Any], holds: tuple[Hold, ...]) -> None:
    """Before the first call, in a fixed order; the stream says the same."""
    release = contract.release
    assert release.holds == holds
    assert release.early is (not holds)
    assert release.rule is (holds[0] if holds else None)
    assert contract.stream().release == release


def test_every_hold_has_its_remedy() -> None:
    """What to change so that units come early; several are told together."""
    remedies = {
        Hold.ONE: Contract.one(Item, frames="first").release.remedy,
        Hold.BATCH: Contract.batch(Item, frames="first").release.remedy,
        Hold.FRAMES: HELD.release.remedy,
        Hold.ORDER: Contract.items(Item, frames="first", order_by="rank").release.remedy,
        Hold.UNIQUE: Contract.items(Item, frames="first", unique=("rank",)).release.remedy,
    }
    assert set(remedies) == set(Hold)
    assert len(set(remedies.values())) == len(Hold)
    assert 'frames="first"' in remedies[Hold.FRAMES]
    assert 'keep="first"' in remedies[Hold.UNIQUE]
    assert remedies[Hold.FRAMES] in ORDERED.release.remedy
    assert EARLY.release.remedy == ""


def test_a_release_says_itself_in_a_word() -> None:
    assert str(EARLY.release) == "early"
    assert str(HELD.release) == "at close: frames"
    assert str(Contract.items(Item, order_by="rank").release) == "at close: frames, order_by"


def test_following_the_remedy_of_each_hold_makes_the_release_early() -> None:
    """The words of the remedies are true."""
    held = Contract.items(Item, unique=("rank",), order_by="rank")
    assert not held.release.early
    assert Contract.items(Item, unique=("rank",), frames="first", keep="first").release.early


# ---------------------------------------------------------------------- pushing


def test_a_unit_comes_with_the_chunk_that_closes_it() -> None:
    """Neither before nor after; the admission holds the same units."""
    stream = EARLY.stream()
    closed = [sum(map(len, _list(*map(_item, range(1, rank + 1)))[:-1])) for rank in (1, 2, 3)]
    came = {at: _ranks(units) for at, char in enumerate(THREE, 1) if (units := stream.feed(char))}
    assert came == dict(zip(closed, ([1], [2], [3]), strict=True))
    assert _ranks(stream.close().units) == [1, 2, 3]


def test_units_that_are_handed_out_are_admitted_ones() -> None:
    """With value, index, span, raw text, and what a contract fills."""
    (unit,) = _fed(stream := EARLY.stream(), _pieces(_list(_item(1))))
    assert isinstance(unit, Admitted)
    assert (unit.value, unit.index, unit.span, unit.raw) == (Item(rank=1, why="w"), 0, (1, 1 + len(_item(1))), _item(1))
    assert stream.close().units[0].to_dict() == unit.to_dict()


def test_refused_units_are_not_handed_out() -> None:
    """They are in quarantine, and keep their place in the count."""
    stream = EARLY.stream()
    units = _fed(stream, _pieces(_list(_item(1), _item(0), _item(3))))
    admission = stream.close()
    assert [(unit.index, unit.value.rank) for unit in units] == [(0, 1), (2, 3)]
    assert [unit.index for unit in admission.quarantined] == [1]


def test_a_held_contract_hands_out_nothing_before_close() -> None:
    stream = HELD.stream()
    assert _fed(stream, _pieces(THREE)) == []
    assert _ranks(stream.close().units) == [1, 2, 3]


def test_a_stream_of_nothing_is_a_delivery_of_nothing() -> None:
    """No chunk, empty chunks, empty bytes: the verdict on the empty text."""
    want = EARLY.admit("").to_dict()
    for chunks in ([], [""], ["", b"", Chunk()]):
        stream = EARLY.stream()
        assert _fed(stream, chunks) == []
        assert stream.close().to_dict() == want


@pytest.mark.parametrize("chunk", ["more", "}", "", b"more", Chunk(text="more"), Chunk(call=0, name="ranks")])
@pytest.mark.parametrize("contract", [EARLY, HELD])
@pytest.mark.parametrize("text", ["", "no payload", THREE, THREE[:-1]])
def test_feeding_a_closed_stream_is_a_mistake(contract: Contract[Item], chunk: str | bytes | Chunk, text: str) -> None:
    """Whatever the chunk, and whatever came before: text must not get lost in silence."""
    stream = contract.stream()
    stream.feed(text)
    stream.close()
    with pytest.raises(Misuse, match="the stream is closed; make a new one"):
        stream.feed(chunk)


def test_closing_twice_gives_the_same_admission() -> None:
    stream = EARLY.stream()
    stream.feed(THREE)
    assert stream.close(finish_reason="stop") is stream.close() is stream.admission


def test_the_admission_is_there_only_after_close() -> None:
    stream = EARLY.stream()
    with pytest.raises(Misuse, match="not closed"):
        stream.admission  # noqa: B018  # asking is what is tested
    stream.close()
    assert stream.admission.status is Status.LOST


@pytest.mark.parametrize("chunk", [None, 5, 1.5, ["text"], {"text": "x"}, object()])
def test_a_chunk_must_be_something_that_can_be_delivered(chunk: Any) -> None:
    """The message names the type and the remedy; the stream goes on."""
    stream = EARLY.stream()
    with pytest.raises(Misuse, match=f"cannot stream {type(chunk).__name__}; give text, UTF-8 bytes, or a Chunk"):
        stream.feed(chunk)
    assert _ranks(stream.feed(THREE)) == [1, 2, 3]


@pytest.mark.parametrize("chunk", [bytearray(THREE.encode()), memoryview(THREE.encode())])
def test_bytes_may_be_of_any_kind(chunk: Any) -> None:
    assert _ranks(EARLY.stream().feed(chunk)) == [1, 2, 3]


def test_text_may_be_of_a_subclass() -> None:
    class Text(str):
        """A string with a type of its own."""

    assert _ranks(EARLY.stream().feed(Text(THREE))) == [1, 2, 3]


def test_bytes_may_be_cut_inside_a_character() -> None:
    """And bytes that are no UTF-8 are kept as they came."""
    for raw in (_list(_item(1, "naïve 東京 🚢")).encode(), b'[{"rank": 1, "why": "\xff\xe6\x9d"}]\xe6'):
        want = EARLY.admit(raw)
        for at in range(len(raw) + 1):
            stream = EARLY.stream()
            units = [*stream.feed(raw[:at]), *stream.feed(raw[at:])]
            admission = stream.close()
            assert admission.to_dict() == want.to_dict()
            assert _dicts(units) == _dicts(want.units)[: len(units)]


def test_half_a_character_stays_where_it_came() -> None:
    """Bytes that break off before a chunk of text, or before a tool call, stand before it."""
    stream = EARLY.stream()
    stream.feed(b"caf\xc3")
    stream.feed("! ")
    assert stream.close().delivery.text == "caf\udcc3! "
    stream = EARLY.stream()
    stream.feed(b"caf\xc3")
    units = stream.feed(Chunk(call=0, name="ranks", arguments=THREE, done=True))
    assert _dicts(units) == _dicts(stream.close().units)


@pytest.mark.parametrize("place", [-1, 1, 2, True, "0", 0.0])
def test_calls_are_numbered_in_order(place: Any) -> None:
    """A gap is a mistake; the message says which number is next."""
    with pytest.raises(Misuse, match="cannot come now; number the calls from 0; 0 is next"):
        EARLY.stream().feed(Chunk(call=place))


# ---------------------------------------------------------------------- pulling


async def _later(chunks: Sequence[str]) -> AsyncIterator[str]:
    for chunk in chunks:
        await asyncio.sleep(0)
        yield chunk


async def _collected(stream: Stream[Any]) -> list[Any]:
    return [unit async for unit in stream]


@pytest.mark.parametrize("contract", [EARLY, HELD, ORDERED])
def test_iterating_gives_every_admitted_unit_once(contract: Contract[Item]) -> None:
    """Those that were held come at the end, in the contract's own order; sync and async agree."""
    want = _dicts(contract.admit(THREE).units)
    stream = contract.stream(_pieces(THREE))
    assert _dicts(stream) == want
    assert stream.admission.to_dict() == contract.admit(THREE).to_dict()
    later = contract.stream(_later(_pieces(THREE)))
    assert _dicts(asyncio.run(_collected(later))) == want
    assert later.admission.to_dict() == contract.admit(THREE).to_dict()


def test_iterating_hands_units_out_before_the_chunks_end() -> None:
    """The source is not read further than needed."""
    read = 0

    def source() -> Iterator[str]:
        nonlocal read
        for char in THREE:
            read += 1
            yield char

    next(iter(EARLY.stream(source())))
    assert read == 1 + len(_item(1))


def test_iterating_again_hands_nothing_out_twice() -> None:
    """A stream is used up once; the admission stays."""
    for contract in (EARLY, HELD):
        stream = contract.stream(iter(_pieces(THREE)))
        assert len(list(stream)) == 3
        assert list(stream) == []
        assert len(stream.admission.units) == 3


def test_a_stream_without_chunks_cannot_be_iterated() -> None:
    with pytest.raises(Misuse, match=r"contract\.stream\(chunks\)"):
        list(EARLY.stream())
    with pytest.raises(Misuse, match="iterate with for"):
        asyncio.run(_collected(EARLY.stream([THREE])))
    with pytest.raises(Misuse, match="no chunks"):
        list(EARLY.stream(_later([THREE])))


def test_what_the_source_raises_reaches_the_caller_and_the_stream_can_still_be_closed() -> None:
    """Units that came before a broken connection are neither lost nor doubled."""

    def broken() -> Iterator[str]:
        yield THREE[:40]
        raise ConnectionError("gone")

    stream = EARLY.stream(broken())
    units: list[Any] = []
    with pytest.raises(ConnectionError):
        units.extend(stream)
    admission = stream.close(finish_reason="length")
    assert _ranks(units) == [1] == _ranks(admission.units)
    assert admission.truncated


# ---------------------------------------------------------------------- provisional units


def test_provisional_units_come_early_and_the_admission_decides() -> None:
    """A second claimant of an identity takes both out of the admission."""
    contract = Contract.items(Item, unique=("rank",))
    text = _list(_item(1), _item(2), _item(1))
    stream = contract.stream(provisional=True)
    units = _fed(stream, _pieces(text))
    assert all(isinstance(unit, Provisional) for unit in units)
    assert [(unit.index, unit.value.rank, unit.raw) for unit in units] == [
        (0, 1, _item(1)),
        (1, 2, _item(2)),
        (2, 1, _item(1)),
    ]
    admission = stream.close()
    assert admission.to_dict() == contract.admit(text).to_dict()
    assert _ranks(admission.units) == [2]


def test_a_contract_that_releases_early_has_no_provisional_units() -> None:
    assert all(isinstance(unit, Admitted) for unit in _fed(EARLY.stream(provisional=True), [THREE]))


def test_iterating_with_provisional_units_ends_with_the_admitted_ones() -> None:
    """First what may be shown, then what may be acted on."""
    kinds = [type(unit) for unit in HELD.stream(_pieces(THREE), provisional=True)]
    assert kinds == [Provisional] * 3 + [Admitted] * 3


# ---------------------------------------------------------------------- what the caller and the provider tell


class Sink:
    """Keep what is emitted."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        """Record one event."""
        self.events.append(event)


def test_references_are_checked_while_it_streams() -> None:
    """A name that is not on the allow-list is never handed out."""
    text = '[{"rank": 1, "page": "a"}, {"rank": 2, "page": "zz"}, {"rank": 3, "page": "b"}]'
    known = {"page": ["a", "b"]}
    stream = NAMED.stream(references=known)
    assert _ranks(_fed(stream, _pieces(text))) == [1, 3]
    assert stream.close().to_dict() == NAMED.admit(text, references=known).to_dict()


def test_a_missing_allow_list_holds_or_passes_as_the_contract_says() -> None:
    """``partial`` lets units through and is never clean; ``refuse`` hands out none."""
    text = '[{"rank": 1, "page": "a"}, {"rank": 2, "page": "b"}]'
    strict = Contract.items(Named, frames="first", references="refuse")
    for contract, many in ((NAMED, 2), (strict, 0)):
        stream = contract.stream()
        assert len(_fed(stream, _pieces(text))) == many
        admission = stream.close()
        assert admission.to_dict() == contract.admit(text).to_dict()
        assert admission.status is not Status.CLEAN


def test_an_unknown_reference_is_a_mistake_at_once() -> None:
    with pytest.raises(Misuse, match="Reference"):
        EARLY.stream(references={"page": []})


@pytest.mark.parametrize("retain", [True, False])
@pytest.mark.parametrize("text", [THREE, THREE[:40], "nothing", _list(_item(1), _item(0), _item(3))])
def test_one_stream_is_one_event(retain: bool, text: str) -> None:
    """When it is closed, and not again when it is closed again; it says what the admission says."""
    sink = Sink()
    stream = EARLY.stream(events=sink, retain=retain)
    _fed(stream, _pieces(text))
    assert sink.events == []
    admission = stream.close()
    stream.close()
    (event,) = sink.events
    told = event.to_dict()
    assert told["counts"] == dict(admission.counts)
    assert (told["status"], told["truncated"]) == (admission.status.value, admission.truncated)


def test_what_is_told_reaches_the_delivery() -> None:
    """Producer and ids by the caller; model, usage and finish reason by chunks or at close."""
    stream = EARLY.stream(producer=Producer.AGENT, ids={"run": "7"})
    stream.feed(Chunk(model="m-1", usage={"input_tokens": 5, "output_tokens": 1}))
    stream.feed(Chunk(text=THREE, model="m-2"))
    stream.feed(Chunk(usage={"output_tokens": 9}, finish_reason="end_turn"))
    delivery = stream.close().delivery
    assert delivery == Delivery(
        text=THREE, producer=Producer.AGENT, ids={"run": "7"}, model="m-1",
        usage={"input_tokens": 5, "output_tokens": 9}, finish_reason="end_turn",
    )  # fmt: skip


def test_what_is_told_at_close_reaches_the_delivery() -> None:
    stream = EARLY.stream()
    stream.feed(THREE)
    delivery = stream.close(finish_reason="max_tokens", usage={"output_tokens": 3}, model="m").delivery
    assert (delivery.finish_reason, delivery.usage, delivery.model) == ("max_tokens", {"output_tokens": 3}, "m")
    assert stream.admission.truncated


def test_a_refusal_that_was_told_is_not_undone() -> None:
    """A later ``stop`` does not make it a complete delivery."""
    stream = HELD.stream()
    stream.feed(Chunk(text=THREE, finish_reason="content_filter"))
    admission = stream.close(finish_reason="stop")
    assert admission.delivery.finish_reason == "content_filter"
    assert admission.status is Status.REFUSED


# ---------------------------------------------------------------------- refused as a whole, late


@pytest.mark.parametrize(
    ("reason", "code", "status"),
    [
        ("refusal", "delivery.declined", Status.REFUSED),
        ("cancelled", "delivery.failed", Status.LOST),
        ("wat", "delivery.finish_reason_unknown", Status.LOST),
    ],
)
def test_a_refusal_before_any_unit_is_the_one_shot_one(reason: str, code: str, status: Status) -> None:
    """A contract that waits loses nothing and admits nothing."""
    for contract, text in ((HELD, THREE), (EARLY, "no payload"), (EARLY, THREE[:10])):
        stream = contract.stream()
        assert _fed(stream, _pieces(text)) == []
        admission = stream.close(finish_reason=reason)
        assert admission.to_dict() == contract.admit(text, finish_reason=reason).to_dict()
        assert [finding.code for finding in admission.findings] == [code]
        assert admission.status is status


@pytest.mark.parametrize("reason", ["refusal", "cancelled", "wat"])
@pytest.mark.parametrize("retain", [True, False])
def test_a_refusal_after_units_keeps_them_and_admits_nothing_more(reason: str, retain: bool) -> None:
    """What was handed out stands; the finding says that it came too late."""
    stream = EARLY.stream(retain=retain)
    units = _fed(stream, [THREE[:50], "{"])
    assert _ranks(units) == [1, 2]
    admission = stream.close(finish_reason=reason)
    assert dict(admission.counts)["admitted"] == 2
    assert "stream.stopped_late" in {finding.code for finding in admission.findings}
    assert admission.status is not Status.CLEAN
    if retain:
        assert _dicts(admission.units) == _dicts(units)
    assert stream._held_back() == ()


def test_too_many_bytes_before_any_unit_refuse_the_whole() -> None:
    """The finding tells the real size, although no more was kept than may be read."""
    contract = Contract(replace(EARLY.terms, limits=Limits(max_bytes=100)))
    text = "prose " * 50 + THREE
    stream = contract.stream()
    assert _fed(stream, _pieces(text, 7)) == []
    admission, whole = stream.close(), contract.admit(text)
    assert [str(finding) for finding in admission.findings] == [str(finding) for finding in whole.findings]
    assert (admission.status, admission.counts) == (whole.status, whole.counts)
    assert len(admission.delivery.text) <= 100


def test_too_many_bytes_after_units_keep_them_and_admit_nothing_more() -> None:
    contract = Contract(replace(EARLY.terms, limits=Limits(max_bytes=60)))
    text = _list(*map(_item, range(1, 100)))
    for retain in (True, False):
        stream = contract.stream(retain=retain)
        units = _fed(stream, _pieces(text, 5))
        admission = stream.close()
        assert _ranks(units) == [1, 2]
        assert dict(admission.counts)["admitted"] == 2
        codes = {finding.code for finding in admission.findings}
        assert {"delivery.too_large", "stream.stopped_late"} <= codes
        assert f"{len(text):,} bytes" in " ".join(str(finding) for finding in admission.findings)


def test_bytes_are_counted_as_bytes() -> None:
    """At the limit it passes, one byte above it does not, as in one piece."""
    text = _list(_item(1, "東京"))
    size = len(text.encode())
    for limit, many in ((size, 1), (size - 1, 0)):
        contract = Contract(replace(HELD.terms, limits=Limits(max_bytes=limit)))
        stream = contract.stream()
        _fed(stream, _pieces(text))
        assert len(stream.close().units) == many == len(contract.admit(text).units)


def test_the_bytes_of_calls_are_counted_as_in_one_piece() -> None:
    """The line end that parts a call's arguments from what stands before them is one byte of the body."""
    for limit in (len(THREE) - 1, len(THREE), len(THREE) + 1):
        contract = Contract(replace(EARLY.terms, limits=Limits(max_bytes=limit)))
        stream = contract.stream()
        units = stream.feed(Chunk(call=0, name="ranks", arguments=THREE, done=True))
        whole = contract.admit(Delivery(tool_calls=(ToolCall("ranks", THREE),)))
        assert _dicts(units) == _dicts(whole.units)[: len(units)]
        assert stream.close().counts == whole.counts


# ---------------------------------------------------------------------- tool calls


def _calls(*calls: ToolCall, text: str = "", size: int = 7) -> list[Chunk]:
    """Cut a delivery with tool calls as a provider does: text, then each call, its arguments in fragments."""
    chunks = [Chunk(text=piece) for piece in _pieces(text, size)]
    for place, call in enumerate(calls):
        chunks.append(Chunk(call=place, name=call.name, id=call.id))
        chunks += [Chunk(call=place, arguments=piece) for piece in _pieces(call.arguments, size)]
        chunks.append(Chunk(call=place, done=True))
    return chunks


def _same_as_one_piece(
    contract: Contract[Any], delivery: Delivery, chunks: Iterable[Chunk]
) -> tuple[list[Any], Admission[Any]]:
    whole = contract.admit(delivery)
    stream = contract.stream()
    units = _fed(stream, chunks)
    admission = stream.close()
    assert admission.to_dict() == whole.to_dict()
    assert _dicts(units) == _dicts(whole.units)[: len(units)]
    return units, admission


def test_a_call_is_read_as_its_arguments_come() -> None:
    """A unit is out with the fragment that closes it, before the call is done."""
    chunks = _calls(ToolCall("ranks", THREE, "c-1"), size=1)
    units, admission = _same_as_one_piece(EARLY, Delivery(tool_calls=(ToolCall("ranks", THREE, "c-1"),)), chunks)
    assert _ranks(units) == [1, 2, 3]
    stream = EARLY.stream()
    assert _ranks(_fed(stream, chunks[: 2 + len(_item(1))])) == [1]
    assert admission.delivery.tool_calls == (ToolCall("ranks", THREE, "c-1"),)


def test_text_before_a_call_moves_its_places() -> None:
    text = "I will {now} call the tool. "
    call = ToolCall("report", '{"summary": "s", "items": ' + THREE + "}")
    units, _ = _same_as_one_piece(REPORT, Delivery(text=text, tool_calls=(call,)), _calls(call, text=text))
    assert units[0].span.start == len(text) + 1 + call.arguments.index(_item(1))


def test_text_that_is_the_payload_beats_the_calls() -> None:
    """As in one piece under ``frames="first"``: the first payload is taken."""
    text, call = THREE, ToolCall("ranks", _list(_item(8), _item(9)))
    units, _ = _same_as_one_piece(EARLY, Delivery(text=text, tool_calls=(call,)), _calls(call, text=text))
    assert _ranks(units) == [1, 2, 3]


def test_several_calls_are_read_in_their_order() -> None:
    """Also when fragments of the second come before the first is done; units of it wait for their turn."""
    first, second = ToolCall("ranks", THREE), ToolCall("ranks", _list(_item(8), _item(9)))
    delivery = Delivery(tool_calls=(first, second))
    units, _ = _same_as_one_piece(EARLY, delivery, _calls(first, second))
    assert _ranks(units) == [1, 2, 3, 8, 9]
    mixed = [
        Chunk(call=0, name="ranks", arguments=THREE[:20]),
        Chunk(call=1, name="ranks", arguments=second.arguments, done=True),
        Chunk(call=0, arguments=THREE[20:], done=True),
    ]
    units, _ = _same_as_one_piece(EARLY, delivery, mixed)
    assert _ranks(units) == [1, 2, 3, 8, 9]


def test_a_call_of_an_unknown_tool_is_one_refused_unit() -> None:
    other, known = ToolCall("other", THREE), ToolCall("ranks", THREE)
    units, admission = _same_as_one_piece(EARLY, Delivery(tool_calls=(other, known)), _calls(other, known))
    assert [unit.index for unit in units] == [1, 2, 3]
    assert [unit.reason for unit in admission.quarantined] == ["schema"]


def test_one_unit_a_call_comes_when_the_call_is_done() -> None:
    """The tool's name is the tag of a closed union; a call that never ends is judged at close."""
    calls = (ToolCall("move", '{"to": 1}'), ToolCall("rename", '{"kind": "rename", "title": "t"}'))
    units, _ = _same_as_one_piece(TAGGED, Delivery(tool_calls=calls), _calls(*calls))
    assert [unit.value for unit in units] == [Move(kind="move", to=1), Rename(kind="rename", title="t")]
    units, _ = _same_as_one_piece(TAGGED, Delivery(tool_calls=calls), _calls(*calls)[:-1])
    assert [unit.value for unit in units] == [Move(kind="move", to=1)]


def test_a_name_that_comes_late_costs_nothing() -> None:
    """Arguments that came before the name are read too, at their own places."""
    cut = THREE.index(_item(2))
    chunks = [
        Chunk(call=0, arguments=THREE[:cut]),
        Chunk(call=0, name="ranks", arguments=THREE[cut:]),
        Chunk(call=0, done=True),
    ]
    units, _ = _same_as_one_piece(EARLY, Delivery(tool_calls=(ToolCall("ranks", THREE),)), chunks)
    assert _ranks(units) == [1, 2, 3]


def test_arguments_after_a_call_was_done_move_no_unit_that_is_out() -> None:
    """They are refused as a mistake, or kept where they change no place."""
    stream = EARLY.stream()
    units = _fed(stream, [Chunk(call=0, name="ranks", arguments=THREE, done=True)])
    units += stream.feed(Chunk(call=1, name="ranks", arguments=THREE))
    try:
        units += stream.feed(Chunk(call=0, arguments="   "))
    except Misuse:
        pass
    admission = stream.close()
    assert _dicts(units) == _dicts(admission.units)[: len(units)]


def test_text_after_a_call_is_kept_and_changes_no_unit_that_is_out() -> None:
    """It is unclaimed when units are out; else the delivery is judged as one piece, text first."""
    late = f"\nI am done. {_list(_item(9), _item(8))}"
    stream = EARLY.stream()
    units = _fed(stream, [*_calls(ToolCall("ranks", THREE)), Chunk(text=late)])
    admission = stream.close()
    assert _ranks(units) == [1, 2, 3]
    assert _dicts(admission.units)[:3] == _dicts(units)
    assert late in admission.delivery.body
    stream = EARLY.stream()
    assert _fed(stream, [*_calls(ToolCall("ranks", THREE[:9]))[:-1], Chunk(text=late)]) == []
    whole = EARLY.admit(Delivery(text=late, tool_calls=(ToolCall("ranks", THREE[:9]),)))
    assert stream.close().to_dict() == whole.to_dict()


def test_a_held_contract_reads_calls_at_close() -> None:
    call = ToolCall("ranks", THREE)
    units, admission = _same_as_one_piece(HELD, Delivery(tool_calls=(call,)), _calls(call))
    assert units == []
    assert _ranks(admission.units) == [1, 2, 3]


# ---------------------------------------------------------------------- the providers' own events


def _objects(events: Iterable[Any]) -> list[Any]:
    """Turn dicts into objects with the same attributes, as an SDK gives them."""

    def turn(value: Any) -> Any:
        if isinstance(value, dict):
            return SimpleNamespace(**{key: turn(inner) for key, inner in value.items()})
        return [turn(inner) for inner in value] if isinstance(value, list) else value

    return [turn(event) for event in events]


ANTHROPIC_TEXT: list[dict[str, Any]] = [
    {
        "type": "message_start",
        "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "model-a", "content": [],
            "stop_reason": None, "usage": {"input_tokens": 25, "output_tokens": 1, "service_tier": "standard"},
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": f"Perhaps {THREE}?"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "c2ln"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "ping"},
    *(
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": piece}}
        for piece in _pieces(f"Here:\n```json\n{THREE}\n```", 4)
    ),
    {"type": "content_block_stop", "index": 1},
    {
        "type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 40},
    },
    {"type": "message_stop"},
]  # fmt: skip


def _anthropic_calls(*calls: ToolCall, stop: str = "tool_use") -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"model": "model-a", "usage": {"input_tokens": 9, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Calling."}},
        {"type": "content_block_stop", "index": 0},
    ]
    for index, call in enumerate(calls, 1):
        block: dict[str, Any] = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [
            {
                "type": "content_block_delta",
                "index": index,
                "delta": {"type": "input_json_delta", "partial_json": piece},
            }
            for piece in ["", *_pieces(call.arguments, 5)]
        ]
        events.append({"type": "content_block_stop", "index": index})
    events.append({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 60}})
    events.append({"type": "message_stop"})
    return events


@pytest.mark.parametrize("events", [ANTHROPIC_TEXT, _objects(ANTHROPIC_TEXT)], ids=["dicts", "objects"])
def test_anthropic_text_is_a_stream_like_any_other(events: list[Any]) -> None:
    """Thinking is no payload; model, usage and stop reason are kept; pings are passed over."""
    stream = EARLY.stream(anthropic_chunks(events))
    assert _ranks(stream) == [1, 2, 3]
    delivery = stream.admission.delivery
    assert delivery.text == f"Here:\n```json\n{THREE}\n```"
    assert (delivery.model, delivery.finish_reason) == ("model-a", "end_turn")
    assert delivery.usage == {"input_tokens": 25, "output_tokens": 40}
    assert stream.admission.status is Status.CLEAN


@pytest.mark.parametrize("form", [list, _objects], ids=["dicts", "objects"])
def test_anthropic_tool_calls_are_a_stream_like_any_other(form: Any) -> None:
    """``input_json_delta`` fragments; blocks are counted among the calls, not among all blocks."""
    calls = (ToolCall("move", '{"kind": "move", "to": 1}', "toolu_1"), ToolCall("rename", '{"title": "é"}', "toolu_2"))
    stream = TAGGED.stream(anthropic_chunks(form(_anthropic_calls(*calls))))
    assert [unit.value for unit in stream] == [Move(kind="move", to=1), Rename(kind="rename", title="é")]
    assert stream.admission.delivery.tool_calls == calls
    assert stream.admission.delivery.text == "Calling."
    assert stream.admission.delivery.finish_reason == "tool_use"


def test_anthropic_arguments_are_read_before_the_block_stops() -> None:
    events = _anthropic_calls(ToolCall("ranks", THREE, "toolu_1"))
    stop = next(at for at, event in enumerate(events) if event["type"] == "content_block_stop" and event["index"] == 1)
    assert _ranks(_fed(EARLY.stream(), anthropic_chunks(events[:stop]))) == [1, 2, 3]


def test_an_anthropic_refusal_is_a_refusal() -> None:
    stream = HELD.stream(anthropic_chunks(_anthropic_calls(ToolCall("ranks", THREE, "x"), stop="refusal")))
    assert list(stream) == []
    assert stream.admission.status is Status.REFUSED


def _chat(
    *deltas: dict[str, Any], finish: str | None = "stop", usage: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    shell = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "model-o"}
    events: list[dict[str, Any]] = [
        {**shell, "choices": [{"index": 0, "delta": delta, "finish_reason": None}], "usage": None} for delta in deltas
    ]
    events.append({**shell, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": None})
    if usage is not None:
        events.append({**shell, "choices": [], "usage": usage})
    return events


CHAT_TEXT = _chat(
    {"role": "assistant", "content": ""},
    *({"content": piece} for piece in _pieces(THREE, 6)),
    usage={
        "prompt_tokens": 20,
        "completion_tokens": 30,
        "total_tokens": 50,
        "prompt_tokens_details": {"cached_tokens": 0},
    },
)


@pytest.mark.parametrize("events", [CHAT_TEXT, _objects(CHAT_TEXT)], ids=["dicts", "objects"])
def test_openai_chat_text_is_a_stream_like_any_other(events: list[Any]) -> None:
    """The usage comes in a chunk without choices; counts only, no nested records."""
    stream = EARLY.stream(openai_chunks(events))
    assert _ranks(stream) == [1, 2, 3]
    delivery = stream.admission.delivery
    assert (delivery.text, delivery.finish_reason, delivery.model) == (THREE, "stop", "model-o")
    assert delivery.usage == {"prompt_tokens": 20, "completion_tokens": 30, "total_tokens": 50}


def _chat_calls(*calls: ToolCall) -> list[dict[str, Any]]:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": None}]
    for index, call in enumerate(calls):
        first = {
            "index": index,
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": ""},
        }
        deltas.append({"tool_calls": [first]})
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": piece}}]} for piece in _pieces(call.arguments, 6)
        ]
    return _chat(*deltas, finish="tool_calls")


@pytest.mark.parametrize("form", [list, _objects], ids=["dicts", "objects"])
def test_openai_chat_tool_calls_are_a_stream_like_any_other(form: Any) -> None:
    """Fragments of several calls, told apart by their index; nothing says when one is done."""
    calls = (ToolCall("ranks", THREE, "call_1"), ToolCall("ranks", _list(_item(8), _item(9)), "call_2"))
    stream = EARLY.stream(openai_chunks(form(_chat_calls(*calls))))
    assert _ranks(stream) == [1, 2, 3, 8, 9]
    assert stream.admission.delivery.tool_calls == calls
    assert stream.admission.delivery.finish_reason == "tool_calls"


def test_openai_chat_refusal_is_a_refusal() -> None:
    events = _chat({"role": "assistant", "content": "", "refusal": None}, {"refusal": "I can"}, {"refusal": "not"})
    stream = EARLY.stream(openai_chunks(events))
    assert list(stream) == []
    assert stream.admission.status is Status.REFUSED


def test_only_the_first_openai_choice_is_read() -> None:
    """A second one comes in events of its own, told apart by its index: it would be mixed into this one."""
    events = _chat(*({"content": piece} for piece in _pieces(THREE, 6)))
    other = {"id": "x", "model": "m", "choices": [{"index": 1, "delta": {"content": "other"}, "finish_reason": None}]}
    mixed = [event for pair in zip(events, [other] * len(events), strict=True) for event in pair]
    stream = EARLY.stream(openai_chunks(mixed))
    assert _ranks(stream) == [1, 2, 3]
    assert stream.admission.delivery.text == THREE


RESPONSES_TEXT: list[dict[str, Any]] = [
    {"type": "response.created", "response": {"id": "resp_1", "model": "model-r", "status": "in_progress"}},
    {
        "type": "response.output_item.added",
        "output_index": 0,
        "item": {"type": "message", "id": "msg_1", "content": []},
    },
    *(
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": piece}
        for piece in _pieces(THREE, 6)
    ),
    {"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": THREE},
    {
        "type": "response.completed",
        "response": {
            "id": "resp_1", "model": "model-r", "status": "completed", "incomplete_details": None,
            "usage": {"input_tokens": 8, "output_tokens": 30, "output_tokens_details": {"reasoning_tokens": 0}},
        },
    },
]  # fmt: skip


@pytest.mark.parametrize("events", [RESPONSES_TEXT, _objects(RESPONSES_TEXT)], ids=["dicts", "objects"])
def test_openai_responses_text_is_a_stream_like_any_other(events: list[Any]) -> None:
    """The whole text that comes again at the end is not read twice."""
    stream = EARLY.stream(openai_chunks(events))
    assert _ranks(stream) == [1, 2, 3]
    delivery = stream.admission.delivery
    assert (delivery.text, delivery.finish_reason, delivery.model) == (THREE, "completed", "model-r")
    assert delivery.usage == {"input_tokens": 8, "output_tokens": 30}


def _response_calls(*calls: ToolCall) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [
        {"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "id": "rs_1"}},
    ]
    for index, call in enumerate(calls, 1):
        item = {"type": "function_call", "id": f"fc_{index}", "call_id": call.id, "name": call.name, "arguments": ""}
        events.append({"type": "response.output_item.added", "output_index": index, "item": item})
        events += [
            {"type": "response.function_call_arguments.delta", "output_index": index, "delta": piece}
            for piece in _pieces(call.arguments, 6)
        ]
        events.append(
            {
                "type": "response.function_call_arguments.done",
                "output_index": index,
                "arguments": call.arguments,
            }
        )
    events.append({"type": "response.completed", "response": {"model": "model-r", "usage": None}})
    return events


@pytest.mark.parametrize("form", [list, _objects], ids=["dicts", "objects"])
def test_openai_responses_tool_calls_are_a_stream_like_any_other(form: Any) -> None:
    calls = (ToolCall("move", '{"to": 1}', "call_1"), ToolCall("rename", '{"title": "t"}', "call_2"))
    stream = TAGGED.stream(openai_chunks(form(_response_calls(*calls))))
    assert [unit.value for unit in stream] == [Move(kind="move", to=1), Rename(kind="rename", title="t")]
    assert stream.admission.delivery.tool_calls == calls


@pytest.mark.parametrize(
    ("response", "kind", "finish", "status"),
    [
        ({"incomplete_details": {"reason": "max_output_tokens"}}, "incomplete", "max_output_tokens", Status.PARTIAL),
        ({"incomplete_details": {"reason": "content_filter"}}, "incomplete", "content_filter", Status.REFUSED),
        ({"incomplete_details": None}, "failed", "failed", Status.LOST),
    ],
)
def test_openai_responses_that_end_badly_say_so(
    response: dict[str, Any], kind: str, finish: str, status: Status
) -> None:
    text = {"type": "response.output_text.delta", "delta": THREE}
    stream = HELD.stream(openai_chunks([text, {"type": f"response.{kind}", "response": response}]))
    list(stream)
    assert stream.admission.delivery.finish_reason == finish
    assert stream.admission.status is status


def test_events_that_are_not_known_are_passed_over() -> None:
    """Of either provider, as dicts, objects or anything at all."""
    strange: list[Any] = [{}, {"type": "new.event"}, SimpleNamespace(), 5, None, {"type": None, "delta": "x"}]
    assert list(anthropic_chunks(strange)) == []
    assert list(openai_chunks(strange)) == []


# ---------------------------------------------------------------------- one a line, endless


def _endless(many: int) -> Iterator[str]:
    for rank in range(1, many + 1):
        yield _item(rank, "x" * 50) + "\n"


def test_lines_are_units_one_by_one() -> None:
    """The first one waits for the second: a single object counts only when it is all there is."""
    text = "".join(_endless(4))
    stream = EARLY.stream()
    counts = [len(stream.feed(line)) for line in _endless(4)]
    assert counts == [0, 2, 1, 1]
    assert stream.close().to_dict() == EARLY.admit(text).to_dict()


def test_an_envelope_on_the_first_line_is_read() -> None:
    text = '{"summary": "s"}\n' + "".join(_endless(3))
    stream = REPORT.stream()
    assert _ranks(_fed(stream, _pieces(text, 5))) == [1, 2, 3]
    assert stream.close().to_dict() == REPORT.admit(text).to_dict()


def _held(stream: Stream[Any]) -> tuple[int, int]:
    """Count what a stream holds, wherever it holds it: characters of text, and units' values."""
    chars, values = 0, 0
    seen: set[int] = set()
    left: list[Any] = [stream]
    while left:
        one = left.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, str):
            chars += len(one)
        elif isinstance(one, BaseModel):
            values += 1
        elif isinstance(one, (list, tuple, set, frozenset, deque)):
            left += one
        elif isinstance(one, dict):
            left += [*one.keys(), *one.values()]
        elif type(one).__module__.startswith("pratique.boundary.") and not isinstance(one, Grammar):
            names = [*getattr(one, "__slots__", ()), *getattr(one, "__dict__", ())]
            left += [getattr(one, name) for name in names if hasattr(one, name)]
    return chars, values


@pytest.mark.parametrize("size", [1, 16, 1_000])
@pytest.mark.parametrize("around", [("", ""), ("[", "]")])
def test_an_endless_stream_that_is_not_retained_holds_no_more_text_at_its_end(
    size: int, around: tuple[str, str]
) -> None:
    """Neither text nor values nor findings grow, and every unit is counted."""
    contract = Contract(replace(EARLY.terms, limits=Limits(max_items=10**9, max_bytes=10**9)))
    separator = "," if around[0] else ""
    stream = contract.stream(retain=False)
    stream.feed(around[0])
    many, held = 0, []
    for number, line in enumerate(_endless(2_000), 1):
        many += sum(len(stream.feed(piece)) for piece in _pieces(line.rstrip() + separator + "\n", size))
        if number % 100 == 0:
            held.append(_held(stream))
    stream.feed(_item(2_001) + around[1])
    admission = stream.close()
    longest = len(_item(2_000, "x" * 50)) + 2
    (first_chars, first_values), rest = held[0], held[1:]
    assert first_chars >= longest
    assert all(chars <= first_chars + 2 * longest + 2 * size for chars, _ in rest)
    assert all(values <= first_values + 1 for _, values in rest)
    assert many == 2_000
    assert dict(admission.counts) == {"seen": 2_001, "admitted": 2_001, "quarantined": 0, "not_kept": 0}
    assert admission.released + len(admission.units) == 2_001
    assert len(admission.delivery.text) <= 4 * longest


def test_what_is_refused_is_kept_up_to_a_bound_when_nothing_else_is() -> None:
    """The rest is counted, visibly."""
    contract = Contract(replace(EARLY.terms, limits=Limits(max_items=10**9, max_quarantined=5)))
    stream = contract.stream(retain=False)
    held = []
    for rank in range(300):
        stream.feed(_item(rank % 3, "x" * 50) + "\n")
        if rank in (50, 299):
            held.append(_held(stream)[0])
    assert held[1] <= 1.2 * held[0]
    admission = stream.close()
    counts = dict(admission.counts)
    assert (counts["seen"], counts["admitted"], counts["quarantined"], counts["not_kept"]) == (300, 200, 100, 95)
    assert len(admission.quarantined) == 5


def test_an_account_needs_the_text() -> None:
    stream = EARLY.stream(_pieces(THREE), retain=False)
    assert len(list(stream)) == 3
    with pytest.raises(Misuse, match="retain=True"):
        stream.admission.account()


@pytest.mark.parametrize(
    ("contract", "call", "remedy"),
    [
        (HELD, {}, 'frames="first"'),
        (ORDERED, {}, "leave order_by out"),
        (Contract.items(Item, frames="first", unique=("rank",)), {}, 'keep="first"'),
        (Contract.one(Item), {}, "only one unit"),
        (Contract.batch(Item), {}, "Contract.items"),
        (HELD, {"provisional": True}, 'frames="first"'),
        (EARLY, {"provisional": True}, "leave provisional out"),
    ],
)
def test_what_a_rule_still_needs_cannot_be_forgotten(
    contract: Contract[Any], call: dict[str, Any], remedy: str
) -> None:
    """A contract that holds units back needs them; the message says what to change."""
    with pytest.raises(Misuse) as told:
        contract.stream(retain=False, **call)
    assert remedy in str(told.value)


def test_rules_on_the_list_as_a_whole_cannot_be_forgotten() -> None:
    schema = {"type": "array", "minItems": 2, "items": {"type": "object", "properties": {"rank": {"type": "integer"}}}}
    contract = Contract.from_json_schema(schema, frames="first")
    with pytest.raises(Misuse, match="retain=True"):
        contract.stream(retain=False)


def test_an_empty_list_is_empty_and_never_clean_in_a_stream() -> None:
    """Also when the stream saw the list's end before the text's."""
    text = '{"ranks": []}\nDone.'
    contract = Contract.items(Item, at="ranks", frames="first")
    stream = contract.stream(_pieces(text, 5))
    assert list(stream) == []
    assert stream.admission.to_dict() == contract.admit(text).to_dict()
    assert stream.admission.status is Status.EMPTY


def test_what_a_forgetting_stream_leaves_out_is_counted() -> None:
    """An ellipsis behind a thousand missing commas still costs the delivery its ``clean``."""
    text = "[" + " ".join(map(_item, range(1, 1_100))) + f", ..., {_item(1_100)}]"
    stream = EARLY.stream(retain=False)
    _fed(stream, _pieces(text, 500))
    admission = stream.close()
    assert admission.status is EARLY.admit(text).status is Status.PARTIAL
    assert "stream.not_kept" in {finding.code for finding in admission.findings}
