"""Values that may not pass: the unit that holds one is refused, its neighbours are not touched."""

from __future__ import annotations

import json
from random import Random

from damage.kind import Damaged, Expect, kind
from damage.report import Report


def _others(report: Report, *indices: int) -> tuple[int, ...]:
    return tuple(at for at in range(len(report.units)) if at not in indices)


def _with(report: Report, rng: Random, name: str, field: str, raw: str, reasons: set[str]) -> Damaged:
    """Write ``raw`` as the value of one unit's field."""
    index = rng.randrange(len(report.units))
    holder = report.units[index] if field in report.units[index] else report.units[index]["wsjf"]
    texts = report.unit_texts
    key = json.dumps(field)
    at = texts[index].rindex(key) + len(key)
    start = at + len(texts[index][at:]) - len(texts[index][at:].lstrip(": "))
    end = start + len(report.dump(holder[field]))
    assert texts[index][start:end] == report.dump(holder[field])
    texts[index] = texts[index][:start] + raw + texts[index][end:]
    return Damaged(
        text=report.join(texts),
        kind=name,
        untouched=_others(report, index),
        expect=Expect(
            status=frozenset({"partial"}),
            reasons=frozenset(reasons),
            truncated=False,
            admitted=len(report.units) - 1,
        ),
        note=raw[:40],
    )


@kind
def wrong_type(report: Report, rng: Random) -> Damaged:
    """A value of another type; nothing is coerced."""
    field, raw = rng.choice(
        (("rank", '"3"'), ("rank", "2.5"), ("blocked", '"true"'), ("blocked", "1"), ("size", "true"),
         ("candidate", "12"), ("owner", '["ops"]'), ("value", "null"), ("score", '"1.5"'))
    )  # fmt: skip
    return _with(report, rng, "wrong_type", field, raw, {"schema"})


@kind
def out_of_vocabulary(report: Report, rng: Random) -> Damaged:
    """A word that the vocabulary does not hold."""
    raw = rng.choice(('"ship-it"', '"do not park"', '"work-next,park"', '""', '"parked"', '"w\u043erk-next"'))
    return _with(report, rng, "out_of_vocabulary", "action", raw, {"schema"})


@kind
def out_of_range(report: Report, rng: Random) -> Damaged:
    """A number outside its bounds."""
    field, raw = rng.choice((("rank", "0"), ("rank", "-3"), ("size", "0")))
    return _with(report, rng, "out_of_range", field, raw, {"schema"})


@kind
def missing_field(report: Report, rng: Random) -> Damaged:
    """A required field is not there: nobody fills it."""
    index = rng.randrange(len(report.units))
    unit = dict(report.units[index])
    unit.pop(rng.choice([key for key in unit if key != "rank"]))
    return _rewritten(report, index, unit, "missing_field", {"schema"})


@kind
def extra_field(report: Report, rng: Random) -> Damaged:
    """A field that the contract does not know."""
    index = rng.randrange(len(report.units))
    unit = {**report.units[index], rng.choice(("note", "__proto__", "Rank", "")): rng.choice((1, "x", None))}
    return _rewritten(report, index, unit, "extra_field", {"schema"})


def _rewritten(report: Report, index: int, unit: object, name: str, reasons: set[str]) -> Damaged:
    texts = report.unit_texts
    texts[index] = report.dump(unit).replace("\n", "\n    ") if report.style.value == "pretty" else report.dump(unit)
    return Damaged(
        text=report.join(texts),
        kind=name,
        untouched=_others(report, index),
        expect=Expect(
            status=frozenset({"partial"}), reasons=frozenset(reasons), truncated=False, admitted=len(report.units) - 1
        ),
    )


@kind
def not_an_object(report: Report, rng: Random) -> Damaged:
    """Something that is no object stands in unit position."""
    texts = report.restyled(report.style if report.style.value != "ndjson" else type(report.style).SPACED)
    raw = rng.choice(("null", "17", '"see above"', "[]", "true", "[1, 2]"))
    parts = texts.unit_texts
    parts.insert(rng.randrange(len(parts) + 1), raw)
    return Damaged(
        text=texts.join(parts),
        kind="not_an_object",
        untouched=tuple(range(len(report.units))),
        expect=Expect(status=frozenset({"partial"}), truncated=False, admitted=len(report.units)),
        note=raw,
    )


