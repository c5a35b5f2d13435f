"""One line a finding, then one line a file: for editors, and for grep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pratique.cli.checked import Checked, Diagnostic
from pratique.cli.terminal import Terminal

__all__ = ["render"]


def render(judged: Iterable[Checked], terminal: Terminal) -> Iterator[str]:
    """Yield ``file:line:column: code: message at path``."""
    for checked in judged:
        for one in checked.diagnostics:
            code = terminal.paint(one.code, one.effect.value)
            yield f"{_place(checked, one)}: {code}: {one.message}{_tail(one)}"
        yield f"{checked.name}: {checked.summary}"


def _place(checked: Checked, one: Diagnostic) -> str:
    return f"{checked.name}:{checked.place(one.span.start)}" if one.span else checked.name


def _tail(one: Diagnostic) -> str:
    at = "" if one.is_edit else f" at {one.path}"
    return f"{at}; quarantined: {one.quarantined}" if one.quarantined else at
