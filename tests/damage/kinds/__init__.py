"""Every kind of damage, one small function each; importing this package fills ``KINDS``."""

from __future__ import annotations

from damage.kind import KINDS, Damaged, Expect, Maker
from damage.kinds import breaks, cuts, decoys, edits, forms, values

__all__ = ["KINDS", "Damaged", "Expect", "Maker", "breaks", "cuts", "decoys", "edits", "forms", "values"]
