"""One call of ``pratique compile``: compile, then print or write what was asked for."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TextIO

from pratique import Compiled
from pratique.cli.app import USAGE_ERROR
from pratique.cli.compile import FormName, OpenObjects
from pratique.cli.compiled.overview import Row, overview, overview_of
from pratique.cli.compiled.residue import residue
from pratique.cli.files import STDIO, is_same_file, write_whole
from pratique.cli.judging import Judging
from pratique.cli.quarantined.shown import counted
from pratique.cli.terminal import terminal_of
from pratique.contract import Contract
from pratique.errors import Misuse
from pratique.limits import MAX_RECURSION_ASKED
from pratique.show import escape, show

__all__ = ["Compiling", "run_compile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiling:
    """One call of ``pratique compile``, as written."""

    judging: Judging
    target: str | None = None
    form: FormName | None = None
    docstrings: bool = False
    open_objects: OpenObjects | None = None
    max_recursion: int | None = None
    request_only: bool = False
    residue_only: bool = False
    out: str | None = None
    overwrite: bool = False
    json: bool = False
    no_color: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """What was said of how to compile, as ``Contract.compile`` takes it."""
        said = {
            "form": self.form,
            "docstrings": self.docstrings,
            "open_objects": self.open_objects,
            "max_recursion": self.max_recursion,
        }
        return {name: value for name, value in said.items() if value is not None}


def run_compile(call: Compiling) -> int:
    """Compile a contract for one target, or for each in turn; return the exit code.

    Shape: 0 when something was compiled, 2 when the target refuses the contract, or every target does.
    Errors: Misuse when the call is wrong or the target refuses; Outage when the disk fails. A file that was there is
        then as it was.
    """
    _require_sound(call)
    contract = call.judging.load()
    if call.target is None:
        return _print_overview(call, contract)
    compiled = contract.compile(call.target, **call.options)
    if call.out is not None:
        return _write(call, call.out, contract, compiled)
    if call.json:
        sys.stdout.write(_whole(compiled))
    elif call.request_only:
        sys.stdout.write(_request(compiled) if not sys.stdout.isatty() else _shown_request(compiled))
    else:
        if not call.residue_only:
            sys.stdout.write(_shown_request(compiled) + "\n")
        _report(call, contract, compiled, sys.stdout)
    return 0


# ---------------------------------------------------------------------- one target


def _write(call: Compiling, out: str, contract: Contract[Any], compiled: Compiled) -> int:
    """Write what a machine reads to its file, and tell the rest."""
    content = _whole(compiled) if call.json else _request(compiled)
    if out == STDIO:
        sys.stdout.write(content)
    else:
        write_whole(out, content.encode("utf-8"), overwrite=call.overwrite)
    stream = sys.stderr if out == STDIO else sys.stdout
    if not call.json and not call.request_only:
        _report(call, contract, compiled, stream)
    if out != STDIO:
        print(f"wrote {counted(len(content.encode('utf-8')), 'byte')} to {show(out, max_chars=200)}", file=stream)
    return 0


def _report(call: Compiling, contract: Contract[Any], compiled: Compiled, stream: TextIO) -> None:
    for line in residue(compiled, contract, terminal_of(stream, no_color=call.no_color)):
        stream.write(line + "\n")


def _request(compiled: Compiled) -> str:
    """Return what is put into a request: JSON, or the text as it is when it is told in words."""
    if compiled.form == "words":
        return str(compiled.request["text"]).rstrip("\n") + "\n"
    return json.dumps(compiled.request, indent=2) + "\n"


def _shown_request(compiled: Compiled) -> str:
    """Return it for a terminal: a text may hold the descriptions of a schema that somebody else wrote."""
    return "\n".join(escape(line) for line in _request(compiled).split("\n"))


def _whole(compiled: Compiled) -> str:
    """Return everything as one JSON object."""
    told = {
        "target": compiled.target,
        "form": compiled.form,
        "request": compiled.request,
        "schema": compiled.schema,
        "tools": list(compiled.tools),
        "constraints": [constraint.to_dict() for constraint in compiled.constraints],
        "warnings": list(compiled.warnings),
        "fingerprint": compiled.fingerprint,
    }
    return json.dumps(told, indent=2) + "\n"


# ---------------------------------------------------------------------- every target


def _print_overview(call: Compiling, contract: Contract[Any]) -> int:
    rows: list[Row] = []

    def compiled() -> Iterator[Row]:
        for row in overview_of(contract, call.options):
            rows.append(row)
            yield row

    if call.json:
        told = {"contract": contract.name, "version": contract.version, "fingerprint": contract.fingerprint}
        print(json.dumps({**told, "targets": [row.to_dict() for row in compiled()]}, indent=2))
    else:
        for line in overview(contract, compiled(), terminal_of(sys.stdout, no_color=call.no_color)):
            print(line)
    return USAGE_ERROR if all(row.refused for row in rows) else 0


# ---------------------------------------------------------------------- the call


def _require_sound(call: Compiling) -> None:
    """Refuse a call that cannot be meant, before anything is read."""
    call.judging.require_sound()
    if call.max_recursion is not None and not 0 <= call.max_recursion <= MAX_RECURSION_ASKED:
        raise Misuse(
            f"--max-recursion cannot be {call.max_recursion}",
            remedy=f"write a number of levels from 0 to {MAX_RECURSION_ASKED}",
        )
    only = [
        name for name, said in (("--request-only", call.request_only), ("--residue-only", call.residue_only)) if said
    ]
    of_one = [*only, *(["--out"] if call.out is not None else [])]
    if of_one and call.target is None:
        raise Misuse(
            f"{of_one[0]} is about one target, and none was given",
            remedy="write --target TARGET; without these options the overview names all of them",
        )
    if len(only) == 2:
        raise Misuse("--request-only and --residue-only together leave everything out", remedy="write one of them")
    if only and call.json:
        raise Misuse(f"--json has both, the request and the residue; {only[0]} has no JSON", remedy="write one of them")
    if call.residue_only and call.out is not None:
        raise Misuse(
            "--out takes the part of the request, and --residue-only leaves it out", remedy="leave one of them out"
        )
    _require_sound_out(call)


def _require_sound_out(call: Compiling) -> None:
    if call.overwrite and call.out in (None, STDIO):
        raise Misuse("--overwrite is about the file of --out", remedy="write --out FILE, or leave --overwrite out")
    if call.out is None or call.out == STDIO:
        return
    if any(is_same_file(call.out, name) for name in call.judging.inputs):
        raise Misuse(
            f"--out would write over {show(call.out, max_chars=200)}, which is read", remedy="name another file"
        )
    if not call.overwrite and os.path.lexists(call.out):
        raise Misuse(
            f"{show(call.out, max_chars=200)} exists; nothing was written",
            remedy="name another file, or add --overwrite",
        )
