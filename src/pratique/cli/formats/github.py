"""Workflow commands: annotations at the place, in a pull request.

Source: the workflow commands of GitHub Actions: ``%``, CR and LF are escaped everywhere, ``:`` and ``,``
in properties too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pratique.cli.checked import Checked, Diagnostic
from pratique.cli.terminal import Terminal
from pratique.errors import Effect

__all__ = ["command", "render"]

_LEVELS = {Effect.REFUSE: "error", Effect.NOTE: "notice"}


def render(judged: Iterable[Checked], terminal: Terminal) -> Iterator[str]:
    """Yield one command a finding, and the verdict as a plain line; edits are not annotated."""
    del terminal
    for checked in judged:
        for one in checked.diagnostics:
            if not one.is_edit:
                yield _command(checked, one)
        yield f"pratique: {checked.name}: {checked.summary}"


def _command(checked: Checked, one: Diagnostic) -> str:
    place: dict[str, object] = {"file": checked.name}
    if one.span:
        place |= _region(checked, one)
    place["title"] = one.code
    lost = f" (quarantined: {one.quarantined})" if one.quarantined else ""
    help = f"; {one.help}" if one.help else ""
    return command(_LEVELS[one.effect], place, f"{one.message} at {one.path}{lost}{help}")


def command(level: str, place: Mapping[str, object], text: str) -> str:
    """Write one workflow command."""
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in place.items())
    return f"::{level} {properties}::{_text(text)}"


def _region(checked: Checked, one: Diagnostic) -> dict[str, object]:
    assert one.span is not None
    start = checked.lines.position(one.span.start)
    end = checked.lines.position(max(one.span.start, one.span.end - 1))
    region: dict[str, object] = {"line": start.line, "endLine": end.line}
    if start.line == end.line:  # columns are refused on a region of several lines
        region |= {"col": start.column, "endColumn": end.column}
    return region


def _text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _text(text).replace(":", "%3A").replace(",", "%2C")
