"""One JSON line a finding, ignored ones too, each with a ``kind``; the summary comes last."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pratique.cli.linted.formats.json import summed
from pratique.cli.linted.report import Linted
from pratique.cli.terminal import Terminal

__all__ = ["render"]


def render(linted: Linted, terminal: Terminal) -> Iterator[str]:
    """Yield lines that each have a ``kind``."""
    del terminal
    for kind, findings in (("finding", linted.shown), ("ignored", linted.report.ignored)):
        for finding in findings:
            yield json.dumps({"kind": kind, **finding.to_dict()})
    yield json.dumps({"kind": "summary", **summed(linted)})
