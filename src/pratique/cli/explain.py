"""``pratique explain``: what a code means, why it exists, what to do; or the list of all codes."""

from __future__ import annotations

import difflib
import importlib
import json
import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated

from cyclopts import Parameter

from pratique.errors import CODES, Code, Misuse
from pratique.show import escape, show

__all__ = ["all_codes", "explain", "printable"]

MAX_PROSE_CELLS = 100


def explain(
    code: Annotated[str | None, Parameter(name="CODE", help="A code, as findings carry it.")] = None,
    /,
    *,
    json_: Annotated[
        bool, Parameter(name="--json", negative="", help="Print JSON: one object, or a list of all codes.")
    ] = False,
) -> int:
    """Explain a code."""
    codes = all_codes()
    if code is None:
        every = [asdict(one) for one in codes.values()]
        print(json.dumps(every, indent=2) if json_ else "\n".join(_list(codes)))
        return 0
    found = codes.get(code)
    if found is None:
        near = difflib.get_close_matches(code, codes, n=1, cutoff=0.4)
        meant = f"did you mean {near[0]}? " if near else ""
        raise Misuse(f"no code is called {show(code)}", remedy=f"{meant}pratique explain lists them all")
    print(json.dumps(asdict(found), indent=2) if json_ else "\n".join(_page(found)))
    return 0


def all_codes() -> dict[str, Code]:
    """Return every code of the library by its id, in order; importing its rooms declares them."""
    for room in ("contract", "terms.json_schema", "apps.triage.contract", "quarantine.replay"):
        importlib.import_module(f"pratique.{room}")
    return dict(sorted(CODES.items()))


def printable(example: str) -> str:
    """Return an example with its lines kept and all else that a terminal would obey escaped."""
    return "\n".join(map(escape, example.strip("\n").split("\n")))


def _list(codes: dict[str, Code]) -> Iterator[str]:
    column = max(map(len, codes), default=0)
    for code in codes.values():
        yield f"{code.id:<{column}}  {code.title}"


def _page(code: Code) -> Iterator[str]:
    yield f"{code.id}: {code.title}"
    yield ""
    yield from textwrap.wrap(code.why, MAX_PROSE_CELLS)
    yield ""
    yield from textwrap.wrap(f"help: {code.help}", MAX_PROSE_CELLS, subsequent_indent="  ")
    if code.reason is not None:
        yield f"quarantine: a unit that gets it is kept with the reason {code.reason.value}"
    for title, example in (("refused", code.refused), ("passes", code.passes)):
        if example:
            yield ""
            yield f"{title}:"
            yield textwrap.indent(printable(example), "  ")
