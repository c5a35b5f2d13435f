"""What an edit is, and how several of them make one new text.

Every edit is lossless: it may insert an owed comma, delete what is no JSON and means nothing, or write
the same value in JSON's own spelling. It never adds a value, closes a tail, or changes a number.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from pratique.errors import Code

__all__ = ["EditKind", "Mended", "Offsets", "Replacement", "rewrite", "sourced"]


class Replacement(NamedTuple):
    """Put ``after`` where ``text[start:end]`` was; go on at ``resume``."""

    code: str
    start: int
    end: int
    after: str
    resume: int


@dataclass(frozen=True, slots=True)
class EditKind:
    """One kind of edit: its code, the characters it looks at, and the function that makes it.

    Shape: ``apply(text, at, next_key)`` returns a replacement at ``at``, or None when it does not fit there.
    """

    code: Code
    on: bool
    """Whether it is made unless the contract says otherwise."""
    sites: str = ""
    """Characters at which ``apply`` is asked; empty: asked apart from the walk."""
    apply: Callable[[str, int, object], Replacement | None] | None = None


class Offsets:
    """Lead offsets of an edited text back to the text before.

    Shape: anchors (edited offset, original offset), ascending; between them the two run in step.
    """

    __slots__ = ("_edited", "_original", "_then")

    def __init__(self, anchors: list[tuple[int, int]], then: Offsets | None = None) -> None:
        self._edited = [edited for edited, _ in anchors]
        self._original = [original for _, original in anchors]
        self._then = then

    def source(self, offset: int) -> int:
        """Return the offset in the text as it was first."""
        at = bisect_right(self._edited, offset) - 1
        original = self._original[at] + (offset - self._edited[at])
        if at + 1 < len(self._original):
            original = min(original, self._original[at + 1])
        return self._then.source(original) if self._then else original

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the place of a stretch in the text as it was first.

        What was written anew has the whole of what stood there before as its place.
        """
        first, stop = self._around(start)[0], 0
        if end > start:
            stop = self._around(end - 1)[1]
        if self._then is not None:
            first, stop = self._then.span(first, max(first, stop))
        return first, max(first, stop)

    def _around(self, offset: int) -> tuple[int, int]:
        """Return the place of one character in the text before, or of all that was changed with it."""
        at = bisect_right(self._edited, offset) - 1
        start, original = self._edited[at], self._original[at]
        if at + 1 < len(self._original):
            stop = self._original[at + 1]
            if stop - original != self._edited[at + 1] - start:  # not copied, but changed
                return original, stop
        return original + (offset - start), original + (offset - start) + 1

    def through(self, then: Offsets) -> Offsets:
        """Return the way back through this text and then through ``then``."""
        anchors = list(zip(self._edited, self._original, strict=True))
        return Offsets(anchors, self._then.through(then) if self._then else then)


class Mended(NamedTuple):
    """An edited text, its edits, and the way back. Units: replacements count in the text as it was first."""

    text: str
    replacements: list[Replacement]
    back: Offsets

    def then(self, replacements: list[Replacement]) -> Mended:
        """Make more edits. Units: ``replacements`` count in the edited text."""
        more = rewrite(self.text, replacements, self.back)
        return Mended(more.text, [*self.replacements, *sourced(replacements, self.back)], more.back)

    def over(self, before: Mended) -> Mended:
        """Return the same edits as made on the text of other edits, and told after them."""
        return Mended(
            self.text, [*before.replacements, *sourced(self.replacements, before.back)], self.back.through(before.back)
        )


def rewrite(text: str, replacements: list[Replacement], then: Offsets | None = None) -> Mended:
    """Apply replacements, which are in order and do not overlap."""
    parts: list[str] = []
    anchors = [(0, 0)]
    at = length = 0
    for change in replacements:
        parts += (text[at : change.start], change.after)
        length += change.start - at
        anchors.append((length, change.start))
        length += len(change.after)
        at = change.end
        anchors.append((length, at))
    parts.append(text[at:])
    return Mended("".join(parts), replacements, Offsets(anchors, then))


def sourced(replacements: list[Replacement], back: Offsets) -> list[Replacement]:
    """Put replacements of an edited text into the places of the text before."""
    return [
        Replacement(change.code, *back.span(change.start, change.end), change.after, change.resume)
        for change in replacements
    ]
