"""The boundary leads units and envelope from a producer's shape back to the contract's, once, before it judges.

The lens is a fake (``damage.wire``): it renames a key, takes a field out of a box, makes a map of pairs, drops a
null, and opens a string that holds JSON.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from damage.laws import broken_laws
from damage.wire import FakeLens, Item, Member, Summary, elements, lead_item, wired
from pratique import Admission, Admitted, Chunk, Contract, Delivery, Finding, Limits, ToolCall, note, refuse
from pratique.boundary.admit import admit_walking
from pratique.boundary.fast import list_validator
from pratique.boundary.repair import Offsets, Replacement, rewrite
from pratique.quarantine import Filter, MemoryQuarantine, replay
from pratique.terms import Change

LIST, LENS = wired(Contract.items(Item))
EARLY, _ = wired(Contract.items(Item, frames="first"))
REPORT, _ = wired(Contract.items(Item, at="items", envelope=Summary))
BATCH, _ = wired(Contract.batch(Item))
ONE, _ = wired(Contract.one(Item))


def _unit(title: Any = "a", size: Any = 1, **more: Any) -> str:
    return json.dumps({"title": title, "box": {"size": size}, **more})


def _pairs(*pairs: tuple[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": value} for key, value in pairs]


def _seen(admission: Admission[Any]) -> list[tuple[str, str, str]]:
    """Return code, path and the delivery's own text of each finding on a unit that was refused."""
    body = admission.delivery.body
    found = [finding for unit in admission.quarantined for finding in unit.findings]
    return [(told.code, told.path, body[slice(*told.span)] if told.span else "") for told in found]


# ---------------------------------------------------------------------- units


def test_a_unit_is_led_back_once_and_judged_by_the_contract() -> None:
    """What was delivered stays as it was written; what the lens did is no edit."""
    contract, lens = wired(Contract.items(Item))
    units = [_unit("a", 1, counts=_pairs(("x", 1), ("y", 2)), note=None), _unit("b", 2, more='{"z": [1]}')]
    admission = contract.admit(f"[{', '.join(units)}]")
    assert admission.values == (
        Item(name="a", size=1, counts={"x": 1, "y": 2}),
        Item(name="b", size=2, more={"z": [1]}),
    )
    assert lens.seen == units
    assert [unit.raw for unit in admission.units] == units
    assert [unit.edits for unit in admission.units] == [(), ()]
    assert admission.units[0].defaulted == ("action", "note", "more")
    assert (admission.status, admission.findings) == ("clean", ())
    assert not broken_laws(admission)


def test_what_is_written_in_the_contracts_own_shape_is_read_as_written() -> None:
    """A lens that changes nothing is as good as none."""
    admission = LIST.admit('[{"name": "a", "size": 1, "action": "go"}]')
    assert admission.values == (Item(name="a", size=1, action="go"),)


def test_what_is_no_json_is_refused_as_it_is_written() -> None:
    broken = '{"title": "a" "b", "box": {"size": 1}}'
    admission = LIST.admit(f"[{_unit()}, {broken}, {_unit('c')}]")
    assert [value.name for value in admission.values] == ["a", "c"]
    assert [(unit.reason, unit.raw) for unit in admission.quarantined] == [("malformed", broken)]
    assert not broken_laws(admission)


def test_text_is_mended_before_the_lens_and_values_after_it() -> None:
    """Each edit is told with its place in the delivery; the lens saw the mended text, and saw it once."""
    contract, lens = wired(Contract.items(Item))
    text = '[{"title": "a", "box": {"size": 1,}, "action": "Park",}]'
    admission = contract.admit(text)
    assert admission.values == (Item(name="a", size=1, action="park"),)
    told = [(edit.code, text[slice(*edit.span)], edit.after) for edit in admission.units[0].edits]
    assert told == [
        ("repair.comma_deleted", ",", ""),
        ("repair.case_restored", '"Park"', '"park"'),
        ("repair.comma_deleted", ",", ""),
    ]
    assert [edit.span.start for edit in admission.units[0].edits] == [text.index(",}"), text.index('"Park"'), 54 - 1]
    whole = [seen for seen in lens.seen if seen.endswith('"Park"}')]
    assert whole == ['{"title": "a", "box": {"size": 1}, "action": "Park"}']


