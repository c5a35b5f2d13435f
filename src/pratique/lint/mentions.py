"""What a description names: quoted texts, and runs of them that stand for alternatives.

Grammar of a run: quoted texts with nothing between them but a comma, a bar, ``or``, ``and``, or a line that begins
with a bullet; each may have a short remark after it: ``'asc' (default) or 'desc'``, ``"a": first; "b": second``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Run", "explained_names", "is_example", "is_open", "quoted", "runs"]

MAX_DESCRIBED_CHARS = 20_000
"""Characters of one description that are read: the longest of a real server has some 12,000."""

MAX_JOINT_CHARS = 400
"""Characters between two quoted texts of one run: a remark and a line break."""

MAX_BULLET_CHARS = 60
"""Characters from the end of a line to what stands behind a bullet on the next one."""

_QUOTED = re.compile(
    r"""(?<!`)`([^`\n]{1,80})`(?!`)|(?<![\w"])"([^"\n]{1,80})"(?!\w)|(?<![\w'])'([^'\n]{1,80})'(?!\w)|“([^”\n]{1,80})”"""
)
_REMARK = r"(?:\s*\([^()\n]{0,120}\)|\s*(?:[:=→–—-]|for|means)\s[^,;.\n\"'`|]{1,80})?"
_JOINT = re.compile(
    _REMARK + r"\s*(?:[,;/|]\s*(or|and)?|(or|and))\s*"
    r"|\s*(?:\([^()\n]{0,80}\)\s*)?[:=→–—-]\s[^\n.;\"'`|]{1,120}\.\s+"
    r"|([^\n]{0,200}\n\s*(?:[-*•]|[0-9]{1,2}[.)])\s*)"
)  # fmt: skip
_BULLET = re.compile(r"\n\s*(?:[-*•]|[0-9]{1,2}[.)])\s*\Z")
_IN_REMARK = re.compile(r"\s?(?:[:=→–—(-]|for\b|means\b)[^\n]{0,200}")
"""Between a value behind a bullet and what is quoted in the remark on it: ``- "off": not for "all"``."""
_SENTENCE = re.compile(r"(?<!\bEx)(?<!e\.g)(?<!i\.e)[.!?]\s+(?=[A-Z`'\"“(-])|\n\s*\n")
_EXAMPLE = re.compile(
    r"\b(e\.?\s?g|ex|for example|for instance|such as|like|examples?|including|includes?|included|i\.?\s?e|etc|"
    r"similar to|sample|say|common|commonly|typical|typically|usually|often|popular)\b",
    re.I,
)
_OPEN = re.compile(
    r"[\s\"'`)]*(?:\([^()\n]{0,80}\)\s*)?(?:,?\s*(?:or|and/or)\b|\.\.\.|…|,?\s*(?:and\s+(?:so on|more|others|many|any"
    r"|similar|other|all)|etc|among|as well as|plus\b)|,\s*\.\.\.|\+)",
    re.I,
)
_EXPLAINED = re.compile(
    r"(?<![\w-])([A-Za-z_][\w-]*)[`\"'*]*[ \t]*(?:\([^()\n]{0,80}\)[ \t]*)?(?::|--?[ \t]|[–—=])[ \t]*\S"
)


@dataclass(frozen=True, slots=True)
class Run:
    """Some quoted texts in a row.

    Units: ``start`` and ``end`` count code points into the description.
    """

    texts: tuple[str, ...]
    start: int
    end: int
    joints: frozenset[str]
    """The words that join them: ``or``, ``and``."""
    before: str
    """What the same sentence says before it."""
    after: str
    """What follows, a line at most."""


def quoted(said: str) -> Iterator[re.Match[str]]:
    """Yield what stands in quotes or backticks; apostrophes are no quotes.

    Limits: linear in the text, of which ``MAX_DESCRIBED_CHARS`` are read.
    """
    return _QUOTED.finditer(said, 0, MAX_DESCRIBED_CHARS)


def runs(said: str) -> Iterator[Run]:
    """Yield the runs of quoted texts, single ones too, in order."""
    found: list[re.Match[str]] = []
    joints: set[str] = set()
    for match in quoted(said):
        is_near = bool(found) and match.start() - found[-1].end() <= MAX_JOINT_CHARS
        joint = _JOINT.fullmatch(said, found[-1].end(), match.start()) if is_near else None
        is_bulleted = bool(found) and _is_bulleted(said, found[0].start())
        if is_bulleted and joint is None and _IN_REMARK.fullmatch(said, found[-1].end(), match.start()):
            continue
        if joint is None or (joint[3] and not is_bulleted):
            if found:
                yield _run(said, found, joints)
            found, joints = [], set()
        else:
            joints.update(word for word in joint.group(1, 2) if word)
        found.append(match)
    if found:
        yield _run(said, found, joints)


def explained_names(said: str) -> frozenset[str]:
    """Return the names that a text explains, as docstrings do: ``limit (int): how many``."""
    return frozenset(_EXPLAINED.findall(said, 0, MAX_DESCRIBED_CHARS))


def is_example(run: Run) -> bool:
    """Say whether the words before a run make it a choice of examples."""
    return _EXAMPLE.search(run.before) is not None


def is_open(run: Run) -> bool:
    """Say whether something more, or anything, may stand instead: ``'auto' or a number``, ``'a', 'b' etc.``."""
    return _OPEN.match(run.after) is not None


def _is_bulleted(said: str, start: int) -> bool:
    return _BULLET.search(said, max(0, start - MAX_BULLET_CHARS), start) is not None


def _run(said: str, found: list[re.Match[str]], joints: set[str]) -> Run:
    start, end = found[0].start(), found[-1].end()
    before = said[max(0, start - 160) : start]
    breaks = list(_SENTENCE.finditer(before))
    texts = tuple(dict.fromkeys(text for match in found for text in match.groups() if text is not None))
    return Run(
        texts, start, end, frozenset(joints), before[breaks[-1].end() :] if breaks else before, said[end : end + 80]
    )