@kind
def duplicate_key(report: Report, rng: Random) -> Damaged:
    """A key twice in one unit, plain or escaped, at its own level or below."""
    index = rng.randrange(len(report.units))
    texts = report.unit_texts
    text = texts[index]
    place = rng.choice(("first", "last", "below"))
    other = report.units[index]["rank"] + 50
    if place == "first":
        key = rng.choice(('"rank"', '"r\\u0061nk"', '"rank" '))
        texts[index] = f"{text[:1]}{key}: {other},{text[1:]}"
    elif place == "last":
        texts[index] = f'{text[:-1]}, "rank": {other}{text[-1:]}'
    else:
        at = text.index("{", text.index('"wsjf"')) + 1
        texts[index] = f'{text[:at]}"size": 77,{text[at:]}'
    return Damaged(
        text=report.join(texts),
        kind="duplicate_key",
        untouched=_others(report, index),
        expect=Expect(
            status=frozenset({"partial"}),
            reasons=frozenset({"duplicate_key"}),
            truncated=False,
            admitted=len(report.units) - 1,
        ),
    )


@kind
def not_finite(report: Report, rng: Random) -> Damaged:
    """A number that is none."""
    raw = rng.choice(("NaN", "Infinity", "-Infinity", "nan", "inf", "undefined"))
    return _with(report, rng, "not_finite", "score", raw, {"malformed", "schema", "guardrail"})


@kind
def overflow(report: Report, rng: Random) -> Damaged:
    """A number beyond what a double holds."""
    field, raw = rng.choice((("score", "1e400"), ("score", "-1e400"), ("score", "1e9999999"), ("score", "1" * 400)))
    return _with(report, rng, "overflow", field, raw, {"malformed", "schema", "guardrail"})


@kind
def bad_number(report: Report, rng: Random) -> Damaged:
    """A number that JSON does not know."""
    raw = rng.choice(("007", "1_000", "0x1F", "5.", ".5", "+7", "1/2", "12,5", "--3", "1e", "٣", "1 000"))
    return _with(report, rng, "bad_number", rng.choice(("score", "value")), raw, {"malformed", "schema"})


@kind
def huge_integer(report: Report, rng: Random) -> Damaged:
    """An integer of thousands of digits."""
    raw = rng.choice("123456789") * rng.choice((400, 4_301, 20_000))
    return _with(report, rng, "huge_integer", rng.choice(("rank", "value")), raw, {"guardrail", "schema", "malformed"})


@kind
def lone_surrogate(report: Report, rng: Random) -> Damaged:
    """Half a character, escaped or raw."""
    raw = rng.choice((r'"half \ud83d of it"', r'"half \udea2 of it"', '"half \ud83d of it"', r'"\udea2\ud83d"'))
    return _with(report, rng, "lone_surrogate", "candidate", raw, {"malformed", "guardrail", "schema"})


@kind
def invalid_utf8(report: Report, rng: Random) -> Damaged:
    """A byte that is no UTF-8, in one unit's string."""
    index = rng.randrange(len(report.units))
    texts = report.unit_texts
    at = texts[index].index('"why"') + len('"why": "')
    texts[index] = texts[index][:at] + "\ue000" + texts[index][at:]
    bad = rng.choice((b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf8\x88"))
    return Damaged(
        text=report.join(texts).encode().replace("\ue000".encode(), bad),
        kind="invalid_utf8",
        untouched=_others(report, index),
        expect=Expect(status=frozenset({"partial"}), truncated=False, admitted=len(report.units) - 1),
        note=repr(bad),
    )


@kind
def too_deep(report: Report, rng: Random) -> Damaged:
    """One unit nests too deep, balanced or not."""
    depth = rng.choice((20, 300, 5_000))
    opened, closed = rng.choice((("[", "]"), ('{"a":', "}")))
    filler = "" if opened == "[" else "1"
    raw = opened * depth + filler + closed * depth
    return _with(report, rng, "too_deep", "owner", raw, {"guardrail", "schema", "malformed"})


@kind
def too_long_string(report: Report, rng: Random) -> Damaged:
    """One string longer than the contract allows."""
    raw = json.dumps("x" * rng.choice((1_001, 4_001, 100_000)))
    return _with(report, rng, "too_long_string", "why", raw, {"schema", "guardrail"})
