"""What ``pratique check`` does: load, read, judge, emit, print, and sum up as an exit code."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic_core import to_jsonable_python

from pratique.boundary.admission import Admission
from pratique.cli.app import complain
from pratique.cli.check import FailOn, Format, ProducerName
from pratique.cli.checked import Checked, Render
from pratique.cli.exits import exit_code, worst
from pratique.cli.files import STDIO, is_same_file, read_bytes, write_whole
from pratique.cli.load import load_contract, load_references, load_schema
from pratique.cli.terminal import terminal_of
from pratique.contract import Contract
from pratique.errors import Misuse
from pratique.show import show

__all__ = ["Call", "run_check"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of ``pratique check``, as written."""

    files: tuple[str, ...]
    contract: str | None = None
    schema: str | None = None
    at: str = ""
    references: tuple[str, ...] = ()
    finish_reason: str | None = None
    producer: ProducerName = "model"
    format: Format | None = None
    emit: str | None = None
    fail_on: FailOn = "partial"
    no_color: bool = False


def run_check(call: Call) -> int:
    """Judge the files of one call and print the report; return the exit code.

    Shape: a file that cannot be read is told on standard error and makes the exit code 2; the others are
        judged all the same.
    Errors: Misuse when the call itself is wrong; nothing was judged then.
    """
    _require_sound(call)
    run = _Run(call, _contract(call), load_references(call.references))
    stream = sys.stderr if call.emit == STDIO else sys.stdout
    render = _format(call.format or "full")
    for line in render(run.judged(), terminal_of(stream, no_color=call.no_color)):
        stream.write(line + "\n")
    return worst(run.exit_codes)


@dataclass(slots=True)
class _Run:
    """Judge one file after the other, keeping only the exit codes."""

    call: Call
    contract: Contract[Any]
    references: Mapping[str, set[str]]
    exit_codes: list[int] = field(default_factory=list)

    def judged(self) -> Iterator[Checked]:
        """Yield each file's verdict; what is to be emitted is written before it is told."""
        limits = self.contract.terms.limits
        for file in self.call.files:
            try:
                source = read_bytes(file, max_bytes=limits.max_bytes)
            except Misuse as error:
                self.exit_codes.append(complain(error.message, error.remedy))
                continue
            admission = self.contract.admit(
                source,
                references=self.references,
                finish_reason=self.call.finish_reason,
                producer=self.call.producer,
            )
            del source
            if self.call.emit is not None:
                _emit(admission, self.call.emit)
            self.exit_codes.append(exit_code(admission.status, self.call.fail_on))
            yield Checked(file, admission)


def _contract(call: Call) -> Contract[Any]:
    if call.contract is not None:
        return load_contract(call.contract)
    assert call.schema is not None
    return load_schema(call.schema, at=call.at)


def _require_sound(call: Call) -> None:
    """Refuse a call that cannot be meant, before anything is read."""
    if (call.contract is None) == (call.schema is None):
        raise Misuse(
            "no contract was given" if call.contract is None else "both a contract and a schema were given",
            remedy="write --contract MODULE:NAME, or --schema FILE --at NAME",
        )
    if call.at and call.schema is None:
        raise Misuse("--at belongs to --schema; a contract knows where its list stands", remedy="leave --at out")
    for file in call.files:
        if file.startswith("-") and file != STDIO:
            raise Misuse(f"no option is called {show(file)}", remedy=f"a file of that name is written ./{file}")
    if _inputs(call).count(STDIO) > 1:
        raise Misuse("standard input can be read only once", remedy="name - once")
    if call.emit is not None:
        _require_sound_emit(call, call.emit)


def _require_sound_emit(call: Call, emit: str) -> None:
    if len(call.files) > 1:
        raise Misuse("--emit keeps the values of one delivery, not of several", remedy="call once for each FILE")
    if emit == STDIO and call.format is not None:
        raise Misuse(
            "--emit - and --format both want standard output",
            remedy="write --emit FILE, or leave --format out",
        )
    for name in _inputs(call):
        if is_same_file(emit, name):
            raise Misuse(f"--emit would write over {show(name)}, which is read", remedy="name another file")


def _inputs(call: Call) -> list[str]:
    """Name every file that the call reads, but for the contract's module."""
    lists = [entry.partition("=")[2] for entry in call.references]
    return [*call.files, *lists, *([call.schema] if call.schema else [])]


def _emit(admission: Admission[Any], target: str) -> None:
    values = to_jsonable_python(admission.values)
    content = json.dumps(values, indent=2) + "\n"
    if target == STDIO:
        sys.stdout.write(content)
    else:
        write_whole(target, content.encode("ascii"))


def _format(name: Format) -> Render:
    return cast(Render, importlib.import_module(f"pratique.cli.formats.{name}").render)
