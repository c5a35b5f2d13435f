"""The process a peer runs in: reads documents, one JSON line each, and answers with one JSON line each.

It runs in the peer's environment, so it uses the standard library alone. Import and warm-up come before the
clock; the clock is this process's processor time, so that a busy machine does not make a peer slow.

Run: ``python -m bench.peers.worker MODULE NAME MEMORY_BYTES``.
"""

from __future__ import annotations

import base64
import ctypes
import gc
import json
import os
import resource
import signal
import sys
import time
from importlib import import_module, metadata
from typing import Any, TextIO

from bench.peers.peer import Answer, Document, Peer, Read

MAX_ANSWER_DEPTH = 60
"""Levels of an answer that are handed on; no unit is deeper than 3, so what lies deeper is no unit."""
PR_SET_PDEATHSIG = 1
"""From Linux's <sys/prctl.h>."""
WARM_UP = 20
"""Readings of a sound document before the clock: caches and lazy imports are paid by then."""

_UNIT = (
    '{"rank":1,"candidate":"ws-1","action":"park","why":"warm","blocked":false,"owner":"ops",'
    '"wsjf":{"score":1.5,"value":1,"criticality":2,"size":3}}'
)
_SOUND = (
    Document(text := f'{{"summary":"s","recommendations":[{_UNIT}],"complete":true}}', text),
    Document(bare := f"[{_UNIT}]", bare, bare=True),
)


def main() -> None:
    """Serve until the input ends."""
    module, name, memory_bytes = sys.argv[1], sys.argv[2], int(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _end_with_the_judge()
    answers = _own_output()
    peer: Peer = next(peer for peer in import_module(module).PEERS if peer.name == name)
    read = peer.open()
    for document in _SOUND * (WARM_UP // 2):
        _timed(read, document)
    gc.collect()
    _say(answers, {"version": _version(peer.package), "python": sys.version.split()[0]})
    for asked in map(json.loads, sys.stdin):
        raw = base64.b64decode(asked["bytes"]) if "bytes" in asked else asked["text"]
        text = raw if isinstance(raw, str) else raw.decode("utf-8", "replace")
        _say(answers, _answer(read, Document(text, raw, bare=asked["bare"]), asked["repeats"]))


def _end_with_the_judge() -> None:
    """Ask the kernel to kill this process when the judge is killed: a peer that hangs would stay for ever."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _own_output() -> TextIO:
    """Keep standard output for answers alone; what a peer prints goes to standard error."""
    own = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    return own


def _say(answers: TextIO, value: dict[str, Any]) -> None:
    answers.write(_encoded(value) + "\n")
    answers.flush()


def _answer(read: Read, document: Document, repeats: int) -> dict[str, Any]:
    answer, seconds = _timed(read, document)
    for _ in range(repeats - 1):
        seconds = min(seconds, _timed(read, document)[1])
    logged = answer.log is not None and answer.log()
    return {
        "value": answer.value,
        "told": answer.told,
        "logged": logged,
        "raised": answer.raised,
        "seconds": seconds,
    }


def _timed(read: Read, document: Document) -> tuple[Answer, float]:
    began = time.process_time()
    try:
        answer = read(document)
    except Exception as error:  # noqa: BLE001  # a peer may raise anything; it is counted
        answer = Answer(None, True, type(error).__name__)
    return answer, time.process_time() - began


def _version(package: str) -> str:
    return metadata.version(package) if package else ""


def _encoded(value: Any) -> str:
    try:
        return json.dumps(value, default=_plain)
    except (TypeError, ValueError, RecursionError):
        return json.dumps(_readable(value, 0))


def _plain(value: Any) -> Any:
    """Turn a model into a dict; anything else that is not JSON becomes something that no unit is."""
    if hasattr(type(value), "model_fields"):
        # Not model_dump: it raises on a model that a peer filled without validation.
        return {**vars(value), **(getattr(value, "__pydantic_extra__", None) or {})}
    return {"unreadable": type(value).__name__}


def _readable(value: Any, depth: int) -> Any:
    """Copy what can be handed on; a number too long to write, or anything too deep, is marked."""
    if depth > MAX_ANSWER_DEPTH:
        return {"unreadable": "too deep"}
    if isinstance(value, dict):
        return {str(key): _readable(part, depth + 1) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_readable(part, depth + 1) for part in value]
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        plain = _plain(value) if not isinstance(value, int) else {"unreadable": "int"}
        return _readable(plain, depth + 1)
    return value


if __name__ == "__main__":
    main()
