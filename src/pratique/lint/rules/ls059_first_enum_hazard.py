"""LS059: the first of the listed values is the one that does most."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.names import words_of
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Subject
from pratique.lint.vocabulary import Vocabulary, vocabularies
from pratique.show import show

__all__ = ["RULE"]

_ACTIVE = frozenset({
    "accept", "allow", "apply", "approve", "approved", "ban", "buy", "charge", "commit", "delete", "deploy", "destroy",
    "drop", "erase", "execute", "force", "grant", "install", "kill", "merge", "overwrite", "pay", "proceed", "publish",
    "purge", "push", "refund", "release", "remove", "run", "sell", "send", "ship", "shutdown", "submit", "terminate",
    "transfer", "uninstall", "upgrade", "wipe", "work", "write",
})  # fmt: skip
"""First words of values on which something is done that is not easily undone."""

_PASSIVE = frozenset({
    "abstain", "ask", "clarify", "decline", "defer", "deny", "escalate", "hold", "human", "ignore", "manual", "needs",
    "noop", "none", "nothing", "park", "pause", "pending", "postpone", "reject", "rejected", "refuse", "review",
    "revisit", "skip", "stop", "unknown", "unsure", "wait",
})  # fmt: skip
"""First words of values on which nothing is done, or a person is asked."""


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Look at answers alone, and at what must be there: a server refuses a call without an argument that it needs."""
    del settings
    if subject.kind is Kind.TOOL:
        return
    for part in subject.parts:
        for listed in vocabularies(part.view):
            field = listed.spot.field
            if field is not None and not field.entry.required:
                continue
            safe = _passive_one(listed)
            if safe:
                message = f"{show(listed.texts[0])} comes first of the listed values, before {show(safe)}"
                yield Remark(part, listed.spot.place, message)


def _passive_one(listed: Vocabulary) -> str:
    """Return a value that does nothing, where the first one does something; empty otherwise."""
    texts = listed.texts
    if len(texts) != len(listed.values) or words_of(texts[0])[:1] == () or words_of(texts[0])[0] not in _ACTIVE:
        return ""
    return next((text for text in texts[1:] if words_of(text)[:1] and words_of(text)[0] in _PASSIVE), "")


RULE = Rule(
    code="LS059",
    name="first-enum-hazard",
    level=Level.INFO,
    title="the first of the listed values is the one that does most",
    why="What fills in a missing value takes the first: a repair does, and a model that does not know tends to. Then "
    "something is done on which nobody decided.",
    help="put the value first on which nothing happens, or a person is asked",
    evidence=(
        "measured here: json_repair's salvage mode filled a missing action with the first value, work-next",
        "source 004: what touches money, law or secrets is to be needs-human",
    ),
    bad={
        "type": "object",
        "properties": {"action": {"enum": ["delete", "archive", "skip"]}},
        "required": ["action"],
        "additionalProperties": False,
    },
    good={
        "type": "object",
        "properties": {"action": {"enum": ["skip", "archive", "delete"]}},
        "required": ["action"],
        "additionalProperties": False,
    },
    check=_check,
    judgement="Which words do something, and which do nothing.",
)
