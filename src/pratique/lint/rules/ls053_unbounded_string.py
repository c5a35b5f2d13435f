"""LS053: texts without a bound."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pratique.dialects.nodes.node import Scalar
from pratique.lint.counted import counted
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Subject

__all__ = ["RULE"]

_SHORT_FORMATS = frozenset({
    "date", "date-time", "duration", "email", "hostname", "idn-email", "idn-hostname", "ipv4", "ipv6", "ipvanyaddress",
    "time", "uuid",
})  # fmt: skip
"""Formats whose values are short by themselves."""

_ENDLESS = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|(?P<more>[*+]|\{[0-9]*,\})|(?P<either>\|)|(?P<other>[^\\])", re.DOTALL)


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Tell one finding a schema.

    A contract is quiet: its ``limits.max_string_chars`` bounds every text. A tool is, too: one call is one unit, and
    its server has bounds of its own; of forty findings in tools of real servers none was worth mending.
    """
    del settings
    if subject.kind in (Kind.CONTRACT, Kind.TOOL):
        return
    for part in subject.parts:
        found = [spot for spot in part.view.scalars if spot.scalar.kind == "string" and not _is_bounded(spot.scalar)]
        if found:
            yield Remark(
                part,
                found[0].place,
                f"{counted(found, 'text')} without a bound on {'its' if len(found) == 1 else 'their'} length",
            )


def _is_bounded(scalar: Scalar) -> bool:
    said = {rule.keyword: rule.value for rule in scalar.rules}
    patterns = [rule.value for rule in scalar.rules if rule.keyword == "pattern"]
    return "maxLength" in said or str(said.get("format")) in _SHORT_FORMATS or any(map(_ends, patterns))


def _ends(pattern: str) -> bool:
    """Say whether what a pattern matches as a whole has a largest length."""
    if not pattern.startswith("^") or not pattern.endswith("$"):
        return False
    uses = list(_ENDLESS.finditer(pattern))
    return not any(use["more"] for use in uses) and (not any(use["either"] for use in uses) or pattern[1] == "(")


RULE = Rule(
    code="LS053",
    name="unbounded-string",
    level=Level.WARN,
    title="texts without a bound on their length",
    why="One text that does not end takes the tokens of all others: the reply is cut off, and what comes after it is "
    "lost. A bound also keeps what was smuggled in short.",
    help="give it a maxLength, or list its values; a contract bounds every text by limits.max_string_chars",
    evidence=(
        "source 004, T04: a cap on the length of every string, the same for every producer",
        "MemOS issue 2320: a reply that ran into max_tokens, again and again",
    ),
    bad={
        "type": "object",
        "properties": {"summary": {"type": "string"}},
        "required": ["summary"],
        "additionalProperties": False,
    },
    good={
        "type": "object",
        "properties": {"summary": {"type": "string", "maxLength": 2_000}},
        "required": ["summary"],
        "additionalProperties": False,
    },
    check=_check,
    judgement="Arguments of tools are left alone: one call is one unit, and a server has bounds of its own.",
)
