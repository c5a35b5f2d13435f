"""One JSON line for each unit, quarantined unit, unclaimed stretch and finding; the summary comes last."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from pratique.cli.checked import Checked
from pratique.cli.terminal import Terminal

__all__ = ["render"]

_LISTS = {"units": "unit", "quarantined": "quarantined", "unclaimed": "unclaimed", "findings": "finding"}


def render(judged: Iterable[Checked], terminal: Terminal) -> Iterator[str]:
    """Yield lines that each have a ``kind`` and a ``file``."""
    del terminal
    for checked in judged:
        told: dict[str, Any] = checked.admission.to_dict()
        for name, kind in _LISTS.items():
            for entry in told.pop(name):
                yield json.dumps({"kind": kind, "file": checked.file, **entry})
        yield json.dumps({"kind": "summary", "file": checked.file, **told})
