"""Verify a log, and say what that proves and what it does not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pratique.audit.chain import Broken, Chain, Head, Tail, read_chain
from pratique.audit.checkpoint import SignedHeads
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


def verify(path: str | os.PathLike[str], *, head: Head | SignedHeads | None = None) -> Verification:
    """Verify a log, up to what was kept elsewhere when there is something: one head, or all that a key signed.

    Shape: of many heads the newest of this log counts, and every older one must fit too; those of other logs count only
        when none is of this one.
    Limits: linear in the file.
    Errors: Misuse when there is no such file; Outage when it cannot be read. What is wrong with the log is a fault,
        returned.
    """
    heads = head.heads if isinstance(head, SignedHeads) else () if head is None else (head,)
    sizes = {each.size for each in heads}
    chain: Chain | None = None
    passed: list[Head] = []
    torn = 0
    try:
        with open(path, "rb") as file:
            for part in read_chain(file):
                if isinstance(part, Tail):
                    torn = len(part.content)
                    continue
                chain = part if isinstance(part, Chain) else chain
                if chain is not None and chain.size in sizes:
                    passed.append(chain.head)
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
    if not heads:
        return Verification(
            head=chain.head, torn_bytes=torn, proved=proved, not_proved=(_NO_HEAD, *_unsigned(head), _LIES)
        )
    fault = _against(chain, heads, frozenset(passed))
    if fault:
        return Verification(head=chain.head, fault=fault, torn_bytes=torn, proved=proved, not_proved=(_LIES,))
    mine = [each for each in heads if each.log == chain.log]
    newest = max(each.size for each in mine)
    others = (
        (f"anything of {len(heads) - len(mine):,} other heads: they are of other logs",)
        if len(mine) < len(heads)
        else ()
    )
    later = chain.size - newest
    return Verification(
        head=chain.head, torn_bytes=torn,
        proved=(*proved, *_up_to(newest, len(mine), head)),
        not_proved=((f"that none of the {later:,} records behind that head was cut off or changed",) if later else ())
        + (*others, "that no record followed that was cut off since", *_unsigned(head), _LIES),
    )  # fmt: skip


def _held(chain: Chain | None) -> tuple[str, ...]:
    if chain is None:
        return ()
    return (f"{chain.size:,} records follow from each other; none of them was changed, moved or taken out alone",)


def _up_to(size: int, many: int, given: Head | SignedHeads | None) -> Iterator[str]:
    """Say what the newest head proves, and who signed it."""
    if not isinstance(given, SignedHeads):
        yield f"the first {size:,} records are those of the head that was given"
        return
    yield f"the first {size:,} records are those of the newest checkpoint, signed by {given.key.short}"
    if many > 1:
        yield f"all {many:,} checkpoints that it signed for this log are of one history"


def _unsigned(given: Head | SignedHeads | None) -> Iterator[str]:
    """Say what signatures leave open."""
    if not isinstance(given, SignedHeads):
        return
    yield "that the holder of the key did not write the log anew, and sign the new one"
    if given.passed_over:
        yield f"what {given.passed_over:,} checkpoints tell that {given.key.short} did not sign"
    if given.is_torn:
        yield "what a last checkpoint tells that was cut off while it was written"


def _against(chain: Chain, heads: tuple[Head, ...], passed: frozenset[Head]) -> str:
    """Say what is wrong beside heads that were kept elsewhere; empty: nothing."""
    mine = sorted((each for each in heads if each.log == chain.log), key=lambda each: each.size)
    if not mine:
        return f"this is another log than the head's: {chain.log}, not {heads[-1].log}"
    newest = mine[-1]
    if chain.size < newest.size:
        return f"{newest.size - chain.size:,} records are missing at the end: the head has {newest.size:,}"
    if newest not in passed:
        return f"record {newest.size - 1} is not the one that the head was made of"
    older = next((each for each in mine if each not in passed), None)
    if older is None:
        return ""
    return (
        f"record {older.size - 1} is not the one that another head was made of: the log was written anew, and a newer "
        "head was made of that"
    )