def test_the_lens_is_not_applied_to_what_an_edit_of_a_value_made() -> None:
    """A map that was written as a string is decoded; pairs inside it are not the contract's shape any more."""
    contract, lens = wired(Contract.items(Item))
    unit = _unit(counts=json.dumps({"x": 1}))
    assert contract.admit(f"[{unit}]").values == (Item(name="a", size=1, counts={"x": 1}),)
    assert lens.seen == [unit]
    admission = contract.admit(f"[{_unit(counts=json.dumps(_pairs(('x', 1))))}]")
    assert [unit.reason for unit in admission.quarantined] == ["schema"]


@pytest.mark.parametrize(
    ("unit", "code", "path", "place"),
    [
        (_unit(size=0), "validate.bound", "$[1].size", "0"),
        (_unit(title=["é"]), "validate.type", "$[1].name", '["\\u00e9"]'),
        (_unit(counts=_pairs(("x", 1), ("y", "2"))), "validate.type", "$[1].counts.y", '"2"'),
        (_unit(action="stop"), "validate.choice", "$[1].action", '"stop"'),
        (_unit(mood="ok"), "validate.extra", "$[1].mood", '"mood"'),
        (_unit(note=5), "validate.type", "$[1].note", "5"),
        (_unit(more='{"x": 1, "x": 2}'), "validate.duplicate_key", "$[1]", '"{\\"x\\": 1, \\"x\\": 2}"'),
        (_unit(counts=_pairs(("x", int("9" * 400)))), "guard.number_digits", "$[1]", "9" * 400),
        ('{"title": "a", "counts": []}', "validate.missing", "$[1].size", "{"),
    ],
)
def test_a_finding_names_the_contracts_path_and_the_place_that_was_delivered(
    unit: str, code: str, path: str, place: str
) -> None:
    """The text at its place is what the producer wrote there."""
    text = f"Here: [{_unit()},\n  {unit}]"
    admission = LIST.admit(text)
    assert _seen(admission) == [(code, path, place)]
    span = admission.quarantined[0].findings[0].span
    assert span is not None
    assert span.start >= text.index(unit)
    assert not broken_laws(admission)


def test_a_value_that_the_lens_made_anew_has_all_that_was_written_as_its_place() -> None:
    """A map with too many keys: its place is the whole list of pairs."""
    counts = _pairs(("a", 1), ("b", 2), ("c", 3), ("d", 4))
    admission = LIST.admit(f"[{_unit(counts=counts)}]")
    assert _seen(admission) == [("validate.bound", "$[0].counts", json.dumps(counts))]


def test_two_pairs_with_one_key_are_a_duplicate_key_where_the_second_stands() -> None:
    """Which of the two is meant cannot be known."""
    text = f"[{_unit(counts=_pairs(('x', 1), ('x', 2)))}]"
    admission = LIST.admit(text)
    assert [unit.reason for unit in admission.quarantined] == ["duplicate_key"]
    assert _seen(admission) == [("validate.duplicate_key", "$[0]", '"x"')]
    span = admission.quarantined[0].findings[0].span
    assert span is not None
    assert span.start == text.rindex('"x"')


def test_a_key_that_was_written_twice_is_told_although_the_lens_would_keep_one() -> None:
    """A null that is dropped must not hide that the field came twice."""
    text = '[{"title": "a", "box": {"size": 1}, "note": null, "note": "x"}]'
    admission = LIST.admit(text)
    assert _seen(admission) == [("validate.duplicate_key", "$[0]", '"note"')]
    span = admission.quarantined[0].findings[0].span
    assert span is not None
    assert span.start == text.rindex('"note"')


def test_a_duplicate_key_in_a_unit_without_a_lens_has_its_place_too() -> None:
    """Keys with escaped quotes and white space around their colon included."""
    text = '[{"name": "a", "size": 1, "counts": {"q\\"\\\\": 1, "q\\"\\\\" :\n2}}]'
    admission = Contract.items(Item).admit(text)
    assert _seen(admission) == [("validate.duplicate_key", "$[0]", '"q\\"\\\\"')]


def _size_is_told(_: Item) -> Iterator[Finding]:
    yield note("told", path="size")


def _size_is_small(item: Item) -> Iterator[Finding]:
    if item.size > 5:
        yield refuse("too large", path="size")


