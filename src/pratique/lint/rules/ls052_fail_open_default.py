"""LS052: what is left out counts as approved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pratique.lint.names import words_of
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Subject
from pratique.lint.view import Field
from pratique.show import show

__all__ = ["RULE"]

_GRANTED = frozenset({"approved", "authorised", "authorized", "confirmed", "consented"})
"""What a person or a check has to have said. These count for tools, too: an option may be on, a consent may not."""

_GOOD = _GRANTED | frozenset({
    "acceptable", "accepted", "admissible", "allowed", "cleared", "compliant", "eligible", "ok", "passed", "passes",
    "permitted", "safe", "success", "successful", "succeeded", "trusted", "valid", "verified",
})  # fmt: skip
_BAD = frozenset({
    "blocked", "denied", "fabricated", "flagged", "forbidden", "fraudulent", "harmful", "infected", "invalid",
    "malicious", "rejected", "spam", "suspicious", "toxic", "unsafe", "untrusted", "vulnerable",
})  # fmt: skip
"""Findings: false lets it pass."""

_NEEDED = frozenset({"approval", "confirmation", "human", "review"})
_OPTIONS = frozenset({
    "allow", "always", "check", "enable", "ensure", "exclude", "filter", "force", "hide", "if", "ignore",
    "include", "keep", "list", "log", "mark", "must", "notify", "only", "print", "return", "send", "should", "show",
    "skip", "stop", "use", "when", "with",
})  # fmt: skip
"""First words of names that choose what is done, and judge nothing."""

_NOT = frozenset({"no", "non", "not", "never", "without"})
_JUDGED = frozenset({"decision", "outcome", "result", "state", "status", "verdict"})
_GRADED = frozenset({"risk", "severity", "threat"})
_PASSING = frozenset({
    "accept", "accepted", "admit", "allow", "allowed", "approve", "approved", "clean", "ok", "okay", "pass", "passed",
    "permit", "permitted", "safe", "success", "valid", "verified",
})  # fmt: skip


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Look at fields that may be left out. Of a tool only consent counts: its other flags choose what it does."""
    del settings
    for part in subject.parts:
        for field in part.view.fields:
            if field.entry.default and not field.entry.required:
                default = field.entry.default[0]
                if _is_open(field, default, of_tool=subject.kind is Kind.TOOL):
                    message = f"{show(field.name)} is {show(default)} when it is left out, which lets it pass"
                    yield Remark(part, field.place, message)


def _is_open(field: Field, default: Any, *, of_tool: bool) -> bool:
    words = words_of(field.name)
    if not words or words[0] in _OPTIONS:
        return False
    is_negated = bool(_NOT & set(words))
    if of_tool:
        return default is True and words[-1] in _GRANTED and not is_negated
    if isinstance(default, bool):
        good = words[-1] in _GOOD or (words[-1] == "ok" and len(words) <= 2)
        bad = words[-1] in _BAD or _asks_for_people(words)
        return (good and default is not is_negated) or (bad and default is is_negated)
    return isinstance(default, str) and _is_passing(words, words_of(default))


def _asks_for_people(words: tuple[str, ...]) -> bool:
    """Say whether a flag asks for a person: ``needs_review``, ``requires_approval``, ``review_required``."""
    return bool(_NEEDED & set(words)) and bool({"needed", "needs", "required", "requires"} & set(words))


def _is_passing(words: tuple[str, ...], said: tuple[str, ...]) -> bool:
    """Say whether a verdict is that all is well: ``status: ok``, ``severity: none``."""
    if words[-1] in _JUDGED:
        return len(said) == 1 and said[0] in _PASSING
    is_grade = words[-1] in _GRADED or (words[-1] in ("level", "rating") and bool(_GRADED & set(words)))
    return is_grade and said in (("none",), ("no", "risk"))


RULE = Rule(
    code="LS052",
    name="fail-open-default",
    level=Level.ERROR,
    title="what is left out counts as approved",
    why="A model leaves fields out, a reply is cut off, a repair fills in what is missing: a default that lets things "
    "pass turns each of these into an approval that nobody gave.",
    help="make the field required, or let the default be the value that stops: False, needs-human, null",
    evidence=(
        "567-labs/instructor issue 2225: a validator that fails open by default",
        "measured here: json_repair's salvage mode filled a missing action in, and a triage item became work-next",
    ),
    bad={
        "type": "object",
        "properties": {"why": {"type": "string"}, "approved": {"type": "boolean", "default": True}},
        "required": ["why"],
        "additionalProperties": False,
    },
    good={
        "type": "object",
        "properties": {"why": {"type": "string"}, "approved": {"type": "boolean", "default": False}},
        "required": ["why"],
        "additionalProperties": False,
    },
    check=_check,
    judgement="Which words let pass: approved, valid, safe and their kin; for findings such as flagged it is false.",
)
