"""``pratique explain``: what a code or a lint rule means, why it exists, what to do; or the list of all of them.

Only the signature stands here: what the command needs is imported when it runs, so that its help is quick.
"""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

__all__ = ["explain"]


def explain(
    code: Annotated[
        str | None, Parameter(name="CODE", help="A code, as findings carry it; of a lint rule also its name.")
    ] = None,
    /,
    *,
    json_: Annotated[
        bool, Parameter(name="--json", negative="", help="Print JSON: one object, or a list of all codes.")
    ] = False,
) -> int:
    """Explain a code."""
    from pratique.cli.explained import run_explain

    return run_explain(code, as_json=json_)
