"""The chain: how one record is written, hashed with all that came before it, and read again.

Grammar, one line each, ASCII::

    header = "pratique-audit/1 " log-id LF          log-id: 32 random hex digits, made once a file
    record = seq " " hash " " payload LF            payload: one JSON object without line ends

    hash(seq) = BLAKE3("pratique/audit/v1" | log-id | u64 seq | hash(seq - 1) | u32 length | payload)

The exact bytes that are stored are hashed, never a second writing of them. The domain, the place and the length are
inside, so that no record can stand for another one, elsewhere or in another log. Source: Crosby and Wallach 2009;
RFC 9162.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from blake3 import blake3

__all__ = [
    "GENESIS",
    "MAX_PAYLOAD_BYTES",
    "Broken",
    "Chain",
    "Head",
    "Record",
    "Tail",
    "header_of",
    "is_torn_header",
    "new_log_id",
    "payload_of",
    "read_chain",
    "read_records",
]

DOMAIN = b"pratique/audit/v1"
MAX_RECORD_BYTES = 16 * 1024 * 1024
"""One record, bytes: a delivery is kept elsewhere; what is longer is no event of ours."""

MAX_PAYLOAD_BYTES = MAX_RECORD_BYTES - 128
"""What one event may have, bytes: its place and its hash stand before it."""

GENESIS = bytes(32)
"""What the first record follows: the log's id in its own hash tells logs apart."""

_HEADER = re.compile(rb"pratique-audit/1 ([0-9a-f]{32})\n")
_RECORD = re.compile(rb"(0|[1-9][0-9]{0,18}) ([0-9a-f]{64}) (\{.*\})\n", re.DOTALL)
_MAGIC = b"pratique-audit/1 "
_LOG_ID_BYTES = 16


class Broken(Exception):
    """Tell that a log is not what was written: where, and what does not fit. It is never mended by itself."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line = line
        self.why = why


@dataclass(frozen=True, slots=True)
class Head:
    """Name the newest record: who holds it elsewhere finds every change up to it."""

    log: str
    size: int
    """Records up to here."""
    hash: str

    def __str__(self) -> str:
        return f"{self.log} {self.size} {self.hash}"


@dataclass(frozen=True, slots=True)
class Record:
    """One record, as it stands in the file."""

    seq: int
    hash: str
    payload: bytes

    @property
    def event(self) -> dict[str, Any]:
        """What it tells. Not checked: whether it is true; the chain shows that it was written so.

        Errors: ValueError, RecursionError for what is no JSON, or too deep: written by somebody else than ``AuditLog``.
        """
        found: dict[str, Any] = json.loads(self.payload)
        return found


@dataclass(frozen=True, slots=True)
class Tail:
    """What stands behind the last whole record: a write that was cut off. Units: bytes."""

    start: int
    content: bytes


class Chain:
    """Hash records one after the other."""

    def __init__(self, log: str, size: int = 0, last: bytes = GENESIS) -> None:
        self.log = log
        self.size = size
        self._last = last
        self._prefix = DOMAIN + bytes.fromhex(log)

    @property
    def head(self) -> Head:
        """Where the chain stands."""
        return Head(self.log, self.size, self._last.hex())

    def copy(self) -> Chain:
        """Return a chain that stands where this one does, to go ahead on."""
        return Chain(self.log, self.size, self._last)

    def add(self, payload: bytes) -> bytes:
        """Go on to the next record; return its line."""
        self._last = self._hash(payload)
        self.size += 1
        return b"%d %s %s\n" % (self.size - 1, self._last.hex().encode(), payload)

    def follow(self, seq: int, told: str, payload: bytes) -> bool:
        """Go on to a record if it is the one that follows here; say whether it is."""
        found = self._hash(payload)
        if seq != self.size or found.hex() != told:
            return False
        self._last = found
        self.size += 1
        return True

    def _hash(self, payload: bytes) -> bytes:
        place, length = self.size.to_bytes(8, "big"), len(payload).to_bytes(4, "big")
        return blake3(b"".join((self._prefix, place, self._last, length, payload))).digest()


def payload_of(event: Mapping[str, object]) -> bytes:
    """Write an event as the payload of a record. Errors: TypeError, ValueError for what is no JSON."""
    return json.dumps(event, separators=(",", ":"), allow_nan=False).encode("ascii")


def is_torn_header(content: bytes) -> bool:
    """Say whether this is the beginning of a new log's first line, cut off."""
    fixed, id = content[: len(_MAGIC)], content[len(_MAGIC) :]
    return _MAGIC.startswith(fixed) and len(id) <= 2 * _LOG_ID_BYTES and re.fullmatch(rb"[0-9a-f]*", id) is not None


def new_log_id() -> str:
    """Make the id of a new log."""
    return secrets.token_hex(_LOG_ID_BYTES)


def header_of(log: str) -> bytes:
    """Return the first line of a log."""
    return b"pratique-audit/1 %s\n" % log.encode()


def read_chain(file: BinaryIO) -> Iterator[Chain | Record | Tail]:
    """Read a log: the chain first, then every record that fits, then what is behind the last whole line, if anything.

    Limits: linear in the file; one line in memory at a time, at most MAX_RECORD_BYTES.
    Errors: Broken at the first line that does not follow from the ones before it.
    """
    first = file.readline(MAX_RECORD_BYTES)
    found = _HEADER.fullmatch(first)
    if found is None:
        raise Broken(1, "this is no audit log")
    chain = Chain(found[1].decode())
    yield chain
    yield from read_records(file, chain, len(first))


def read_records(file: BinaryIO, chain: Chain, at: int) -> Iterator[Record | Tail]:
    """Read on behind the records that a chain has taken, and take each one that fits. Units: ``at`` in bytes.

    Limits, Errors: as ``read_chain``.
    """
    while line := file.readline(MAX_RECORD_BYTES):
        number = chain.size + 2
        if not line.endswith(b"\n"):
            if len(line) == MAX_RECORD_BYTES:
                raise Broken(number, f"a record is longer than {MAX_RECORD_BYTES:,} bytes")
            yield Tail(at, line)
            return
        record = _RECORD.fullmatch(line)
        if record is None:
            raise Broken(number, "this is no record")
        seq, told, payload = int(record[1]), record[2].decode(), record[3]
        if not chain.follow(seq, told, payload):
            raise Broken(number, f"record {seq} does not follow from the {chain.size:,} before it")
        at += len(line)
        yield Record(seq, told, payload)
