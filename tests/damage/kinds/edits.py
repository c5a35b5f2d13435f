"""Slips that a lossless edit takes back: nothing is missing, so nothing need be lost."""

from __future__ import annotations

import json
import re
from random import Random

from damage.kind import Damaged, Expect, kind
from damage.report import Report, Style
from damage.tokens import tokens

_DOCUMENTS = (Style.PRETTY, Style.SPACED, Style.COMPACT)


def _all(report: Report) -> tuple[int, ...]:
    return tuple(range(len(report.units)))


def _others(report: Report, *indices: int) -> tuple[int, ...]:
    return tuple(at for at in _all(report) if at not in indices)


@kind
def trailing_commas(report: Report, rng: Random) -> Damaged:
    """A comma before each closing brace, and one before the list's end."""
    shown = report.restyled(rng.choice(_DOCUMENTS))
    texts = [re.sub(r"(\s*)\}(\s*)\}$", r",\1},\2}", text) for text in shown.unit_texts]
    text = shown.join(texts)
    if rng.random() < 0.5:
        at = text.rindex("]")
        text = text[:at].rstrip() + "," + text[at:]
    return Damaged(text=text, kind="trailing_commas", untouched=(), recoverable=_all(report))


@kind
def trailing_comma_in_list(report: Report, rng: Random) -> Damaged:
    """A comma before the list's end only."""
    shown = report.restyled(rng.choice(_DOCUMENTS))
    end = shown.spans[-1].end
    text = shown.text[:end] + "," + shown.text[end:]
    return Damaged(text=text, kind="trailing_comma_in_list", untouched=_all(report), expect=Expect(truncated=False))


@kind
def doubled_comma(report: Report, rng: Random) -> Damaged:
    """A comma doubled inside one unit."""
    index = rng.randrange(len(report.units))
    texts = report.unit_texts
    commas = [token for token in tokens(texts[index]) if texts[index][token.start] == ","]
    at = rng.choice(commas).end
    texts[index] = f"{texts[index][:at]}{rng.choice((',', ' ,', ',,'))}{texts[index][at:]}"
    return Damaged(
        text=report.join(texts), kind="doubled_comma", untouched=_others(report, index), recoverable=(index,)
    )


@kind
def doubled_separator(report: Report, rng: Random) -> Damaged:
    """A comma doubled between two units."""
    shown = report.restyled(rng.choice(_DOCUMENTS))
    at = shown.spans[rng.randrange(len(shown.units) - 1)].end
    text = shown.text[:at] + rng.choice((",", ", ", ",\n")) + shown.text[at:]
    return Damaged(text=text, kind="doubled_separator", untouched=_all(report), expect=Expect(truncated=False))


@kind
def missing_separator(report: Report, rng: Random) -> Damaged:
    """The comma between two units is missing; the white space may be there."""
    shown = report.restyled(rng.choice(_DOCUMENTS))
    at = shown.spans[rng.randrange(len(shown.units) - 1)].end
    text = shown.text[:at] + shown.text[at + 1 :]
    return Damaged(text=text, kind="missing_separator", untouched=_all(report), expect=Expect(truncated=False))


@kind
def comments_in_units(report: Report, rng: Random) -> Damaged:
    """Comments stand inside units, after a comma."""
    shown = report.restyled(rng.choice((Style.PRETTY, Style.SPACED)))
    texts = shown.unit_texts
    touched = sorted(rng.sample(range(len(texts)), 2))
    for index in touched:
        commas = [token for token in tokens(texts[index]) if texts[index][token.start] == ","]
        at = rng.choice(commas).end
        comment = rng.choice((" // see {above}\n", " /* not, sure */ ", " # it's so\n", ' /* "rank": 7, */'))
        texts[index] = texts[index][:at] + comment + texts[index][at:]
    return Damaged(
        text=shown.join(texts),
        kind="comments_in_units",
        untouched=_others(report, *touched),
        recoverable=tuple(touched),
    )


@kind
def comment_between_units(report: Report, rng: Random) -> Damaged:
    """A comment stands where a unit might: something may have been left out."""
    shown = report.restyled(rng.choice((Style.PRETTY, Style.SPACED)))
    at = shown.spans[rng.randrange(1, len(shown.units))].start
    comment = rng.choice(("// the next is new\n    ", "/* and now */ ", "# more\n    "))
    text = shown.text[:at] + comment + shown.text[at:]
    return Damaged(
        text=text,
        kind="comment_between_units",
        untouched=_all(report),
        expect=Expect(status=frozenset({"partial"}), truncated=False),
    )


@kind
def ellipsis(report: Report, rng: Random) -> Damaged:
    """An ellipsis stands where units were left out: never clean."""
    shown = report.restyled(rng.choice((Style.PRETTY, Style.SPACED)))
    dots = rng.choice(("...", "…", "// ... 4 more\n", "/* … */", "... (more)"))
    if rng.random() < 0.5:
        at = shown.spans[-1].end
        text = shown.text[:at] + ",\n    " + dots + shown.text[at:]
    else:
        at = shown.spans[rng.randrange(1, len(shown.units))].start
        text = shown.text[:at] + dots + ("\n    " if "//" in dots else ",\n    ") + shown.text[at:]
    untouched = _all(report) if "(more)" not in dots else ()  # bare words are nobody's to delete
    return Damaged(
        text=text,
        kind="ellipsis",
        untouched=untouched,
        expect=Expect(status=frozenset({"partial", "lost"})),
    )


