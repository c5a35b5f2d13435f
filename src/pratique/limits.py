"""Every bound of the boundary, in one place, each with its unit and its reason.

Limits belong to a contract (``Contract.items(..., limits=Limits(max_items=7))``) and are part of its
fingerprint. Bounds are inclusive. The constants below the class bound our own work, not the producer.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from pratique.errors import Misuse

__all__ = ["Limits"]

MAX_WRAPPERS = 2
"""Wrapper keys opened around a payload (``{"result": {"output": …}}``). Deeper is not seen in practice."""

MAX_SEPARATOR_CHARS = 200
"""Characters of white space between two units that still count as the list's own separator."""

MAX_KEY_CHARS = 4_000
"""Characters, as they are written, of a key that the contract does not declare, where a unit or a payload begins: as
many as one string may have by default. An object that begins with a longer one is not found."""

MAX_EDIT_ROUNDS = 4
"""Rounds of decode-once and letter-case edits on one unit: each round may uncover a nested one."""

MAX_FINDINGS_PER_UNIT = 50
"""Findings kept for one refused unit, so that one hostile unit cannot flood a report."""


MAX_LEVELS = 200
"""Largest ``limits.max_depth``. The patterns that find where a unit ends hold one level in the other, and so do the
recursive consumers that come after us: Python gives up at a thousand calls."""


MAX_RECURSION_ASKED = 16
"""Levels of a recursive type that can be asked for: four times what ``max_depth`` lets through by default."""

MAX_RECURSION = 4
"""Levels of a recursive type that are written out for an endpoint that keeps no recursion; what is deeper is asked for
as JSON text. Four levels are what ``max_depth`` lets through by default: each takes one object and one list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bound what one delivery may hold and what may be kept of it.

    Units: as each name says; characters are code points, bytes are UTF-8.
    Errors: Misuse when a bound is not a positive whole number, or ``max_depth`` is over ``MAX_LEVELS``.
    """

    max_bytes: int = 64 * 1024 * 1024
    """Delivery size, bytes. A larger one is refused unread: memory is a multiple of it."""
    max_items: int = 10_000
    """Units admitted. The best by ``order_by`` are kept, the rest is ``over_limit``."""
    max_depth: int = 8
    """Nesting of one unit, levels; the unit's own braces are level 1."""
    max_string_chars: int = 4_000
    """One string value, characters. A field's own smaller ``max_length`` is a schema rule and comes first."""
    max_number_digits: int = 308
    """Longest run of digits in one number: what a double can hold, and a bound on integer parsing."""
    max_edits: int = 1_000
    """Edits on one unit. More than that is not a slip; the unit is malformed."""
    max_quarantined: int = 1_000
    """Units kept in quarantine per delivery; the rest is counted in ``counts``, visibly."""
    max_snippet_chars: int = 4_000
    """Raw text shown of one quarantined unit in messages and exports; the record keeps its span."""
    max_kept_delivery_bytes: int = 1024 * 1024
    """Raw delivery kept for debugging, bytes: above the largest error position seen in practice."""

    def __post_init__(self) -> None:
        for field in fields(self):
            bound = getattr(self, field.name)
            if isinstance(bound, bool) or not isinstance(bound, int) or bound < 1:
                raise Misuse(
                    f"limits.{field.name} must be a whole number of at least 1, not {bound!r}",
                    remedy=f"leave {field.name} out to get the default, {field.default}",
                )
        if self.max_depth > MAX_LEVELS:
            raise Misuse(
                f"limits.max_depth cannot be more than {MAX_LEVELS} levels, and is {self.max_depth}",
                remedy="describe flatter units: no consumer walks so deep safely",
            )
