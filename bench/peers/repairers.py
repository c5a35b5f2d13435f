"""Parsers that repair: ``json_repair`` in four ways, ``fast-json-repair``, ``safe-json-repair``.

Any ``changed`` flag counts as having told, and any entry in a repair log as logged: the best credit there is.
The log is asked for in a second call, behind the clock.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from bench.peers.peer import Answer, Document, Peer, Read

_ENVIRONMENT = "parsers"


def _open_json_repair(**options: Any) -> Callable[[], Read]:
    def opened() -> Read:
        repair_json = import_module("json_repair").repair_json

        def read(document: Document) -> Answer:
            text = document.text
            value = repair_json(text, return_objects=True, **options)
            return Answer(value, log=lambda: bool(repair_json(text, return_objects=True, logging=True, **options)[1]))

        return read

    return opened


def _open_salvage() -> Read:
    from pydantic import TypeAdapter

    from bench.peers.unit import ReportDict, Unit

    repair_json = import_module("json_repair").repair_json
    # No key of the envelope is demanded: where one was, its loss raised, and cost every unit.
    schemas = {False: TypeAdapter(ReportDict).json_schema(), True: TypeAdapter(list[Unit]).json_schema()}

    def read(document: Document) -> Answer:
        text = document.text
        options = {"return_objects": True, "schema": schemas[document.bare], "schema_repair_mode": "salvage"}
        return Answer(repair_json(text, **options), log=lambda: bool(repair_json(text, logging=True, **options)[1]))

    return read


def _open_fast() -> Read:
    repair_json = import_module("fast_json_repair").repair_json

    def read(document: Document) -> Answer:
        text = document.text
        value = repair_json(text, return_objects=True)
        return Answer(value, log=lambda: bool(repair_json(text, return_objects=True, logging=True)[1]))

    return read


def _open_safe() -> Read:
    repair_json = import_module("safe_json_repair").repair_json

    def read(document: Document) -> Answer:
        result = repair_json(document.text, max_len=1 << 30)
        return Answer(result.value, not result.ok or result.changed)

    return read


PEERS = (
    Peer(
        name="json_repair",
        package="json_repair",
        environment=_ENVIRONMENT,
        call="repair_json(text, return_objects=True)",
        needs=("json_repair",),
        open=_open_json_repair(),
    ),
    Peer(
        name="json_repair strict",
        package="json_repair",
        environment=_ENVIRONMENT,
        call="repair_json(text, return_objects=True, strict=True)",
        needs=("json_repair",),
        open=_open_json_repair(strict=True),
    ),
    Peer(
        name="json_repair stream_stable",
        package="json_repair",
        environment=_ENVIRONMENT,
        call="repair_json(text, return_objects=True, stream_stable=True)",
        needs=("json_repair",),
        open=_open_json_repair(stream_stable=True),
    ),
    Peer(
        name="json_repair salvage",
        package="json_repair",
        environment=_ENVIRONMENT,
        call='repair_json(text, return_objects=True, schema=…, schema_repair_mode="salvage")',
        needs=("json_repair", "jsonschema"),
        open=_open_salvage,
    ),
    Peer(
        name="fast-json-repair",
        package="fast-json-repair",
        environment=_ENVIRONMENT,
        call="repair_json(text, return_objects=True)",
        needs=("fast_json_repair",),
        open=_open_fast,
    ),
    Peer(
        name="safe-json-repair",
        package="safe-json-repair",
        environment=_ENVIRONMENT,
        call="repair_json(text, max_len=2**30)",
        needs=("safe_json_repair",),
        open=_open_safe,
    ),
)
