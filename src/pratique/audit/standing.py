"""What the records so far say that is not over: announced acts, how far each outbox was carried, the time."""

from __future__ import annotations

import json
import re

from blake3 import blake3

from pratique.audit.chain import payload_of
from pratique.audit.events import AuditUnreadable
from pratique.audit.outbox import Posted, event_of_text
from pratique.events import record_of

__all__ = ["Standing", "carried_payload", "stamped"]

_OPENING = rb'\{"event":"audit\.(intent|outcome|abandoned)","id":"([^"\\]{1,100})","act":("(?:[^"\\]|\\.)*")[,}]'
_ACT = re.compile(_OPENING)
_RECOVERED = re.compile(rb'\{"event":"audit\.recovered",.*"kept":("(?:[^"\\]|\\.)*")')
_CARRIED = re.compile(rb',"outbox":\{"store":"([0-9a-f]{32})","seq":([0-9]{1,19})\}\}')
_AT = re.compile(rb',"at":"([^"\\]{1,64})"\}')
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}\+00:00")
_MAX_TAIL_BYTES = 150
"""The longest end of a record that a store or a time stands in, bytes; quotes inside of text are written otherwise."""


def stamped(payload: bytes, at: str) -> bytes:
    """Put the time at the end of a record."""
    return b'%s,"at":"%s"}' % (payload[:-1], at.encode("ascii"))


def carried_payload(store: str, posted: Posted) -> bytes:
    """Write an event of an outbox as a record: as it was told, with its own time and where it is from.

    Shape: what is no event, or has no time, is told as ``audit.unreadable``, with its length and its digest: whoever
        may write the outbox shall not write the log.
    """
    event = event_of_text(posted.event) if _TIME.fullmatch(posted.at) else None
    if event is None:
        raw = f"{posted.at}\n{posted.event}".encode("utf-8", "surrogatepass")
        event = payload_of(record_of(AuditUnreadable(bytes=len(raw), blake3=blake3(raw).hexdigest())))
    at = posted.at if _TIME.fullmatch(posted.at) else "1970-01-01T00:00:00.000+00:00"
    return b'%s,"outbox":{"store":"%s","seq":%d}}' % (stamped(event, at)[:-1], store.encode("ascii"), posted.seq)


class Standing:
    """Follow the records of one log."""

    def __init__(self) -> None:
        self.intents: dict[str, str] = {}
        """Acts that were announced and have no outcome, by id."""
        self.recovered: set[str] = set()
        """Files that hold torn lines, and were told."""
        self._carried: dict[str, tuple[int, bytes]] = {}
        self._last = b""

    def note(self, payload: bytes) -> None:
        """Take one more record in."""
        if payload.endswith(b"}}"):
            found = _CARRIED.fullmatch(payload, max(0, payload.rfind(b',"outbox":', -_MAX_TAIL_BYTES)))
            if found is not None:
                self._carried[found[1].decode()] = int(found[2]), payload
                return
        self._last = payload
        if payload.startswith(b'{"event":"audit.'):
            self._note_own(payload)

    @property
    def at(self) -> str:
        """When the last record was written that the log's own writer timed; empty: there is none."""
        found = _AT.fullmatch(self._last, max(0, self._last.rfind(b',"at":', -_MAX_TAIL_BYTES)))
        return "" if found is None else found[1].decode()

    def carried_of(self, store: str) -> int | None:
        """Return the place of the last event of a store; None: there is none."""
        found = self._carried.get(store)
        return None if found is None else found[0]

    def has_carried(self, store: str, posted: Posted) -> bool:
        """Say whether an event is the last one of a store, as it was told."""
        return self._carried.get(store) == (posted.seq, carried_payload(store, posted))

    def _note_own(self, payload: bytes) -> None:
        if (kept := _RECOVERED.match(payload)) is not None:
            self.recovered.add(str(json.loads(kept[1])))
        elif (found := _ACT.match(payload)) is not None:
            if found[1] == b"intent":
                self.intents[found[2].decode()] = str(json.loads(found[3]))
            else:
                self.intents.pop(found[2].decode(), None)
