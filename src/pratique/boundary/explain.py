"""Turn what is wrong with a unit into findings with paths and places in the delivery."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pratique.boundary.frame import Region
from pratique.boundary.guard import CONFLICT
from pratique.boundary.scan import ELIDED, Piece
from pratique.boundary.unit import fill_text
from pratique.boundary.validate import EXTRA, Outcome, Problem, key_place, locate, written_loc
from pratique.boundary.verdict import Unit
from pratique.errors import Effect, Finding
from pratique.show import show
from pratique.terms import Locality, Terms
from pratique.text import Span

__all__ = ["checked", "explain", "json_path", "unit_path"]


def explain(terms: Terms[Any], unit: Unit) -> None:
    """Turn a unit's problems into findings with places in the delivery."""
    outcome, piece, region = unit.outcome, unit.piece, unit.framed.region
    path = unit_path(terms, unit.index)
    for problem in outcome.problems:
        where = path + json_path(written_loc(outcome.text, problem))
        span = _place(problem, outcome, piece, region)
        unit.tell(problem.code.finding(problem.message, path=where, span=span, effect=problem.effect))
    for change in outcome.edits:
        if change.code == "repair.ellipsis_deleted":
            span = region.span(piece.start + change.start, piece.start + change.end)
            unit.tell(ELIDED.finding("an ellipsis stands inside the unit", path=path, span=span, effect=Effect.REFUSE))


def unit_path(terms: Terms[Any], index: int) -> str:
    """Return the JSONPath of a unit by its place among the units seen."""
    if terms.locality is Locality.ONE:
        return "$"
    return "$" + json_path(terms.at) + f"[{index}]"


def json_path(loc: Iterable[str | int]) -> str:
    """Write a path in a unit as JSONPath does, without the root."""
    parts = []
    for part in loc:
        if isinstance(part, int):
            parts.append(f"[{part}]")
        elif part.isidentifier():
            parts.append(f".{part}")
        else:
            parts.append(f"[{show(part)}]")
    return "".join(parts)


def _place(problem: Problem, outcome: Outcome, piece: Piece[Outcome], region: Region) -> Span:
    """Lead a problem back to the delivery's text."""
    if not outcome.text and outcome.reason is None:
        fill_text(outcome, region.text[piece.start : piece.end])
    if problem.place is not None:
        start, end = problem.place
    elif problem.code is EXTRA:
        start, end = key_place(outcome.text, problem.loc)
    elif problem.kind == "missing" and outcome.text:
        start = locate(outcome.text, problem.loc)[0]
        end = start + 1
    elif outcome.text:
        start, end = locate(outcome.text, problem.loc)
    else:
        start, end = 0, piece.end - piece.start
    if outcome.back is not None:
        start, end = outcome.back.span(start, max(start + 1, end))
    limit = piece.end - piece.start
    start = min(start, max(0, limit - 1))
    return region.span(piece.start + start, piece.start + max(min(end, limit), min(start + 1, limit)))


def checked(finding: Finding, terms: Terms[Any], unit: Unit) -> Finding:
    """Give a check's finding its place in the delivery."""
    path = finding.path.removeprefix("$")
    if path and not path.startswith(("[", ".")):
        path = f".{path}"
    loc = tuple(part for part in path.replace("]", "").replace("[", ".").split(".") if part)
    parts: tuple[str | int, ...] = tuple(int(part) if part.isdigit() else part.strip("'\"") for part in loc)
    problem = Problem(CONFLICT, "", parts)
    span = _place(problem, unit.outcome, unit.piece, unit.framed.region)
    return Finding(
        finding.code, finding.message, unit_path(terms, unit.index) + path, span, finding.effect, finding.help
    )
