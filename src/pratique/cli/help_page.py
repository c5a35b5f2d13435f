"""Help pages in two plain columns, the same on every terminal, so that the docs can show them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cyclopts.help import HelpEntry, HelpPanel
    from rich.console import Console, ConsoleOptions

__all__ = ["MAX_HELP_CELLS", "HelpPage"]

MAX_HELP_CELLS = 100
"""Width of a help page: fixed, so that the page does not depend on who prints it."""

MAX_LABEL_CELLS = 26
"""A longer label stands on a line of its own."""


class HelpPage:
    """Print usage, description and panels as plain text."""

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        """Print one panel: a title, then label and description side by side."""
        del options
        if not panel.entries:
            return
        rows = [(_label(entry), _description(entry)) for entry in panel.entries]
        column = 4 + min(MAX_LABEL_CELLS, max(len(label) for label, _ in rows))
        lines = [f"{panel.title}:"]
        for label, description in rows:
            wrapped = textwrap.wrap(description, MAX_HELP_CELLS - column) or [""]
            head = f"  {label}"
            if len(head) + 2 > column:
                lines.append(head)
                head = ""
            lines.append(f"{head:<{column}}{wrapped[0]}".rstrip())
            lines.extend(" " * column + line for line in wrapped[1:])
        _print(console, [*lines, ""])

    def render_usage(self, console: Console, options: ConsoleOptions, usage: object) -> None:
        """Print the usage line."""
        del options
        line = str(usage or "").strip().removeprefix("Usage:").strip()
        _print(console, [f"Usage: {line}", ""])

    def render_description(self, console: Console, options: ConsoleOptions, description: object) -> None:
        """Print the paragraphs of the description."""
        del options
        paragraphs = str(getattr(description, "primary_renderable", description) or "").strip().split("\n\n")
        for paragraph in paragraphs:
            _print(console, [*textwrap.wrap(paragraph, MAX_HELP_CELLS), ""])


def _label(entry: HelpEntry) -> str:
    return ", ".join(entry.display_labels_with_metavar)


def _description(entry: HelpEntry) -> str:
    description = entry.description
    return str(getattr(description, "primary_renderable", description) or "").strip()


def _print(console: Console, lines: list[str]) -> None:
    # Not console.print: it would end the program itself when the reader has gone away.
    print("\n".join(lines), file=console.file)
