"""One JSON object a file, on one line: the whole verdict.

Lone surrogates (bytes that were not UTF-8) come as ``\\udc80``…``\\udcff`` escapes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from pratique.cli.checked import Checked
from pratique.cli.terminal import Terminal

__all__ = ["render"]


def render(judged: Iterable[Checked], terminal: Terminal) -> Iterator[str]:
    """Yield ``Admission.to_dict()`` with the file's name before it."""
    del terminal
    for checked in judged:
        yield json.dumps({"file": checked.file, **checked.admission.to_dict()})
