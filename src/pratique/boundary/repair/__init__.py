"""Lossless edits on one unit, after isolation: one file a kind, tried in the order of ``ladder``.

Neighbours: ``scan`` isolated the unit, ``validate`` refused it; what comes out goes to ``validate`` again.
"""

from pratique.boundary.repair.draft import draft_of
from pratique.boundary.repair.edit import EditKind, Mended, Offsets, Replacement, rewrite
from pratique.boundary.repair.ladder import (
    DEFAULT_EDITS,
    EDITS,
    after_of,
    as_edited,
    mend_text,
    mend_values,
)
from pratique.boundary.repair.unwrap import unwrap

__all__ = [
    "DEFAULT_EDITS",
    "EDITS",
    "EditKind",
    "Mended",
    "Offsets",
    "Replacement",
    "after_of",
    "as_edited",
    "draft_of",
    "mend_text",
    "mend_values",
    "rewrite",
    "unwrap",
]
