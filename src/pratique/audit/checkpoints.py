"""When a log's head is signed, and where the checkpoint goes: to a second place, each N records and at the end.

A log alone does not show that its end was cut off, or that all of it was written anew. A checkpoint that stands where
the log's writer cannot rewrite it does; the newer it is, the less is left open.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, final

from pratique.audit.chain import Head
from pratique.audit.checkpoint import SignedHeads, read_checkpoints, sign_head
from pratique.audit.checkpoint_file import CheckpointFile
from pratique.audit.key import SigningKey
from pratique.audit.verify import verify
from pratique.errors import Misuse, Outage
from pratique.show import escape, show

__all__ = ["EVERY_RECORDS", "CheckpointOutage", "CheckpointWriter", "Checkpoints"]

EVERY_RECORDS = 100
"""Records between two checkpoints: at most so many can be cut off unseen. A checkpoint costs what a record costs, one
write to the disk, so that this many make the log one per cent slower."""


class CheckpointOutage(Outage):
    """Tell that a checkpoint did not reach its second place. The records up to ``head`` are in the log, on the disk."""

    def __init__(self, message: str, head: Head) -> None:
        super().__init__(message)
        self.head: Final = head


@final
class Checkpoints:
    """Say who signs a log's heads, where the checkpoints go, and how often.

    Shape: ``to`` is a file, which is appended, or a function that takes the text of one checkpoint, brings it to its
        place before it returns, and fails with OSError or Outage; what else it raises is its bug, and reaches the
        caller. It is called while the log is held: it must not append to that log.
        With ``may_share`` checkpoints of other logs may stand in the file; a log that was begun anew is then taken for
        one of them.
    Units: ``every_records`` counts the records between two checkpoints; there is one more when the log is opened with
        records whose checkpoint is not known to be there, and when it is closed.
    Errors: Misuse for a number that is none.
    Not checked: whether the log's writer can rewrite the second place; choose one where it cannot.
    """

    def __init__(
        self,
        key: SigningKey,
        to: str | os.PathLike[str] | Callable[[str], object],
        *,
        every_records: int = EVERY_RECORDS,
        may_share: bool = False,
    ) -> None:
        if every_records < 1:
            raise Misuse(f"every_records cannot be {every_records}", remedy="give a number of at least 1")
        self.key: Final = key
        self.to: Final = to
        self.every_records: Final = every_records
        self.may_share: Final = may_share

    def begin(self, log: Path, head: Head) -> CheckpointWriter:
        """Begin with a log that was opened, and holds; sign what is there, unless that was done.

        Shape: of a file, the checkpoints that stand there must be of this log's history: no two histories of one log
            are signed.
        Limits: the log is read once more when a file holds checkpoints of it.
        Errors: Misuse for a place that is none, or whose checkpoints tell of another history; CheckpointOutage.
        """
        if callable(self.to):
            return CheckpointWriter(self, log, self.to, None, head)
        file = CheckpointFile(self.to, log)
        try:
            return CheckpointWriter(self, log, file.append, file, head)
        except BaseException:
            file.close()
            raise


@final
class CheckpointWriter:
    """Sign the heads of one open log; made by ``Checkpoints.begin``, driven by ``AuditLog``.

    Errors: CheckpointOutage from every step; what was due stays due.
    """

    def __init__(
        self,
        settings: Checkpoints,
        log: Path,
        write: Callable[[str], object],
        file: CheckpointFile | None,
        head: Head,
    ) -> None:
        self._settings = settings
        self._log = log
        self._write = write
        self._file = file
        self._size = 0 if file is None else self._kept(file, head)
        """Records up to the newest checkpoint that is known to be there."""
        self._sign(head, "the log is not open; open it again")

    def take(self, head: Head) -> None:
        """Go on to a head that is on the disk, and sign it when it is due."""
        if head.size - self._size >= self._settings.every_records:
            self._sign(head, "the next record tries again")

    def finish(self, head: Head) -> None:
        """Sign the last head."""
        self._sign(head, "the log is closed, and its next opening tries again")

    def close(self) -> None:
        """Let another process write the file."""
        if self._file is not None:
            self._file.close()

    def _sign(self, head: Head, then: str) -> None:
        if head.size <= self._size:
            return
        told = (
            f"the {head.size:,} records of the log {show(str(self._log), max_chars=300)} are on the disk, but their "
            f"checkpoint did not reach {self._place}; {self._size:,} of them are known to have one; {then}"
        )
        try:
            self._write(str(sign_head(head, self._settings.key)))
        except (OSError, Outage) as error:
            raise CheckpointOutage(f"{told}: {_why(error)}", head) from error
        except BaseException as error:
            error.add_note(told)
            raise
        self._size = head.size

    def _kept(self, file: CheckpointFile, head: Head) -> int:
        """Return how many records the newest checkpoint in the file is of.

        Problem: a log that was written anew while nobody wrote it would be signed as soon as it is opened.
        What fails: to sign and let verification find two histories: it finds them only if it is given both.
        What we do: nothing is signed beside a checkpoint of another history. Source: C2SP tlog-checkpoint, Signatures.
        What remains: a function as the second place is not read back.
        """
        try:
            content = file.read()
        except OSError as error:
            raise CheckpointOutage(f"{file} cannot be read: {_why(error)}; the log is not open", head) from error
        signed = read_checkpoints(content, self._settings.key.verifier, what=str(file))
        mine = tuple(each for each in signed.heads if each.log == head.log)
        others = {each.log for each in signed.heads} - {head.log}
        if others and not self._settings.may_share:
            raise Misuse(
                f"{file} has checkpoints of another log, {min(others)}, that this key signed: the log "
                f"{show(str(self._log), max_chars=300)} was begun anew, or two logs share a place",
                remedy="find out what became of that log; give each log a place of its own, or say may_share=True",
            )
        if not mine:
            return 0
        found = verify(self._log, head=SignedHeads(key=signed.key, heads=mine))
        if not found.is_sound:
            raise Misuse(
                f"the log {show(str(self._log), max_chars=300)} is not the one whose heads stand in {file}: "
                f"{found.fault}",
                remedy="keep both as they are, find out what happened with pratique audit verify, and write a new log",
            )
        return max(each.size for each in mine)

    @property
    def _place(self) -> str:
        if self._file is not None:
            return str(self._file)
        return f"its place, {show(getattr(self._write, '__qualname__', type(self._write).__qualname__))}"


def _why(error: OSError | Outage) -> str:
    if isinstance(error, OSError) and error.strerror:
        return escape(error.strerror)
    return show(str(error), max_chars=300)
