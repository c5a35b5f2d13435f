"""What needs no package: ``json.loads``, and the scan that a careful user writes by hand, which is the bar."""

from __future__ import annotations

import json
import re
from typing import Any

from bench.peers.peer import HERE, Answer, Document, Peer, Read

_LIST = re.compile(r'"recommendations"\s*:\s*\[')


def _open_loads() -> Read:
    def read(document: Document) -> Answer:
        return Answer(json.loads(document.text))

    return read


def _open_scan() -> Read:
    decoder = json.JSONDecoder()

    def read(document: Document) -> Answer:
        text = document.text
        opened = _LIST.search(text)
        at = opened.end() if opened else 0
        found: list[Any] = []
        while (at := text.find("{", at)) >= 0:
            try:
                value, end = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                at += 1
                continue
            found.append(value)
            at = end
        return Answer(found)

    return read


PEERS = (
    Peer(
        name="raw_decode scan by hand",
        package="",
        environment=HERE,
        call="raw_decode at every { behind the list's [, each object validated",
        needs=(),
        open=_open_scan,
    ),
    Peer(name="json (stdlib)", package="", environment=HERE, call="json.loads(text)", needs=(), open=_open_loads),
)
