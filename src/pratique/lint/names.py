"""Take names apart into words, as people read them: ``pageId``, ``page_id`` and ``PAGE-ID`` are page and id."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from pratique.show import show

__all__ = ["listed", "words_of"]

_WORD = re.compile(r"[A-Z]{2,}s(?![^\W\d_A-Z])|[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|[0-9]+")
"""Several of an abbreviation (``IDs``), capitals that no small letter follows, a word with or without its capital,
digits. Letters that are not ASCII count as small ones."""

MAX_NAME_CHARS = 200
"""One name that is read, characters: names come from other people's schemas."""


@lru_cache(maxsize=4096)
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case: ``HTTPServerURL2`` is http, server, url, 2.

    Limits: linear; what is beyond ``MAX_NAME_CHARS`` is not read.
    """
    return tuple(word.lower() for word in _WORD.findall(name[:MAX_NAME_CHARS]))


def listed(names: Sequence[str], *, most: int = 3) -> str:
    """Quote names for a message: the first few, and how many more there are."""
    told = ", ".join(show(name) for name in names[:most])
    return told if len(names) <= most else f"{told} and {len(names) - most} more"
