"""Forms in which a sound report comes: nothing is damaged, all of it must be admitted."""

from __future__ import annotations

import json
from random import Random

from damage.kind import Damaged, Expect, kind
from damage.report import CONTRACT, Report, Style

_CLEAN = Expect(status=frozenset({"clean"}), truncated=False, edits=False)


def _all(report: Report) -> tuple[int, ...]:
    return tuple(range(len(report.units)))


@kind
def valid(report: Report, rng: Random) -> Damaged:  # noqa: ARG001
    """Nothing is wrong."""
    return Damaged(text=report.text, kind="valid", untouched=_all(report), expect=_CLEAN)


@kind
def bom(report: Report, rng: Random) -> Damaged:
    """A byte order mark stands first, as text or as bytes."""
    text = "\ufeff" + report.text
    return Damaged(
        text=text if rng.random() < 0.5 else text.encode(), kind="bom", untouched=_all(report), expect=_CLEAN
    )


@kind
def crlf(report: Report, rng: Random) -> Damaged:  # noqa: ARG001
    """Lines end in CRLF."""
    style = report.style if report.style is Style.NDJSON else Style.PRETTY
    text = report.restyled(style).text.replace("\n", "\r\n")
    return Damaged(text=text, kind="crlf", untouched=_all(report), expect=_CLEAN)


@kind
def blank_around(report: Report, rng: Random) -> Damaged:
    """White space stands before and after."""
    text = "\n \t" * rng.randint(1, 5) + report.text + " \r\n\n" * rng.randint(1, 5)
    return Damaged(text=text, kind="blank_around", untouched=_all(report), expect=_CLEAN)


@kind
def fence(report: Report, rng: Random) -> Damaged:
    """The report stands in a code fence."""
    opening = rng.choice(("```json\n", "```\n", "```JSON\n", "~~~json\n", "````json\n"))
    closing = opening[: opening.index("\n")].rstrip("jsonJSON")
    text = opening + report.text.rstrip("\n") + "\n" + closing + "\n"
    return Damaged(text=text, kind="fence", untouched=_all(report), expect=_CLEAN)


@kind
def fence_other_word(report: Report, rng: Random) -> Damaged:
    """The fence names another language, or none that anybody knows."""
    word = rng.choice(("javascript", "jsonc", "python", "text", "json title=report.json", "json5", "output"))
    text = f"```{word}\n{report.text.rstrip()}\n```"
    return Damaged(text=text, kind="fence_other_word", untouched=_all(report), expect=_CLEAN)


@kind
def fence_never_closed(report: Report, rng: Random) -> Damaged:  # noqa: ARG001
    """The fence opens and never closes; the report is whole."""
    return Damaged(text="```json\n" + report.text, kind="fence_never_closed", untouched=_all(report))


_BEFORE = (
    "Here is the report you asked for:\n\n",
    "Sure! I looked at {all} of them [see below].\n",
    'Note: "summary" is short, the "recommendations" follow.\n\n',
    "Let me think: 1) read, 2) rank {3} them.\n---\n",
    "It's done, isn't it? Here you go:\n",
)
_AFTER = (
    "\n\nLet me know if you need more.",
    "\nI left out {two} of them, because they are [done].\n",
    "\n\nThat's all \u2014 it wasn't much.",
    '\n(The "rank" is mine.)\n',
)


@kind
def prose_around(report: Report, rng: Random) -> Damaged:
    """Prose stands before the report, or after it, or both."""
    before, after = rng.choice((("", _AFTER), (_BEFORE, ""), (_BEFORE, _AFTER)))
    text = (rng.choice(before) if before else "") + report.text + (rng.choice(after) if after else "")
    return Damaged(text=text, kind="prose_around", untouched=_all(report), expect=Expect(truncated=False))


@kind
def fence_and_prose(report: Report, rng: Random) -> Damaged:
    """A fence between two stretches of prose, with more backticks in the prose."""
    text = f"{rng.choice(_BEFORE)}```json\n{report.text.rstrip()}\n```{rng.choice(_AFTER)} Use `jq .` on it."
    return Damaged(text=text, kind="fence_and_prose", untouched=_all(report), expect=Expect(truncated=False))


