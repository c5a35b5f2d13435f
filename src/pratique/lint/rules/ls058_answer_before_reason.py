"""LS058: the decision is written before its reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pratique.dialects.nodes.node import Choice, Listing, Node, Scalar
from pratique.lint.names import words_of
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Subject
from pratique.lint.view import Field
from pratique.lint.vocabulary import bare
from pratique.show import show

__all__ = ["RULE"]

_REASONS = frozenset({
    "analysis", "explanation", "justification", "rationale", "reason", "reasoning", "reasons", "thinking", "thought",
    "thoughts", "why",
})  # fmt: skip
_DECISIONS = frozenset({
    "action", "answer", "approved", "choice", "classification", "conclusion", "decision", "grade", "label", "rating",
    "recommendation", "score", "sentiment", "severity", "valid", "verdict", "winner",
})  # fmt: skip


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Look at answers alone: the arguments of a tool are not where a model thinks."""
    del settings
    if subject.kind is Kind.TOOL:
        return
    for part in subject.parts:
        for spot in part.view.records:
            found = _too_early(list(part.view.fields_of(spot)))
            if found is not None:
                decision, reason = found
                message = f"{show(decision.name)} is written before {show(reason.name)}"
                yield Remark(part, decision.place, message)


def _too_early(fields: Sequence[Field]) -> tuple[Field, Field] | None:
    """Return the first decision that comes before its reason, with the reason; None when there is none."""
    for at, reason in enumerate(fields):
        words = words_of(reason.name)
        if not words or words[-1] not in _REASONS or not _is_text(bare(reason.node)):
            continue
        about = words[:-1]
        for field in fields[:at]:
            name = words_of(field.name)
            if _is_decided(bare(field.node)) and (name == about if about else name[-1:] and name[-1] in _DECISIONS):
                return field, reason
        return None
    return None


def _is_text(node: Node) -> bool:
    form = bare(node.form.items).form if isinstance(node.form, Listing) and node.form.items is not None else node.form
    return isinstance(form, Scalar) and form.kind == "string"


def _is_decided(node: Node) -> bool:
    """Say whether a value may be a decision: one of a few, or a bare value; a constant decides nothing."""
    if isinstance(node.form, Choice):
        return len(node.form.values) > 1
    return isinstance(node.form, Scalar)


RULE = Rule(
    code="LS058",
    name="answer-before-reason",
    level=Level.INFO,
    title="the decision is written before its reason",
    why="What is written first is decided first: a reason that comes after it can only defend it. How much that costs "
    "is contested; an object whose last key is required and long is also safer against being cut off.",
    help="put the reason before the decision, unless it stands last to show that nothing was cut off",
    evidence=(
        "Let Me Speak Freely (arXiv 2408.02442): the order of keys matters to reasoning",
        "contested: one replication found the order of fields negligible",
    ),
    bad={
        "type": "object",
        "properties": {"verdict": {"enum": ["keep", "drop"]}, "reason": {"type": "string"}},
        "required": ["verdict", "reason"],
        "additionalProperties": False,
    },
    good={
        "type": "object",
        "properties": {"reason": {"type": "string"}, "verdict": {"enum": ["keep", "drop"]}},
        "required": ["reason", "verdict"],
        "additionalProperties": False,
    },
    check=_check,
    judgement="Which keys are decisions, which are reasons, and that the order matters at all.",
)
