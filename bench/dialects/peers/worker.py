"""The process a peer runs in: specs come in, one JSON line each, and what was put on the wire goes out.

Run: ``python -m bench.dialects.peers.worker MODULE NAME``. A line out is ``{"schema": …, "strict": …,
"warnings": […]}`` or ``{"error": "Type: message"}``. It runs in the peer's environment: the standard library,
Pydantic and the peer.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from importlib import import_module, metadata
from typing import Any, TextIO

from bench.dialects.model import model_of, wrapped
from bench.dialects.peers.peer import Peer, Send
from bench.dialects.peers.wire import Wire
from bench.dialects.spec import Spec

MAX_WORDS = 300
"""Characters kept of a message."""
_PLAIN: Spec = {
    "name": "Plain",
    "root": {"kind": "model", "name": "Plain"},
    "models": {"Plain": {"name": "Plain", "fields": [{"name": "text", "of": {"kind": "str"}}]}},
    "enums": {},
}


def main() -> None:
    """Serve until the input ends."""
    module, name = sys.argv[1], sys.argv[2]
    answers = _own_output()
    peer: Peer = next(peer for peer in import_module(module).PEERS if peer.name == name)
    wire = Wire()
    send = peer.open(wire.url)
    wire.taken(lambda: send(model_of(_PLAIN)))  # late imports, with their warnings, are over then
    _say(answers, {"version": metadata.version(peer.package), "python": sys.version.split()[0]})
    for line in sys.stdin:
        _say(answers, _answer(peer, send, wire, json.loads(line)))


def _answer(peer: Peer, send: Send, wire: Wire, spec: Any) -> dict[str, Any]:
    kind = wrapped(spec, model_of(spec))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        body, raised = wire.taken(lambda: send(kind))
    told = [f"{note.category.__name__}: {note.message}"[:MAX_WORDS] for note in caught if _is_told(note.category)]
    if body is None:
        return {"error": f"{type(raised).__name__}: {raised}"[:MAX_WORDS], "warnings": told}
    asked = peer.asked(body)
    return {"schema": asked.schema, "strict": asked.strict, "warnings": told}


def _is_told(category: type[Warning]) -> bool:
    """Say whether a warning is meant for the caller: those of deprecation and of open sockets are not."""
    return not issubclass(category, (DeprecationWarning, PendingDeprecationWarning, ResourceWarning))


def _own_output() -> TextIO:
    """Keep standard output for answers alone; what a peer prints goes to standard error."""
    own = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    return own


def _say(answers: TextIO, value: dict[str, Any]) -> None:
    answers.write(json.dumps(value, default=str) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
