"""The letter case of an enumerated value or a tag, restored when exactly one allowed value differs by it.

``"Park"`` can only be ``"park"``. Anything further from an allowed value than its letter case is refused.
"""

from __future__ import annotations

from collections.abc import Mapping

from pratique.boundary.repair.edit import EditKind, Replacement
from pratique.boundary.validate import Problem, locate
from pratique.errors import Code

__all__ = ["CASE_RESTORED", "restore_case"]

CASE_RESTORED = EditKind(
    Code(
        "repair.case_restored", "the letter case of an enumerated value was restored",
        "Exactly one allowed value differs from what was written by its letter case alone.", "nothing to do",
        '{"action": "Park"}', '{"action": "parked"}',
    ),
    on=True,
)  # fmt: skip

_KINDS = frozenset({"literal_error", "enum", "json_schema_enum", "json_schema_const", "union_tag_invalid"})


def restore_case(
    text: str, problem: Problem, choices: Mapping[str, frozenset[str]], tags: Mapping[str, str]
) -> Replacement | None:
    """Restore the letter case of the value that the validator refused; None when no single one fits."""
    if problem.kind not in _KINDS:
        return None
    loc = problem.loc
    if problem.kind == "union_tag_invalid":
        keys = set(tags.values())
        if len(keys) != 1:
            return None
        loc = (*loc, *keys)
    start, end = locate(text, loc)
    written = text[start + 1 : end - 1]
    if text[start : start + 1] != '"' or "\\" in written:
        return None
    fitting = {choice for choice in choices.get(written.casefold(), ()) if choice != written}
    if len(fitting) != 1 or written in choices.get(written.casefold(), ()):
        return None
    after = fitting.pop()
    if '"' in after or "\\" in after:
        return None
    return Replacement("repair.case_restored", start, end, f'"{after}"', end)
