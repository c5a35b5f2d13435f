"""Marks lost, added or replaced, so that structure is broken: the touched unit may go, no other."""

from __future__ import annotations

from random import Random

from damage.kind import Damaged, Expect, kind
from damage.report import Report, Style
from damage.tokens import Token, tokens

_DOCUMENTS = (Style.PRETTY, Style.SPACED, Style.COMPACT)


def _all(report: Report) -> tuple[int, ...]:
    return tuple(range(len(report.units)))


def _others(report: Report, *indices: int) -> tuple[int, ...]:
    return tuple(at for at in _all(report) if at not in indices)


def _without(report: Report, index: int, start: int, end: int, name: str, by: str = "") -> Damaged:
    """Replace a stretch of one unit."""
    texts = report.unit_texts
    note = texts[index][max(0, start - 25) : end + 25]
    texts[index] = texts[index][:start] + by + texts[index][end:]
    return Damaged(text=report.join(texts), kind=name, untouched=_others(report, index), note=note)


def _one(report: Report, rng: Random, mark: str) -> tuple[int, Token]:
    """Choose a unit, and a mark in it."""
    index = rng.randrange(len(report.units))
    text = report.unit_texts[index]
    return index, rng.choice([token for token in tokens(text) if text[token.start] == mark])


@kind
def missing_colon(report: Report, rng: Random) -> Damaged:
    """One colon missing."""
    index, token = _one(report, rng, ":")
    return _without(report, index, token.start, token.end, "missing_colon")


@kind
def missing_quote(report: Report, rng: Random) -> Damaged:
    """One quote missing: opening or closing, of a key or of a value."""
    index, token = _one(report, rng, '"')
    at = token.start if rng.random() < 0.5 else token.end - 1
    return _without(report, index, at, at + 1, "missing_quote")


@kind
def missing_inner_close(report: Report, rng: Random) -> Damaged:
    """The nested object's closing brace is missing."""
    index = rng.randrange(len(report.units))
    text = report.unit_texts[index]
    at = text.index("}", text.index('"size"'))
    return _without(report, index, at, at + 1, "missing_inner_close")


@kind
def missing_inner_open(report: Report, rng: Random) -> Damaged:
    """The nested object's opening brace is missing."""
    index = rng.randrange(len(report.units))
    text = report.unit_texts[index]
    at = text.rindex("{")
    return _without(report, index, at, at + 1, "missing_inner_open")


@kind
def missing_unit_close(report: Report, rng: Random) -> Damaged:
    """A unit's own closing brace is missing, with or without the white space before it."""
    index = rng.randrange(len(report.units))
    text = report.unit_texts[index]
    return _without(report, index, len(text) - 1, len(text), "missing_unit_close")


@kind
def missing_unit_open(report: Report, rng: Random) -> Damaged:
    """A unit's own opening brace is missing."""
    index = rng.randrange(len(report.units))
    return _without(report, index, 0, 1, "missing_unit_open")


@kind
def missing_list_close(report: Report, rng: Random) -> Damaged:
    """The list's closing bracket is missing; the envelope goes on."""
    shown = report.restyled(rng.choice(_DOCUMENTS))
    end = shown.spans[-1].end
    at = shown.text.index("]", end)
    text = shown.text[:at] + shown.text[at + 1 :]
    return Damaged(text=text, kind="missing_list_close", untouched=_all(report))


@kind
def missing_list_open(report: Report, rng: Random) -> Damaged:
    """The list's opening bracket is missing."""
    shown = report.restyled(rng.choice(_DOCUMENTS))
    at = len(shown.head.rstrip()) - 1
    assert shown.text[at] == "["
    return Damaged(text=shown.text[:at] + shown.text[at + 1 :], kind="missing_list_open", untouched=_all(report))


@kind
def missing_document_close(report: Report, rng: Random) -> Damaged:
    """The document's own closing brace is missing: that is a cut."""
    shown = report.restyled(rng.choice(_DOCUMENTS))
    return Damaged(
        text=shown.text[:-1],
        kind="missing_document_close",
        untouched=_all(report),
        expect=Expect(truncated=True, status=frozenset({"partial"})),
    )


@kind
def extra_document_close(report: Report, rng: Random) -> Damaged:
    """Closers too many behind the document."""
    shown = report.restyled(rng.choice(_DOCUMENTS))
    text = shown.text + rng.choice(("}", "]", "\n}\n]", "}}}}"))
    return Damaged(text=text, kind="extra_document_close", untouched=_all(report), expect=Expect(truncated=False))


@kind
def wrong_closer(report: Report, rng: Random) -> Damaged:
    """A bracket stands where a brace should."""
    index = rng.randrange(len(report.units))
    text = report.unit_texts[index]
    at = rng.choice((len(text) - 1, text.index("}", text.index('"size"'))))
    return _without(report, index, at, at + 1, "wrong_closer", "]")


@kind
def unescaped_quote(report: Report, rng: Random) -> Damaged:
    """A quotation in a string, its quotes not escaped."""
    index = rng.randrange(len(report.units))
    text = report.unit_texts[index]
    at = text.index('"why"') + len('"why": "') + rng.randint(1, 12)
    quoted = rng.choice(('"hi"', '"', '"quoted, twice"', '"a": "b"', '", "', '"}, {"', '"]'))
    return _without(report, index, at, at, "unescaped_quote", f" {quoted} ")


