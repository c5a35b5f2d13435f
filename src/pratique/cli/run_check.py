"""What ``pratique check`` does: load, read, judge, emit, print, and sum up as an exit code."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from pydantic_core import to_jsonable_python

from pratique.boundary.admission import Admission
from pratique.cli.app import complain, complain_of
from pratique.cli.check import FailOn, Format, ProducerName
from pratique.cli.checked import Checked, Render
from pratique.cli.exits import exit_code, worst
from pratique.cli.files import STDIO, is_same_file, read_bytes, write_whole
from pratique.cli.judging import Judging
from pratique.cli.terminal import terminal_of
from pratique.contract import Contract
from pratique.errors import Misuse, Outage
from pratique.limits import Limits
from pratique.show import show

if TYPE_CHECKING:
    from pratique.cli.quarantined.keeping import Keeping

__all__ = ["Call", "run_check"]

_FOR_PEOPLE: tuple[Format, ...] = ("full", "concise")
"""Formats that a line of ours may follow; behind the others it would stand where a machine reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of ``pratique check``, as written."""

    files: tuple[str, ...]
    judging: Judging
    finish_reason: str | None = None
    producer: ProducerName = "model"
    format: Format | None = None
    emit: str | None = None
    fail_on: FailOn = "partial"
    no_color: bool = False
    quarantine: str | None = None
    run_id: str | None = None
    attempt: int | None = None

    @property
    def inputs(self) -> list[str]:
        """Every file that the call reads, but for the contract's module."""
        return [*self.files, *self.judging.inputs]


def run_check(call: Call) -> int:
    """Judge the files of one call and print the report; return the exit code.

    Shape: a file that cannot be read is told on standard error and makes the exit code 2; the others are
        judged all the same.
    Errors: Misuse when the call itself is wrong; nothing was judged then.
    """
    _require_sound(call)
    contract, references = call.judging.load(), call.judging.lists()
    with _keeping(call, contract.terms.limits) as keeping:
        run = _Run(call, contract, references, keeping)
        stream = sys.stderr if call.emit == STDIO else sys.stdout
        render = _format(call.format or "full")
        for line in render(run.judged(), terminal_of(stream, no_color=call.no_color)):
            stream.write(line + "\n")
        if keeping is not None:
            stream.flush()
            (stream if call.format in (None, *_FOR_PEOPLE) else sys.stderr).write(keeping.summary + "\n")
    return worst(run.exit_codes)


@dataclass(slots=True)
class _Run:
    """Judge one file after the other, keeping only the exit codes."""

    call: Call
    contract: Contract[Any]
    references: Mapping[str, set[str]]
    keeping: Keeping | None
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
            self.exit_codes.append(exit_code(admission.status, self.call.fail_on))
            if self._keep(admission) and self.call.emit is not None:
                _emit(admission, self.call.emit)
            yield Checked(file, admission)

    def _keep(self, admission: Admission[Any]) -> bool:
        """Keep what was refused; False when that failed, which is told, and then nothing is handed out."""
        if self.keeping is None:
            return True
        try:
            self.keeping.keep(admission)
        except (Misuse, Outage) as error:
            self.exit_codes.append(complain_of(error))
            return False
        return True


@contextmanager
def _keeping(call: Call, limits: Limits) -> Iterator[Keeping | None]:
    """Open the quarantine file before anything is judged, so that a wrong one costs nothing."""
    if call.quarantine is None:
        yield None
        return
    from pratique.cli.quarantined.keeping import open_keeping

    with open_keeping(call.quarantine, limits, run_id=call.run_id, attempt=call.attempt) as keeping:
        if call.emit is not None:
            _require_apart(call.quarantine, call.emit)  # again: the file is there by now
        yield keeping


def _require_sound(call: Call) -> None:
    """Refuse a call that cannot be meant, before anything is read."""
    call.judging.require_sound(*call.files)
    if call.quarantine is None and (call.run_id is not None or call.attempt is not None):
        raise Misuse("--run-id and --attempt say what is kept", remedy="write --quarantine DB, too, or leave them out")
    for file in call.files:
        if file.startswith("-") and file != STDIO:
            raise Misuse(f"no option is called {show(file)}", remedy=f"a file of that name is written ./{file}")
    if call.emit is not None:
        _require_sound_emit(call, call.emit)
    if call.quarantine is not None:
        for name in (*call.inputs, *([call.emit] if call.emit is not None else [])):
            _require_apart(call.quarantine, name)


def _require_apart(quarantine: str, name: str) -> None:
    from pratique.quarantine.export import is_store_file

    if name != STDIO and is_store_file(name, quarantine):
        raise Misuse(f"--quarantine would write into {show(name)}", remedy="name another file")


def _require_sound_emit(call: Call, emit: str) -> None:
    if len(call.files) > 1:
        raise Misuse("--emit keeps the values of one delivery, not of several", remedy="call once for each FILE")
    if emit == STDIO and call.format is not None:
        raise Misuse(
            "--emit - and --format both want standard output",
            remedy="write --emit FILE, or leave --format out",
        )
    for name in call.inputs:
        if is_same_file(emit, name):
            raise Misuse(f"--emit would write over {show(name)}, which is read", remedy="name another file")


def _emit(admission: Admission[Any], target: str) -> None:
    values = to_jsonable_python(admission.values)
    content = json.dumps(values, indent=2) + "\n"
    if target == STDIO:
        sys.stdout.write(content)
    else:
        write_whole(target, content.encode("ascii"))


def _format(name: Format) -> Render:
    return cast(Render, importlib.import_module(f"pratique.cli.formats.{name}").render)
