"""The command line: parse, call, print. Thin; the library decides.

``pratique --help`` imports neither the validator nor the rest of the library: each command is imported
when it is called, and imports what it needs then.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Shape: ``argv`` is what follows the program's name; None: the process's own arguments.
    Errors: raises nothing for a wrong call; says so on standard error and returns 2.
    """
    from pratique.cli.app import run

    return run(argv)
