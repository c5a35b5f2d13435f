"""Verify a log, and say what that proves and what it does not."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pratique.audit.chain import Broken, Chain, Head, Record, Tail, read_chain
from pratique.errors import Misuse, Outage
from pratique.show import show

__all__ = ["Verification", "verify"]

_NO_HEAD = "no head was given: that records were cut off at the end, or the whole log was written anew, is not excluded"
_LIES = "that what was written was true when it was written"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """Hold what one verification found.

    Shape: ``fault`` is empty when nothing is wrong. ``proved`` and ``not_proved`` are sentences for people.
    """

    head: Head | None
    """Where the chain stands, as far as it holds; None when there is no log to read."""
    fault: str = ""
    torn_bytes: int = 0
    """Bytes of a last write that was cut off: no fault of the chain."""
    proved: tuple[str, ...] = ()
    not_proved: tuple[str, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong, as far as it could be looked at."""
        return not self.fault


def verify(path: str | os.PathLike[str], *, head: Head | None = None) -> Verification:
    """Verify a log, up to a head that was kept elsewhere when there is one.

    Limits: linear in the file.
    Errors: Misuse when there is no such file; Outage when it cannot be read. What is wrong with the log is a fault,
        returned.
    """
    chain: Chain | None = None
    at_head = Head(head.log, 0, bytes(32).hex()) if head is not None else None
    torn = 0
    try:
        with open(path, "rb") as file:
            for part in read_chain(file):
                if isinstance(part, Chain):
                    chain = part
                elif isinstance(part, Tail):
                    torn = len(part.content)
                elif isinstance(part, Record) and head is not None and chain is not None and chain.size == head.size:
                    at_head = chain.head
    except Broken as broken:
        return Verification(
            head=None if chain is None else chain.head, fault=str(broken),
            proved=_held(chain), not_proved=("anything behind that line",),
        )  # fmt: skip
    except (FileNotFoundError, IsADirectoryError) as error:
        raise Misuse(f"there is no log {show(str(Path(path)))}", remedy="name the log's file") from error
    except OSError as error:
        raise Outage(f"the log {show(str(Path(path)))} cannot be read: {error.strerror}") from error
    assert chain is not None
    proved = _held(chain)
    if head is None:
        return Verification(head=chain.head, torn_bytes=torn, proved=proved, not_proved=(_NO_HEAD, _LIES))
    fault = _against(chain, head, at_head)
    if fault:
        return Verification(head=chain.head, fault=fault, torn_bytes=torn, proved=proved, not_proved=(_LIES,))
    later = chain.size - head.size
    return Verification(
        head=chain.head, torn_bytes=torn,
        proved=(*proved, f"the first {head.size:,} records are those of the head that was given"),
        not_proved=((f"that none of the {later:,} records behind that head was cut off or changed",) if later else ())
        + ("that no record followed that was cut off since", _LIES),
    )  # fmt: skip


def _held(chain: Chain | None) -> tuple[str, ...]:
    if chain is None:
        return ()
    return (f"{chain.size:,} records follow from each other; none of them was changed, moved or taken out alone",)


def _against(chain: Chain, head: Head, at_head: Head | None) -> str:
    """Say what is wrong beside a head that was kept elsewhere; empty: nothing."""
    if chain.log != head.log:
        return f"this is another log than the head's: {chain.log}, not {head.log}"
    if chain.size < head.size:
        return f"{head.size - chain.size:,} records are missing at the end: the head has {head.size:,}"
    return "" if at_head == head else f"record {head.size - 1} is not the one that the head was made of"
