"""instructor, behind the model call: JSON mode on the whole text, Iterable and Partial on chunks of it.

The streams run through its own Markdown extractor (``Mode.MD_JSON``), with which both recover more than
without; it gives out single characters, which are gathered again, or both would work per character.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any

from bench.peers.peer import Answer, Document, Peer, Read, as_object, chunked

_ENVIRONMENT = "instructor"


def _open_json() -> Read:
    from pydantic import TypeAdapter

    from bench.peers.unit import Report, Unit

    extract = import_module("instructor.v2.core.json").extract_json_from_codeblock
    bare: TypeAdapter[Any] = TypeAdapter(list[Unit])

    def read(document: Document) -> Answer:
        text = extract(document.text)
        return Answer(bare.validate_json(text) if document.bare else Report.model_validate_json(text))

    return read


def _kept_before_the_exception(stream: Iterable[Any]) -> Iterator[tuple[Any, str]]:
    """Yield each value with an empty name, then, when the stream raises, the exception's name."""
    try:
        for value in stream:
            yield value, ""
    except Exception as error:  # noqa: BLE001  # a peer may raise anything; its name is the answer
        yield None, type(error).__name__


def _open_iterable() -> Read:
    from bench.peers.unit import Unit

    import_module("instructor")
    model = import_module("instructor.dsl.iterable").IterableModel(Unit)
    extract = import_module("instructor.v2.core.json").extract_json_from_stream

    def read(document: Document) -> Answer:
        found: list[Any] = []
        text = document.text
        for value, raised in _kept_before_the_exception(model.tasks_from_chunks(_pieces(extract(chunked(text)), text))):
            if raised:
                return Answer(found, True, raised)
            found.append(value)
        return Answer(found)

    return read


def _open_partial() -> Read:
    from bench.peers.unit import Report

    partial: Any = import_module("instructor").Partial
    extract: Callable[..., Iterable[str]] = import_module("instructor.v2.core.json").extract_json_from_stream
    model = partial[Report]

    def read(document: Document) -> Answer:
        last = None
        text = as_object(document)
        for value, raised in _kept_before_the_exception(model.model_from_chunks(_pieces(extract(chunked(text)), text))):
            if raised:
                return Answer(last, True, raised)
            last = value
        return Answer(last)

    return read


def _pieces(characters: Iterable[str], text: str) -> Iterator[str]:
    """Gather what the extractor gives out in single characters into pieces as long as those that came."""
    step = len(chunked(text)[0]) if text else 1
    held = ""
    for part in characters:
        held += part
        if len(held) >= step:
            yield held
            held = ""
    if held:
        yield held


PEERS = (
    Peer(
        name="instructor JSON",
        package="instructor",
        environment=_ENVIRONMENT,
        call="Mode.JSON: last JSON span of the text, then the whole model",
        needs=("instructor",),
        open=_open_json,
    ),
    Peer(
        name="instructor Iterable",
        package="instructor",
        environment=_ENVIRONMENT,
        call="IterableModel(Unit) on a stream; units before an exception are kept",
        needs=("instructor",),
        open=_open_iterable,
    ),
    Peer(
        name="instructor Partial",
        package="instructor",
        environment=_ENVIRONMENT,
        call="Partial[Report] on a stream; the last value before an exception is kept",
        needs=("instructor",),
        open=_open_partial,
    ),
)