def test_a_check_of_the_contract_points_into_the_delivery_also_in_a_stream() -> None:
    """The unit is sound, so only its own text can tell where the field stands."""
    contract, _ = wired(Contract.items(Item, checks=[_size_is_small, _size_is_told], frames="first"))
    text = f"[{_unit(counts=_pairs(('x', 1)))}, {_unit('b', 7)}, {_unit('c', 3)}]"
    admission = contract.admit(text)
    assert ("check.failed", "$[1].size", "7") in _seen(admission)
    told = [finding for unit in admission.units for finding in unit.findings]
    assert [text[slice(*finding.span or ())] for finding in told] == ["1", "3"]
    assert _same(contract, admission, _cuts(text))


class Held(BaseModel):
    """A part of a unit."""

    a: int


class Holding(BaseModel):
    """A unit whose parts a validator can count."""

    name: str
    more: Held | None = None
    note: str | None = "none was given"


def _holding(**rules: Any) -> Contract[Holding]:
    contract = Contract.items(Holding, **rules)
    keys = frozenset({"title", "more", "note"})
    unit = replace(contract.terms.unit, lens=FakeLens(lead_item), keys=keys, all_keys=keys)
    return Contract(replace(contract.terms, unit=unit))


@pytest.mark.parametrize(
    ("held", "code"),
    [
        ('"{\\"a\\"\\t: 1, \\"a\\": 2}"', "validate.duplicate_key"),
        ('"{\\"a\\": ' + "\\u0039" * 400 + '}"', "guard.number_digits"),
    ],
)
def test_what_no_validator_tells_is_looked_for_in_what_the_lens_made(held: str, code: str) -> None:
    """In what was delivered, escapes hide the white space before a colon and the run of digits."""
    admission = _holding().admit(f'[{{"title": "a", "more": {held}}}]')
    assert [found[0] for found in _seen(admission)] == [code]
    assert _seen(admission)[0][2] == held


# ---------------------------------------------------------------------- the fast path


def test_what_validates_units_together_is_not_used_with_a_lens() -> None:
    """It would judge the producer's shape; without a lens nothing changes."""
    terms = COMMANDS.terms
    assert list_validator(replace(terms, unit=replace(terms.unit, lens=None))) is not None
    assert list_validator(terms) is None
    assert list_validator(terms, forgiving=True) is None


def test_a_text_that_both_shapes_allow_is_led_back_all_the_same() -> None:
    """A null that means absent is no null of the contract, in units that come early and in the envelope too."""
    contract = _holding(frames="first")
    text = '[{"title": "a", "note": null}, {"name": "b", "note": null}, {"note": null, "title": "c"}]'
    told = "none was given"
    expected = [Holding(name=name, note=told) for name in "abc"]
    assert list(contract.admit(text).values) == expected
    assert [unit.value for unit in contract.stream(text)] == expected
    around = Contract.items(Held, at="items", envelope=Holding)
    assert around.terms.envelope is not None
    envelope = replace(around.terms.envelope, lens=FakeLens(lead_item))
    report = '{"name": "a", "note": null, "items": [{"a": 1}]}'
    assert Contract(replace(around.terms, envelope=envelope)).admit(report).envelope == Holding(name="a", note=told)


def test_an_envelope_alone_may_have_a_lens() -> None:
    """Then its units are as the contract has them."""
    terms = REPORT.terms
    contract = Contract(replace(terms, unit=Contract.items(Item).terms.unit))
    text = '{"about": "x", "items": [{"name": "a", "size": 1}]}'
    admission = contract.admit(text)
    assert (admission.status, admission.envelope) == ("clean", Summary(summary="x"))
    assert admit_walking(contract.terms, admission.delivery, {}).to_dict() == admission.to_dict()


# ---------------------------------------------------------------------- the envelope


def test_the_envelope_is_led_back_without_its_list() -> None:
    lens = REPORT.terms.envelope.lens if REPORT.terms.envelope else None
    assert isinstance(lens, FakeLens)
    lens.seen.clear()
    admission = REPORT.admit(f'{{"about": "x", "items": [{_unit()}]}}')
    assert admission.envelope == Summary(summary="x")
    assert admission.status == "clean"
    assert lens.seen == ['{"about": "x"}']