def _in_python(text: str) -> str:
    """Rewrite the words of one sound unit as Python writes them, strings left alone."""
    words = {"true": "True", "false": "False", "null": "None"}
    out, at = [], 0
    for token in tokens(text):
        if token.kind == "word":
            out += [text[at : token.start], words[text[token.start : token.end]]]
            at = token.end
    return "".join(out) + text[at:]


@kind
def python_words(report: Report, rng: Random) -> Damaged:  # noqa: ARG001
    """True, False and None in every unit."""
    texts = [_in_python(text) for text in report.unit_texts]
    return Damaged(text=report.join(texts), kind="python_words", untouched=(), recoverable=_all(report))


@kind
def python_document(report: Report, rng: Random) -> Damaged:  # noqa: ARG001
    """The whole report as Python's ``repr`` writes it."""
    document = json.loads(report.restyled(Style.COMPACT).text)
    return Damaged(text=repr(document), kind="python_document", untouched=(), recoverable=_all(report))


@kind
def python_unit(report: Report, rng: Random) -> Damaged:
    """One unit as Python's ``repr`` writes it."""
    index = rng.randrange(len(report.units))
    texts = report.unit_texts
    texts[index] = repr(report.units[index])
    return Damaged(text=report.join(texts), kind="python_unit", untouched=_others(report, index), recoverable=(index,))


@kind
def double_encoded(report: Report, rng: Random) -> Damaged:
    """The whole report as one JSON string, perhaps in a fence."""
    text = json.dumps(report.text, ensure_ascii=rng.random() < 0.5)
    if rng.random() < 0.3:
        text = f"```json\n{text}\n```"
    return Damaged(text=text, kind="double_encoded", untouched=(), recoverable=_all(report))


@kind
def nested_as_string(report: Report, rng: Random) -> Damaged:
    """The nested object comes as a JSON string."""
    index = rng.randrange(len(report.units))
    texts = report.unit_texts
    unit = {**report.units[index], "wsjf": json.dumps(report.units[index]["wsjf"])}
    texts[index] = report.unit_text(unit)
    return Damaged(
        text=report.join(texts), kind="nested_as_string", untouched=_others(report, index), recoverable=(index,)
    )


@kind
def unit_as_string(report: Report, rng: Random) -> Damaged:
    """One unit comes as a JSON string."""
    shown = report.restyled(rng.choice(_DOCUMENTS))
    index = rng.randrange(len(report.units))
    texts = shown.unit_texts
    texts[index] = json.dumps(json.dumps(report.units[index]))
    return Damaged(
        text=shown.join(texts), kind="unit_as_string", untouched=_others(report, index), recoverable=(index,)
    )


@kind
def list_as_string(report: Report, rng: Random) -> Damaged:
    """The list comes as a JSON string in a sound envelope."""
    shown = report.restyled(rng.choice(_DOCUMENTS))
    document = {**report.envelope, "recommendations": shown.dump(list(report.units))}
    return Damaged(text=shown.dump(document), kind="list_as_string", untouched=(), recoverable=_all(report))


@kind
def letter_case(report: Report, rng: Random) -> Damaged:
    """An enumerated word in another letter case."""
    index = rng.randrange(len(report.units))
    action = report.units[index]["action"]
    unit = {**report.units[index], "action": rng.choice((action.upper(), action.title(), action.capitalize()))}
    texts = report.unit_texts
    texts[index] = report.unit_text(unit)
    return Damaged(text=report.join(texts), kind="letter_case", untouched=_others(report, index), recoverable=(index,))


@kind
def extra_close(report: Report, rng: Random) -> Damaged:
    """A brace or bracket too many behind one unit."""
    shown = report.restyled(rng.choice(_DOCUMENTS))
    index = rng.randrange(len(shown.units) - 1)
    at = shown.spans[index].end
    text = shown.text[:at] + rng.choice(("}", "]", "}}", "\n}")) + shown.text[at:]
    return Damaged(text=text, kind="extra_close", untouched=_others(report, index), recoverable=(index,))


@kind
def stray_closer_inside(report: Report, rng: Random) -> Damaged:
    """A bracket that nothing opened, after a value inside one unit."""
    index = rng.randrange(len(report.units))
    texts = report.unit_texts
    values = [token for token in tokens(texts[index]) if token.kind != "mark" and not token.is_key]
    at = rng.choice(values[:-1]).end
    texts[index] = texts[index][:at] + "]" + texts[index][at:]
    return Damaged(
        text=report.join(texts), kind="stray_closer_inside", untouched=_others(report, index), recoverable=(index,)
    )


@kind
def missing_comma(report: Report, rng: Random) -> Damaged:
    """One comma missing inside one unit, before a key."""
    index = rng.randrange(len(report.units))
    texts = report.unit_texts
    commas = [token for token in tokens(texts[index]) if texts[index][token.start] == ","]
    at = rng.choice(commas).start
    texts[index] = texts[index][:at] + texts[index][at + 1 :]
    return Damaged(
        text=report.join(texts),
        kind="missing_comma",
        untouched=_others(report, index),
        recoverable=(index,),
        note=texts[index][max(0, at - 20) : at + 20],
    )