@kind
def ndjson(report: Report, rng: Random) -> Damaged:  # noqa: ARG001
    """One object a line, the envelope on the first line."""
    text = report.restyled(Style.NDJSON).text
    return Damaged(text=text, kind="ndjson", untouched=_all(report), expect=_CLEAN)


@kind
def ndjson_bare(report: Report, rng: Random) -> Damaged:
    """One unit a line, no envelope line, with or without a last line end and blank lines."""
    lines = report.restyled(Style.NDJSON).unit_texts
    text = rng.choice(("\n", "\n\n", "\r\n")).join(lines) + rng.choice(("", "\n"))
    return Damaged(text=text, kind="ndjson_bare", untouched=_all(report), bare=True, expect=_CLEAN)


@kind
def bare_list(report: Report, rng: Random) -> Damaged:  # noqa: ARG001
    """The list alone, no envelope around it."""
    text = report.dump(list(report.units))
    return Damaged(text=text, kind="bare_list", untouched=_all(report), bare=True, expect=_CLEAN)


@kind
def concatenated(report: Report, rng: Random) -> Damaged:
    """Objects one after the other, with nothing or a blank between them."""
    between = rng.choice(("", " ", "\n\n"))
    texts = [report.dump(unit) for unit in report.units]
    bare = rng.random() < 0.5
    if not bare:
        texts.insert(0, report.dump(report.envelope))
    return Damaged(text=between.join(texts), kind="concatenated", untouched=_all(report), bare=bare, expect=_CLEAN)


@kind
def wrapper_key(report: Report, rng: Random) -> Damaged:
    """The report stands under one key or two that nobody asked for."""
    document = json.loads(report.restyled(Style.COMPACT).text)
    for key in rng.choice((["result"], ["output", "data"], ["response"])):
        document = {key: document}
    return Damaged(
        text=report.dump(document), kind="wrapper_key", untouched=_all(report), expect=Expect(truncated=False)
    )


@kind
def tool_name_wrapper(report: Report, rng: Random) -> Damaged:
    """The report comes as the arguments of one call of the contract's own tool."""
    document = json.loads(report.restyled(Style.COMPACT).text)
    call = rng.choice(
        (
            {"name": CONTRACT.name, "arguments": document},
            {"name": CONTRACT.name, "parameters": document},
            {CONTRACT.name: document},
        )
    )
    return Damaged(
        text=report.dump(call), kind="tool_name_wrapper", untouched=_all(report), expect=Expect(truncated=False)
    )


@kind
def one_object_for_list(report: Report, rng: Random) -> Damaged:
    """A report of one unit whose list lost its brackets, or that unit alone."""
    unit = report.units[0]
    document = {"summary": report.envelope["summary"], "recommendations": unit, "complete": True}
    text = report.dump(rng.choice((document, unit)))
    if rng.random() < 0.3:
        text = f"```json\n{text}\n```"
    return Damaged(
        text=text,
        kind="one_object_for_list",
        untouched=(0,),
        gone=_all(report)[1:],
        expect=Expect(truncated=False, admitted=1),
    )


@kind
def payload_speaks_of_marks(report: Report, rng: Random) -> Damaged:
    """Strings of a sound report hold reasoning marks, fences and payloads: they are only text."""
    mark = rng.choice(("</think>", "<think>", "```\n", "```json\n{}\n```", "</tool_call>", "<|im_end|>", "\ufeff"))
    index = rng.randrange(len(report.units))
    units = [dict(unit) for unit in report.units]
    units[index]["why"] = f"{units[index]['why']} {mark} and on"
    report_with_mark = Report(report.envelope, tuple(units), report.style, report.ascii_only)
    return Damaged(
        text=report_with_mark.text,
        kind="payload_speaks_of_marks",
        untouched=tuple(at for at in _all(report) if at != index),
        expect=Expect(status=frozenset({"clean"}), truncated=False, edits=False, admitted=len(units)),
        undecidable=(index,),  # not damaged at all, but it differs from the report's own unit in ``why``
    )
