"""What the caller's words name: contracts and types in a module, files, an MCP server.

Errors: Misuse throughout, with the remedy, but for a server that does not answer, which is an Outage.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

from pratique.cli.files import STDIO, read_text
from pratique.cli.load import load_attribute, load_module
from pratique.contract import Contract
from pratique.errors import Misuse
from pratique.lint.sources.documents import document_subjects
from pratique.lint.sources.mcp_server import SERVER_TIMEOUT_S, server_subjects
from pratique.lint.sources.objects import subject_of
from pratique.lint.subject import Subject
from pratique.show import show

__all__ = ["subjects_named", "subjects_of_server"]

_DOCUMENTS = (".json", ".yaml", ".yml")


def subjects_named(word: str) -> Iterator[Subject]:
    """Yield the subjects that one word names.

    Shape: a file when it is one, or is named like one; else ``module:name``, else a module, all its contracts.
    Errors: Misuse when there is none, with the remedy.
    """
    if word == STDIO:
        yield from document_subjects(read_text(word, what="standard input"), file="stdin")
    elif word.endswith(_DOCUMENTS) or os.path.isfile(word):
        yield from document_subjects(read_text(word, what="the file"), file=word)
    elif not word or (os.path.isdir(word) and not word.isidentifier()):
        raise Misuse(f"{show(word)} names no file and no module", remedy="name a file, a MODULE, or MODULE:NAME")
    elif ":" in word:
        module, found = load_attribute(word)
        yield subject_of(found, word, file=module.__file__ or "")
    else:
        yield from _contracts_in(load_module(word), word)


def _contracts_in(module: ModuleType, name: str) -> Iterator[Subject]:
    found = {key: value for key, value in vars(module).items() if isinstance(value, Contract)}
    if not found:
        raise Misuse(
            f"module {show(name)} has no contract",
            remedy=f"name a type in it, {name}:MyModel, or make a contract with Contract.items, .one or .batch",
        )
    seen: list[Any] = []
    for key, value in found.items():
        if not any(value is other for other in seen):
            seen.append(value)
            yield subject_of(value, f"{name}:{key}", file=module.__file__ or "")


def subjects_of_server(command: str, variables: Iterable[str], timeout_s: float | None) -> list[Subject]:
    """Start a server and return the subjects of its tools.

    Errors: Misuse for a command that cannot be read; Outage when the server does not answer.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise Misuse(f"the command {show(command)} cannot be read: {error}", remedy="close its quotes") from error
    limit = SERVER_TIMEOUT_S if timeout_s is None else timeout_s
    if not limit > 0:
        raise Misuse(f"--timeout-s cannot be {limit}", remedy="give seconds, more than 0")
    return server_subjects(words, environment=_variables(variables), timeout_s=limit)


def _variables(entries: Iterable[str]) -> Mapping[str, str]:
    found = {}
    for entry in entries:
        name, equals, value = entry.partition("=")
        if not equals or not name:  # the value may be a key: it is not repeated here
            raise Misuse("--env gives no variable", remedy="write --env NAME=VALUE")
        found[name] = value
    return found
