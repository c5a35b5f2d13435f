"""Parsers of unfinished JSON: partial-json-parser, jiter, pydantic, ijson, partialjson, untruncate-json."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from importlib import import_module
from typing import Any, Literal

from bench.peers.peer import Answer, Document, Peer, Read

_ENVIRONMENT = "parsers"


def _open_partial_json_parser(allow: str) -> Callable[[], Read]:
    def opened() -> Read:
        module = import_module("partial_json_parser")
        allowed = getattr(import_module("partial_json_parser.core.options"), allow)
        return lambda document: Answer(module.loads(document.text, allowed))

    return opened


def _open_jiter(mode: Literal["on", "trailing-strings"]) -> Callable[[], Read]:
    def opened() -> Read:
        from_json = import_module("jiter").from_json
        return lambda document: Answer(from_json(document.text.encode("utf-8", "replace"), partial_mode=mode))

    return opened


def _open_pydantic() -> Read:
    from pydantic import TypeAdapter

    from bench.peers.unit import ReportDict, Unit

    # A model switches partial validation off, a TypedDict around the list does not.
    report, bare = TypeAdapter(ReportDict), TypeAdapter(list[Unit])

    def read(document: Document) -> Answer:
        adapter: TypeAdapter[Any] = bare if document.bare else report
        return Answer(adapter.validate_json(document.text, experimental_allow_partial=True))

    return read


def _open_ijson() -> Read:
    ijson = import_module("ijson")

    def items(raw: bytes, prefix: str) -> Answer:
        found: list[Any] = []
        try:
            for item in ijson.items(io.BytesIO(raw), prefix, use_float=True, multiple_values=True):
                found.append(item)  # what came before the exception is kept
        except ijson.JSONError as error:
            return Answer(found, True, type(error).__name__)
        return Answer(found)

    def read(document: Document) -> Answer:
        raw = document.text.encode("utf-8", "replace")
        answer = items(raw, "item" if document.bare else "recommendations.item")
        # Nothing under that path: it may be one unit a line, which ijson reads as many documents.
        return answer if answer.value else items(raw, "")

    return read


def _open_partialjson() -> Read:
    parser = import_module("partialjson.json_parser").JSONParser
    return lambda document: Answer(parser(strict=True).parse(document.text))


def _open_untruncate() -> Read:
    complete = import_module("untruncate_json").complete
    return lambda document: Answer(json.loads(complete(document.text)))


PEERS = (
    Peer(
        name="partial-json-parser ALL",
        package="partial-json-parser",
        environment=_ENVIRONMENT,
        call="loads(text, Allow.ALL)",
        needs=("partial_json_parser",),
        open=_open_partial_json_parser("ALL"),
    ),
    Peer(
        name="partial-json-parser COLLECTION",
        package="partial-json-parser",
        environment=_ENVIRONMENT,
        call="loads(text, Allow.COLLECTION)",
        needs=("partial_json_parser",),
        open=_open_partial_json_parser("COLLECTION"),
    ),
    Peer(
        name="jiter partial (openai SDK)",
        package="jiter",
        environment=_ENVIRONMENT,
        call="from_json(bytes, partial_mode=True)",
        needs=("jiter",),
        open=_open_jiter("on"),
    ),
    Peer(
        name="jiter trailing-strings",
        package="jiter",
        environment=_ENVIRONMENT,
        call='from_json(bytes, partial_mode="trailing-strings")',
        needs=("jiter",),
        open=_open_jiter("trailing-strings"),
    ),
    Peer(
        name="pydantic allow_partial",
        package="pydantic",
        environment=_ENVIRONMENT,
        call="TypeAdapter(TypedDict).validate_json(text, experimental_allow_partial=True)",
        needs=("pydantic",),
        open=_open_pydantic,
    ),
    Peer(
        name="ijson",
        package="ijson",
        environment=_ENVIRONMENT,
        call='items(file, "recommendations.item", use_float=True, multiple_values=True)',
        needs=("ijson",),
        open=_open_ijson,
    ),
    Peer(
        name="partialjson",
        package="partialjson",
        environment=_ENVIRONMENT,
        call="JSONParser(strict=True).parse(text)",
        needs=("partialjson",),
        open=_open_partialjson,
    ),
    Peer(
        name="untruncate-json",
        package="untruncate_json",
        environment=_ENVIRONMENT,
        call="json.loads(complete(text))",
        needs=("untruncate_json",),
        open=_open_untruncate,
    ),
)