@pytest.mark.parametrize(
    ("head", "tail", "message", "place"),
    [
        ('"about": 5, ', "", "validate.type", "5"),
        ("", ', "about": "longer than it may be"', "validate.bound", '"longer than it may be"'),
        ('"about": "x", ', ', "mood": "ok"', "validate.extra", '"ok"'),
        ('"about": "x", ', ', "about": "y"', "validate.duplicate_key", '"about"'),
    ],
)
def test_a_finding_on_the_envelope_points_into_the_delivery(head: str, tail: str, message: str, place: str) -> None:
    """Before the list and behind it."""
    text = f'{{{head}"items": [{_unit()}]{tail}}}'
    admission = REPORT.admit(text)
    assert [value.name for value in admission.values] == ["a"]
    told = [finding for finding in admission.findings if finding.code == "envelope.invalid"]
    assert [(finding.message.partition(":")[0], text[slice(*finding.span or ())]) for finding in told] == [
        (message, place)
    ]
    if message == "validate.duplicate_key":
        assert told[0].span is not None
        assert told[0].span.start == text.rindex('"about"')
    assert not broken_laws(admission)


def test_an_envelope_is_mended_before_its_lens() -> None:
    admission = REPORT.admit(f'{{"about": "x",, "items": [{_unit()}]}}')
    assert admission.envelope == Summary(summary="x")
    assert [edit.code for edit in admission.envelope_edits] == ["repair.comma_deleted"]


def test_a_payload_that_is_a_string_is_decoded_and_then_led_back() -> None:
    """Decoding, the lens and the contract each do their own part."""
    admission = REPORT.admit(json.dumps(f'{{"about": "x", "items": [{_unit()}]}}'))
    assert (admission.values, admission.envelope) == ((Item(name="a", size=1),), Summary(summary="x"))


def test_a_finding_in_a_list_that_was_a_string_points_at_its_characters() -> None:
    """Through the escapes, with a lens and without one; whether the type refuses the unit or a check does."""
    inner = f"[{_unit('q' + chr(34), 7)}, {_unit('é' + chr(34), 0)}]"
    wire, _ = wired(Contract.items(Item, at="items", checks=[_size_is_small]))
    text = f'{{"items": {json.dumps(inner)}}}'
    assert sorted(_seen(wire.admit(text))) == [
        ("check.failed", "$.items[0].size", "7"),
        ("validate.bound", "$.items[1].size", "0"),
    ]
    plain = Contract.items(Item, at="items", checks=[_size_is_small])
    inner = json.dumps([{"name": 'q"', "size": 7}, {"name": "\n", "size": 0}, {"name": "x", "size": 1}, {"name": 5}])
    text = f'{{"items": {json.dumps(inner)}}}'
    assert _seen(plain.admit(text)) == [
        ("check.failed", "$.items[0].size", "7"),
        ("validate.bound", "$.items[1].size", "0"),
        ("validate.missing", "$.items[3].size", "{"),
        ("validate.type", "$.items[3].name", "5"),
    ]


# ---------------------------------------------------------------------- tool calls


class Loose(Item):
    """The unit of a wider contract."""

    size: int


class Move(BaseModel):
    """A command."""

    kind: Literal["move"]
    to: int


class Rename(BaseModel):
    """Another one."""

    kind: Literal["rename"]
    to: str


def _by_tag(text: str, member: Member) -> Iterator[Change]:
    """Lead ``target`` back to ``to``, in a move alone: what a key means hangs on the variant."""
    if member.key == "target" and json.loads(text).get("kind") == "move":
        yield Change(member.key_start, member.key_end, '"to"')


def _commands(**changed: Any) -> tuple[Contract[Any], FakeLens]:
    lens = FakeLens(_by_tag)
    terms = Contract.items(Annotated[Move | Rename, Field(discriminator="kind")], name="commands").terms
    keys = frozenset({"kind", "to", "target"})
    unit = replace(terms.unit, lens=lens, keys=keys, all_keys=keys, tools={"do_move": "move"})
    return Contract(replace(terms, unit=unit, **changed)), lens


COMMANDS, _ = _commands(tool="all_commands")
FIRST_COMMANDS = Contract(replace(COMMANDS.terms, frames="first"))


def _call(name: str, arguments: str, contract: Contract[Any] = COMMANDS) -> Admission[Any]:
    return contract.admit(Delivery(tool_calls=(ToolCall(name, arguments),)))


