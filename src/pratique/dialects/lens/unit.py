"""The lens of a whole unit, or of an envelope: what the boundary is given."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from pratique.dialects.lens.parts import MAX_PART_DEPTH, TooDeep, parts_of
from pratique.dialects.lens.step import Misshapen, Same, Step, applied, turned
from pratique.terms.lens import Change, Fault

__all__ = ["UnitLens"]


@dataclass(frozen=True, slots=True)
class UnitLens:
    """Lead the text of a whole unit, or of an envelope, back from the wire."""

    step: Step = field(default_factory=Same)

    def changes(self, text: str) -> list[Change] | Fault | None:
        """Return what has to change in ``text``; None when it is no JSON."""
        try:
            root = parts_of(text)
            return (
                None if root is None else [change for change in turned(self.step, text, root) if _tells(text, change)]
            )
        except TooDeep as deep:
            return Fault(deep.args[0], deep.args[0] + 1, f"nested deeper than {MAX_PART_DEPTH} levels")
        except Misshapen as misshapen:
            return misshapen.fault

    def out(self, value: Any) -> Any:
        """Return the wire's form of a contract's value."""
        return self.step.out(value)

    def back(self, value: Any) -> Any:
        """Return the contract's form of a wire value: the way of ``changes``, through its JSON text.

        Errors: ValueError for what the boundary refuses on the way: a key that comes twice, a fault.
        """
        text = json.dumps(value, ensure_ascii=False)
        changes = self.changes(text) or ()
        if isinstance(changes, Fault):
            raise ValueError(changes.message)
        return json.loads(applied(changes, text, 0, len(text)), object_pairs_hook=_each_once)


def _each_once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) != len(members):
        raise ValueError("a key comes twice")
    return found


def _tells(text: str, change: Change) -> bool:
    return text[change.start : change.end] != change.after