@kind
def raw_newline(report: Report, rng: Random) -> Damaged:
    """A raw line end or tab in a string: read literally only when the contract says so."""
    index = rng.randrange(len(report.units))
    text = report.unit_texts[index]
    at = text.index('"why"') + len('"why": "') + rng.randint(1, 12)
    while text[at - 1] == "\\":
        at += 1
    damaged = _without(report, index, at, at, "raw_newline", rng.choice(("\n", "\t", "\r\n", "\n    ", "\x0b")))
    return Damaged(
        text=damaged.text,
        kind="raw_newline",
        untouched=damaged.untouched,
        undecidable=(index,),
        expect=Expect(status=frozenset({"partial"}), reasons=frozenset({"malformed"}), truncated=False),
    )


@kind
def bad_escape(report: Report, rng: Random) -> Damaged:
    """An escape that JSON does not know: nobody can say what was meant."""
    index = rng.randrange(len(report.units))
    text = report.unit_texts[index]
    at = text.index('"why"') + len('"why": "')
    escape = rng.choice((r"\d", r"\'", r"\x41", r"\uZZZZ", r"\u12 ", r"C:\Users", r"\_"))
    damaged = _without(report, index, at, at, "bad_escape", escape)
    return Damaged(
        text=damaged.text,
        kind="bad_escape",
        untouched=damaged.untouched,
        expect=Expect(status=frozenset({"partial"}), reasons=frozenset({"malformed"}), truncated=False),
    )


@kind
def single_quotes(report: Report, rng: Random) -> Damaged:
    """One unit wholly in single quotes, its tokens' quotes swapped; inner apostrophes stay as they are."""
    index = rng.randrange(len(report.units))
    texts = report.unit_texts
    text = texts[index]
    for token in tokens(text):
        if token.kind == "string":
            text = f"{text[: token.start]}'{text[token.start + 1 : token.end - 1]}'{text[token.end :]}"
    texts[index] = text
    return Damaged(
        text=report.join(texts), kind="single_quotes", untouched=_others(report, index), recoverable=(index,)
    )


@kind
def smart_quotes(report: Report, rng: Random) -> Damaged:
    """Typographic quotes around the strings of one unit."""
    index = rng.randrange(len(report.units))
    texts = report.unit_texts
    text = texts[index]
    for token in tokens(text):
        if token.kind == "string":
            text = f"{text[: token.start]}“{text[token.start + 1 : token.end - 1]}”{text[token.end :]}"
    texts[index] = text
    return Damaged(text=report.join(texts), kind="smart_quotes", untouched=_others(report, index))


@kind
def unquoted_keys(report: Report, rng: Random) -> Damaged:
    """The keys of one unit have no quotes."""
    index = rng.randrange(len(report.units))
    texts = report.unit_texts
    text = texts[index]
    for token in reversed(tokens(text)):
        if token.is_key:
            text = text[: token.start] + text[token.start + 1 : token.end - 1] + text[token.end :]
    texts[index] = text
    return Damaged(text=report.join(texts), kind="unquoted_keys", untouched=_others(report, index))


@kind
def words_inside(report: Report, rng: Random) -> Damaged:
    """Bare words in a unit, after a value: nobody's to delete."""
    index = rng.randrange(len(report.units))
    text = report.unit_texts[index]
    values = [token for token in tokens(text) if token.kind == "number"]
    at = rng.choice(values).end
    return _without(report, index, at, at, "words_inside", rng.choice((" pts", " (approx)", " of 10", "%")))


@kind
def line_broken(report: Report, rng: Random) -> Damaged:
    """One line of a report of one unit a line breaks off; the next line is whole."""
    shown = report.restyled(Style.NDJSON)
    index = rng.randrange(len(shown.units) - 1)
    texts = shown.unit_texts
    texts[index] = texts[index][: rng.randrange(2, len(texts[index]))]
    return Damaged(text=shown.join(texts), kind="line_broken", untouched=_others(report, index))


@kind
def stretch_lost(report: Report, rng: Random) -> Damaged:
    """30 to 120 characters lost, from a key's colon on, so that more than one scalar is hit."""
    index = rng.randrange(len(report.units))
    text = report.unit_texts[index]
    colons = [token for token in tokens(text) if text[token.start] == ":"]
    start = rng.choice(colons).start
    end = min(len(text), start + rng.randint(30, 120))
    return _without(report, index, start, end, "stretch_lost")


@kind
def bare_list_bad_first(report: Report, rng: Random) -> Damaged:
    """The first unit of a bare list, or of bare lines, is none: it takes no neighbour along."""
    shown = report.restyled(rng.choice((Style.LIST, Style.LINES)))
    texts = shown.unit_texts
    body = texts[0][1:]
    texts[0] = rng.choice(("{}", '{"note": "see below"}', '{"meta": {"x": 1}, ' + body, '{"tags": ["x"], ' + body))
    if shown.style is Style.LIST:
        texts[0] = rng.choice((texts[0], "null", "1", "[]", '"see below"', "[1, 2]", "“rank”: 1", "{rank: 1}"))
    return Damaged(
        text=shown.join(texts),
        kind="bare_list_bad_first",
        untouched=_others(report, 0),
        bare=True,
        expect=Expect(status=frozenset({"partial"}), truncated=False),
        note=texts[0][:40],
    )