@pytest.mark.parametrize("tool", ["move", "do_move"])
def test_a_tool_stands_for_a_variant_by_the_contracts_word_or_by_its_tag(tool: str) -> None:
    """The tag is put in before the lens, which looks at it; it saw the arguments once."""
    contract, lens = _commands()
    admission = _call(tool, '{"target": 2}', contract)
    assert admission.values == (Move(kind="move", to=2),)
    assert [edit.code for edit in admission.units[0].edits] == ["frame.tag_from_tool"]
    assert lens.seen == ['{"kind": "move", "target": 2}']


def test_a_tag_that_was_sent_is_not_put_in_again() -> None:
    admission = _call("do_move", '{"target": 2, "kind": "move"}')
    assert admission.values == (Move(kind="move", to=2),)
    assert admission.units[0].edits == ()


def test_a_tag_in_another_letter_case_is_restored_before_the_lens() -> None:
    """A provider that holds enums may still change their case."""
    admission = _call("do_move", '{"kind": "MOVE", "target": 2}')
    assert admission.values == (Move(kind="move", to=2),)
    told = [(edit.code, edit.before, edit.after) for edit in admission.units[0].edits]
    assert told == [("repair.case_restored", '"MOVE"', '"move"')]


@pytest.mark.parametrize("tag", ['"rename"', '"\\u001b[31m"', "5"])
def test_a_tag_that_contradicts_the_tool_is_refused_with_its_place(tag: str) -> None:
    """What the producer wrote reaches the message quoted and escaped."""
    admission = _call("do_move", f'{{"kind": {tag}, "target": 2}}')
    assert _seen(admission) == [("validate.choice", "$[0].kind", tag)]
    assert "\x1b" not in admission.quarantined[0].findings[0].message


def test_mended_arguments_get_their_tag_too() -> None:
    """The tag is put into what the edits made JSON of, not into what is none."""
    for arguments in ('{"target": 2,}', "{'target': 2}"):
        admission = _call("do_move", arguments)
        assert admission.values == (Move(kind="move", to=2),)
        assert [edit.code for edit in admission.units[0].edits].count("frame.tag_from_tool") == 1
    admission = _call("do_move", "{'kind': 'move', 'target': 2}")
    assert [edit.code for edit in admission.units[0].edits] == ["repair.single_quotes"]


@pytest.mark.parametrize("key", ["do_move", "arguments", "parameters", "input"])
def test_arguments_under_one_more_key_are_taken_out_before_tag_and_lens(key: str) -> None:
    text = json.dumps({key: {"target": 2}})
    admission = _call("do_move", text)
    assert admission.values == (Move(kind="move", to=2),)
    edits = admission.units[0].edits
    assert {edit.code for edit in edits} == {"repair.unwrapped", "frame.tag_from_tool"}
    assert [edit.before for edit in edits if edit.code == "repair.unwrapped"] == [f'{{"{key}": ', "}"]
    assert admission.units[0].raw == text
    assert not broken_laws(admission)


def test_a_finding_in_unwrapped_arguments_points_into_them() -> None:
    admission = _call("do_move", ' {"input": {"target": "far"}} ')
    assert _seen(admission) == [("validate.type", "$[0].to", '"far"')]


def test_a_stub_is_refused_for_what_it_leaves_out() -> None:
    """Nothing is filled, and nothing is unwrapped."""
    for stub in ("{}", '{"do_move": {}}', '{"input": {}}'):
        admission = _call("do_move", stub)
        assert "validate.missing" in {code for code, _, _ in _seen(admission)}
        assert all(not unit.edits or unit.edits[0].code != "repair.unwrapped" for unit in admission.quarantined)


def test_unwrapping_can_be_switched_off() -> None:
    contract = Contract(replace(COMMANDS.terms, edits=COMMANDS.terms.edits - {"repair.unwrapped"}))
    admission = _call("do_move", '{"do_move": {"target": 2}}', contract)
    assert [unit.reason for unit in admission.quarantined] == ["schema"]


def test_the_whole_contract_is_called_by_its_tools_name() -> None:
    """That name is the one of the terms; the contract's own is then no tool."""
    unit = '{"kind": "move", "target": 2}'
    assert _call("all_commands", f"[{unit}]").values == (Move(kind="move", to=2),)
    assert "frame.unknown_tool" in {code for code, _, _ in _seen(_call("commands", f"[{unit}]"))}


