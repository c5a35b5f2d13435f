"""What a peer is: a name, where it comes from, how it is called, and a function that reads one document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["CHUNKS", "HERE", "Answer", "Document", "Peer", "Read", "as_object", "chunked"]

HERE = "here"
"""The environment of peers that need nothing beyond what the judge itself runs in."""
CHUNKS = 64
"""Pieces that a document is handed to a streaming peer in: enough that a late fault does not cost what came
before, few enough that a peer that parses all of it again at each piece is not measured for that alone."""


@dataclass(frozen=True)
class Document:
    """One delivery as a peer gets it.

    ``text`` is decoded with replacement, so that a peer that takes text is not lost to one bad byte;
    ``raw`` is what came, for those that take it. ``bare`` says that the report has no envelope, so that a
    peer with a schema can be given the right one.
    """

    text: str
    raw: str | bytes
    bare: bool = False


@dataclass(frozen=True)
class Answer:
    """What a peer made of one document.

    ``value`` is anything: a document, a list of documents, a list of units, one unit. ``told`` is whether
    the answer itself says, in any way at all, that something is wrong or was repaired. ``log`` asks the
    peer, after the clock has stopped, whether it has anything in a log that must be asked for. ``raised``
    names an exception behind which there still was an answer.
    """

    value: Any
    told: bool = False
    raised: str = ""
    log: Callable[[], bool] | None = None


Read = Callable[[Document], Answer]


@dataclass(frozen=True, kw_only=True)
class Peer:
    """One peer in one configuration."""

    name: str
    package: str
    """The distribution that ``pip`` installs; empty for what is no package."""
    environment: str
    """Name of the requirements file under ``bench/peers/requirements``, or HERE."""
    call: str
    """How it is called, as a reader would write it."""
    needs: tuple[str, ...]
    """The modules that it imports."""
    open: Callable[[], Read]
    """Import the peer and return its reader; runs once, before the clock."""


def as_object(document: Document) -> str:
    """Return the text for a peer that reads objects only: a bare list or bare lines stand under the list's key."""
    return f'{{"recommendations": {document.text}}}' if document.bare else document.text


def chunked(text: str) -> list[str]:
    """Cut a text into at most ``CHUNKS`` pieces of equal length, of 16 characters at least."""
    step = max(16, -(-len(text) // CHUNKS))
    return [text[at : at + step] for at in range(0, len(text), step)]
