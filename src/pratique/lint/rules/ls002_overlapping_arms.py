"""LS002: one value fits two arms of a union, and nothing says which is meant."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from pratique.dialects.nodes.node import Node, Record
from pratique.lint.overlap import Overlap, overlap_of
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Subject
from pratique.lint.view import View
from pratique.show import show

__all__ = ["RULE"]

MAX_TRIED = 8
"""Arms of a union inside another one that are held against those around it: each costs a look at all pairs."""

MAX_PROOF_CHARS = 160
"""Characters of the value that proves it: two lines of a terminal."""


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Tell one pair of each union; beside a free arm, which somebody wrote on purpose, it is milder."""
    del settings
    mild = Level.INFO if subject.kind is Kind.TOOL else Level.WARN
    for part in subject.parts:
        unions = [part.view.object_arms(spot.node) for spot in part.view.unions]
        for spot, arms in zip(part.view.unions, unions, strict=True):
            inner = [other for other in unions if set(other) < set(arms)]
            found = _overlap(part.view, arms, inner)
            if found is None:
                continue
            names = [arm.name for arm in found.arms]
            if not all(names) or names[0] == names[1]:
                names = [f"arm {arms.index(arm) + 1}" for arm in found.arms]
            proof = show(json.dumps(found.value, ensure_ascii=False), max_chars=MAX_PROOF_CHARS)
            free = [name for name, arm in zip(names, found.arms, strict=True) if _is_free(arm)]
            if free:
                told = f"{free[0]} takes any object, so nothing that the other arms say is kept: {proof} fits it, too"
                help_ = "take the free arm out, or say the others only in words"
                yield Remark(part, spot.place, told, help_, mild)
            else:
                yield Remark(part, spot.place, f"{names[0]} and {names[1]} both take {proof}")


def _overlap(view: View, arms: Sequence[Node], inner: Sequence[Sequence[Node]]) -> Overlap | None:
    """Return a pair that no union inside this one holds as a whole: that union tells it.

    Not checked: the arms of an inner union that overlaps, beyond ``MAX_TRIED``, against those around it.
    """
    found = overlap_of(view, arms)
    own = _holding(inner, found)
    if own is None:
        return found
    others = [arm for arm in arms if arm not in own]
    pairs = (overlap_of(view, [arm, *others]) for arm in own[:MAX_TRIED])
    return next((pair for pair in pairs if pair is not None and _holding(inner, pair) is None), None)


def _holding(unions: Sequence[Sequence[Node]], found: Overlap | None) -> Sequence[Node] | None:
    return next((union for union in unions if found is not None and set(found.arms) <= set(union)), None)


def _is_free(arm: Node) -> bool:
    """Say whether an arm names no field: it is a map of anything, or nothing is said of it."""
    return isinstance(arm.form, Record) and not arm.form.fields and arm.form.rest is not None


def _arm(field: str, kind: str = "") -> dict[str, object]:
    """Make an arm of the examples: an id and one field of its own, with a tag or without."""
    tag: dict[str, object] = {"kind": {"const": kind}} if kind else {}
    return {
        "type": "object",
        "properties": {**tag, "id": {"type": "string"}, field: {"type": "string"}},
        "required": [*tag, "id"],
        "additionalProperties": False,
    }


RULE = Rule(
    code="LS002",
    name="overlapping-arms",
    level=Level.ERROR,
    title="one value fits two arms of a union",
    why="The producer means one arm and the consumer reads another: an optional field of the right arm is dropped, or "
    "refused by the wrong one. What is read depends on the order of the arms and on the library.",
    help="put a required constant first in each arm (kind: …), a different one in each, and close the arms",
    evidence=(
        "pizza-bot issue 56, mastra-ai/mastra issue 18255: a call was read as another arm than the one that was meant",
        "measured on mcp 2.3 and fastmcp 4.1.2: a reply with fields of two arms is read as one, the others are dropped",
    ),
    bad={"anyOf": [_arm("name"), _arm("colour")]},
    good={"anyOf": [_arm("name", "named"), _arm("colour", "coloured")]},
    check=_check,
    judgement="Beside an arm that takes any object it is a warning, in a tool worth knowing: somebody wrote it so that "
    "nothing is refused.",
)