def test_calls_that_were_written_as_text_are_led_back_too() -> None:
    text = '[{"name": "do_move", "arguments": {"target": 2}}, {"name": "rename", "arguments": {"to": "x"}}]'
    assert COMMANDS.admit(text).values == (Move(kind="move", to=2), Rename(kind="rename", to="x"))


# ---------------------------------------------------------------------- streams


def _streamed(contract: Contract[Any], text: str, size: int) -> Admission[Any]:
    stream = contract.stream(text[at : at + size] for at in range(0, len(text), size))
    for _ in stream:
        pass
    return stream.admission


MIXED = [
    _unit("a", 1, counts=_pairs(("x", 1)), note=None),
    _unit("b", 0),
    '{"title": "c", "box": {"size": 3,}, "action": "Go"}',
    _unit("d", 4, counts=_pairs(("x", 1), ("x", 2))),
    '{"title": "e" "box": {"size": 5}}',
    _unit("f", 6, more='{"x" : 1}'),
]
ORDERS = ['{"kind": "move", "target": 1}', '{"kind": "rename", "target": "x"}', '{"target": 2, "kind": "Move"}']
SOUND = [MIXED[0], _unit("g", 7, note="n")]


def _cuts(text: str) -> Iterator[list[str]]:
    for at in range(len(text) + 1):
        yield [text[:at], text[at:]]
    yield [text[at : at + 1] for at in range(len(text))]


def _dict_of(unit: object) -> dict[str, Any]:
    assert isinstance(unit, Admitted)  # nothing provisional was asked for
    return unit.to_dict()


def _same(contract: Contract[Any], whole: Admission[Any], ways: Iterable[list[Any]]) -> int:
    """Hold every way of coming to the verdict in one piece; return how many units came before the end."""
    early = 0
    units = [unit.to_dict() for unit in whole.units]
    for chunks in ways:
        stream = contract.stream()
        handed = [_dict_of(unit) for chunk in chunks for unit in stream.feed(chunk)]
        assert handed == units[: len(handed)]
        assert stream.close().to_dict() == whole.to_dict()
        early += len(handed)
    return early


@pytest.mark.parametrize(
    ("contract", "text", "status"),
    [
        pytest.param(LIST, f"[{', '.join(MIXED)}]", "partial", id="list, damaged"),
        pytest.param(EARLY, f"[{', '.join(MIXED)}]", "partial", id="list released early, damaged"),
        pytest.param(EARLY, "\n".join(SOUND), "clean", id="lines released early"),
        pytest.param(FIRST_COMMANDS, f"[{', '.join(ORDERS)}]", "partial", id="a closed union released early"),
        pytest.param(REPORT, f'{{"about": "x", "items": [{", ".join(SOUND)}]}}', "clean", id="report"),
        pytest.param(ONE, SOUND[0], "clean", id="one"),
        pytest.param(ONE, MIXED[3], "lost", id="one, a key twice"),
        pytest.param(BATCH, f"[{', '.join(SOUND)}]", "clean", id="batch"),
        pytest.param(BATCH, f"[{SOUND[0]}, {MIXED[1]}]", "lost", id="batch, one unit refused"),
    ],
)
def test_a_stream_gives_the_verdict_of_the_whole_at_every_place(
    contract: Contract[Any], text: str, status: str
) -> None:
    """Cut once at every place, and character by character."""
    whole = contract.admit(text)
    assert whole.status == status
    early = _same(contract, whole, _cuts(text))
    assert bool(early) is contract.release.early


@pytest.mark.parametrize("size", [1, 50, 100_000])
def test_a_stream_leads_each_unit_back_at_most_twice(size: int) -> None:
    """As it comes, and once more for the verdict on the whole; the size of the pieces adds nothing."""
    contract, lens = wired(Contract.items(Item, frames="first"))
    units = [_unit(str(at), at + 1) for at in range(100)]
    assert len(_streamed(contract, f"[{', '.join(units)}]", size).values) == 100
    assert max(Counter(lens.seen).values()) <= 2
    assert set(lens.seen) == set(units)


def test_a_unit_that_was_led_back_is_kept_and_replayed_as_it_was_delivered() -> None:
    """The quarantine holds the producer's own text; a wider contract admits it from there."""
    store = MemoryQuarantine()
    admission = LIST.admit(f"[{_unit('a')}, {_unit('b', 0)}]")
    store.keep(admission)
    loose, _ = wired(Contract.items(Loose, name="Item"))
    replayed = replay(store, loose, where=Filter(), dry_run=False, author="x", note="y")
    assert replayed.values == (Loose(name="b", size=0),)
    assert [unit.raw for one in replayed.admitted for unit in one.units] == [_unit("b", 0)]


