"""What every store refuses alike, and the small rules that all of them share. Pure.

Errors: Misuse throughout, with the remedy; AlreadyResolved where somebody decided before.
"""

from __future__ import annotations

from dataclasses import dataclass

from blake3 import blake3

from pratique.errors import Misuse
from pratique.quarantine.record import State
from pratique.quarantine.resolution import AlreadyResolved, ReplayRun, Resolved, require_note
from pratique.quarantine.store import MAX_PAGE, NoRecord
from pratique.show import show

__all__ = [
    "Standing",
    "bare_prefix",
    "cursor_of",
    "no_page",
    "no_record",
    "no_replay",
    "replay_id",
    "require_limit",
    "require_overlay",
    "require_same_contract",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Say where one record stands, for a store that is about to write."""

    id: str
    index: int | None
    state: State
    last: Resolved | None
    """The newest resolution."""
    rounds: int
    overlays: int
    units_ever: int
    """Size of its group, all that ever came."""
    seq: int = 0
    """The store's own number of it."""

    def require_open(self) -> None:
        """Refuse to decide twice.

        Errors: AlreadyResolved.
        """
        if self.state is not State.OPEN:
            assert self.last is not None  # only a resolution takes a record out of ``open``
            raise AlreadyResolved(self.last)

    def require_unit(self) -> None:
        """Refuse to edit what is no unit.

        Errors: Misuse.
        """
        if self.index is None:
            raise Misuse(
                f"{self.id} stands for a whole delivery, not for a unit that could be edited",
                remedy='admit the corrected text as a new delivery: contract.admit(text, producer="person")',
            )


def no_record(id: str) -> NoRecord:
    """Make the error for an id that names nothing."""
    return NoRecord(
        f"no record or delivery has the id {show(id)}", remedy="give a whole id; ids(prefix) and list() have them"
    )


def no_page(after: str) -> Misuse:
    """Make the error for a cursor that no page gave."""
    return Misuse(f"no page ends at {show(after)}", remedy="give the .next of a page as after=")


def no_replay(id: str) -> Misuse:
    """Make the error for a replay that never ran."""
    return Misuse(f"no replay has the id {show(id)}", remedy="replays() has them")


def cursor_of(after: str | None) -> int:
    """Read a cursor.

    Errors: Misuse.
    """
    if after is None:
        return 0
    if not isinstance(after, str) or not after.isascii() or not after.isdigit() or len(after) > 18:
        raise no_page(str(after))
    return int(after)


def require_limit(limit: int) -> int:
    """Refuse a page of no size, or of a size that nobody reads.

    Errors: Misuse.
    """
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_PAGE:
        raise Misuse(f"limit must be a whole number from 1 to {MAX_PAGE:,}, not {limit!r}", remedy="take page by page")
    return limit


def require_overlay(text: str, author: str, note: str, *, max_bytes: int) -> None:
    """Refuse an edit that holds nothing, too much, or has no author.

    Errors: Misuse.
    """
    require_note("author", author)
    require_note("note", note)
    if not author.strip():
        raise Misuse("an edit needs an author", remedy='write author="who did it"')
    if not isinstance(text, str) or not text.strip():
        raise Misuse("an edit needs a text", remedy="to give the unit up, resolve it with Resolution.discarded(reason)")
    if len(text.encode("utf-8", "surrogatepass")) > max_bytes:
        raise Misuse(f"the edit is larger than {max_bytes:,} bytes", remedy="raise limits.max_kept_delivery_bytes")


def require_same_contract(run: ReplayRun, contract_fingerprint: str) -> None:
    """Refuse to go on with a replay against another contract.

    Errors: Misuse.
    """
    if run.contract_fingerprint != contract_fingerprint:
        raise Misuse(
            f"replay {show(run.id)} ran against {show(run.contract)} with another fingerprint",
            remedy="leave replay_id out, or name a new one",
        )


def replay_id(seq: int, contract_fingerprint: str) -> str:
    """Return the id of the so-and-so-many-th replay of a store."""
    return "r-" + blake3(f"{seq}\x1f{contract_fingerprint}".encode()).hexdigest(length=6)


def bare_prefix(prefix: str) -> str:
    """Return the beginning of an id with its ``u-``.

    Errors: Misuse when no id can begin so.
    """
    bare = prefix.strip().lower().removeprefix("u-")
    if set(bare) - set("0123456789abcdef"):
        raise Misuse(f"no id begins with {show(prefix)}", remedy="ids are u- and hexadecimal digits")
    return "u-" + bare
