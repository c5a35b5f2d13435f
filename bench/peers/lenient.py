"""Parsers of a wider language than JSON: dirtyjson, hjson."""

from __future__ import annotations

from importlib import import_module

from bench.peers.peer import Answer, Peer, Read

_ENVIRONMENT = "parsers"


def _open_dirtyjson() -> Read:
    loads = import_module("dirtyjson").loads
    return lambda document: Answer(loads(document.text, search_for_first_object=True))


def _open_hjson() -> Read:
    loads = import_module("hjson").loads
    return lambda document: Answer(loads(document.text))


PEERS = (
    Peer(
        name="dirtyjson",
        package="dirtyjson",
        environment=_ENVIRONMENT,
        call="loads(text, search_for_first_object=True)",
        needs=("dirtyjson",),
        open=_open_dirtyjson,
    ),
    Peer(
        name="hjson", package="hjson", environment=_ENVIRONMENT, call="loads(text)", needs=("hjson",), open=_open_hjson
    ),
)