def test_a_stream_that_forgets_counts_the_same() -> None:
    text = f"[{', '.join(MIXED * 3)}]"
    whole = EARLY.admit(text)
    for size in (1, 16, 500):
        stream = EARLY.stream((text[at : at + size] for at in range(0, len(text), size)), retain=False)
        values = [unit.value for unit in stream]
        assert tuple(values) == whole.values
        assert (stream.admission.status, stream.admission.counts) == (whole.status, whole.counts)
        assert _seen_codes(stream.admission) == _seen_codes(whole)


def _seen_codes(admission: Admission[Any]) -> list[tuple[str, Any]]:
    return [(told.code, told.span) for unit in admission.quarantined for told in unit.findings]


def _chunks(calls: tuple[ToolCall, ...], cut: Callable[[str], list[str]]) -> list[Chunk]:
    chunks = []
    for place, call in enumerate(calls):
        chunks.append(Chunk(call=place, name=call.name))
        chunks += [Chunk(call=place, arguments=piece) for piece in cut(call.arguments)]
        chunks.append(Chunk(call=place, done=True))
    return chunks


def _split(at: int) -> Callable[[str], list[str]]:
    return lambda text: [text[start:stop] for start, stop in pairwise([0, min(at, len(text)), len(text)])]


@pytest.mark.parametrize(
    ("contract", "calls"),
    [
        pytest.param(EARLY, (ToolCall("Item", f"[{', '.join(MIXED)}]"),), id="the whole contract"),
        pytest.param(
            FIRST_COMMANDS,
            (
                ToolCall("do_move", '{"target": 2}'),
                ToolCall("move", '{"move": {"target": "far"}}'),
                ToolCall("rename", '{"to": "x",}'),
                ToolCall("all_commands", '[{"kind": "move", "target": 3}]'),
                ToolCall("commands", "[]"),
            ),
            id="a tool a variant",
        ),
    ],
)
def test_calls_in_a_stream_get_the_verdict_of_the_whole_at_every_place(
    contract: Contract[Any], calls: tuple[ToolCall, ...]
) -> None:
    """Each call's arguments cut at every place."""
    whole = contract.admit(Delivery(tool_calls=calls))
    assert whole.values
    assert whole.quarantined
    longest = max(len(call.arguments) for call in calls)
    assert _same(contract, whole, (_chunks(calls, _split(at)) for at in range(longest + 1)))


# ---------------------------------------------------------------------- places


def test_a_stretch_that_was_written_anew_comes_from_all_that_stood_there() -> None:
    """Copied text is found where it was; text that was put in, where it was put."""
    text = "abc[1, 2]def"
    mended = rewrite(text, [Replacement("", 3, 9, "{x}", 9), Replacement("", 12, 12, "!", 12)])
    assert mended.text == "abc{x}def!"
    back = mended.back
    assert back.span(0, 3) == (0, 3)
    assert back.span(3, 6) == (3, 9)
    assert back.span(6, 9) == (9, 12)
    assert back.span(2, 7) == (2, 10)
    assert back.span(9, 10) == (12, 12)
    assert back.span(6, 6) == (9, 9)
    assert back.span(4, 4) == (3, 3)
    twice = rewrite(mended.text, [Replacement("", 0, 1, "", 1)], back)
    assert twice.back.span(2, 5) == (3, 9)
    assert isinstance(twice.back, Offsets)


def test_the_fakes_own_walk_knows_its_places() -> None:
    """The tests above hang on it."""
    text = ' [ {"a" : [1, 2]} , 3]'
    assert [text[start:end] for start, end in elements(text, 1)] == ['{"a" : [1, 2]}', "3"]


def test_a_limit_on_length_is_the_contracts_own() -> None:
    """A string that holds JSON may be longer than a string of the contract may be."""
    contract, _ = wired(Contract.items(Item, limits=Limits(max_string_chars=20)))
    held = json.dumps({str(key): 1 for key in range(20)})
    assert len(contract.admit(f"[{_unit(more=held)}]").values) == 1
    assert _seen(contract.admit(f"[{_unit(title='x' * 21)}]"))[0][0] == "guard.string_chars"
