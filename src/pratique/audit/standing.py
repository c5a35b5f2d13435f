"""What the records so far say that is not over: announced acts, how far each outbox was carried, the time."""

from __future__ import annotations

import json
import re

from pratique.audit.outbox import Posted

__all__ = ["Standing", "carried_payload", "stamped"]

_ACT = b'{"event":"audit.'
_CARRIED = re.compile(rb',"outbox":\{"store":"([0-9a-f]{32})","seq":([0-9]{1,19})\}\}')
_AT = re.compile(rb',"at":"([^"\\]{1,64})"\}')
_MAX_TAIL_BYTES = 150
"""The longest end of a record that a store or a time stands in, bytes; quotes inside of text are written otherwise."""


def stamped(payload: bytes, at: str) -> bytes:
    """Put the time at the end of a record."""
    return b'%s,"at":"%s"}' % (payload[:-1], at.encode("ascii"))


def carried_payload(store: str, posted: Posted) -> bytes:
    """Write an event of an outbox as a record: as it was told, with its own time and where it is from."""
    return b'%s,"outbox":{"store":"%s","seq":%d}}' % (
        stamped(posted.event.encode("ascii"), posted.at)[:-1], store.encode("ascii"), posted.seq,
    )  # fmt: skip


class Standing:
    """Follow the records of one log."""

    def __init__(self) -> None:
        self.intents: dict[str, str] = {}
        """Acts that were announced and have no outcome, by id."""
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
        if payload.startswith(_ACT):
            self._note_act(json.loads(payload))

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

    def _note_act(self, event: dict[str, object]) -> None:
        match event:
            case {"event": "audit.intent", "id": str(id), "act": str(act)}:
                self.intents[id] = act
            case {"event": "audit.outcome" | "audit.abandoned", "id": str(id)}:
                self.intents.pop(id, None)
            case _:
                return
