"""LS006: a union of acts has no variant for declining."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pratique.dialects.nodes.node import Node, Record
from pratique.lint.absence import takes_null
from pratique.lint.names import words_of
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Subject
from pratique.lint.variants import are_variants, tag_of, variant_names
from pratique.lint.view import View
from pratique.terms.terms import Locality

__all__ = ["RULE"]

_ACTING = frozenset({
    "act", "action", "actions", "cmd", "command", "commands", "decision", "edit", "edits", "intent", "op", "operation",
    "operations", "proposal", "proposals", "remedy", "verb",
})  # fmt: skip
"""Words in the name of a union, of its tag or of its variants that say: one of them is going to be done."""

_VERBS = frozenset({
    "add", "append", "apply", "approve", "archive", "assign", "book", "bump", "buy", "call", "cancel", "click", "close",
    "commit", "copy", "create", "delete", "deploy", "disable", "download", "downgrade", "drop", "edit", "enable",
    "execute", "fetch", "fix", "grant", "insert", "install", "invoke", "kill", "merge", "modify", "move", "navigate",
    "open", "override", "pay", "pin", "post", "publish", "purchase", "put", "refund", "remove", "rename", "reorder",
    "replace", "reply", "restart", "revert", "revoke", "rewrite", "rollback", "run", "scroll", "sell", "send", "set",
    "split", "start", "stop", "submit", "swap", "transfer", "uninstall", "update", "upgrade", "upload", "write",
})  # fmt: skip
"""Verbs in the names of variants; half of the variants must have one."""

_DECLINING = frozenset({
    "abort", "abstain", "ambiguous", "answer", "ask", "block", "cancel", "cannot", "chat", "clarification", "clarify",
    "decline", "declined", "defer", "deny", "done", "empty", "error", "escalate", "escalation", "fail", "failed",
    "failure", "fallback", "final", "finish", "finished", "handoff", "human", "idle", "ignore", "impossible",
    "ineligible", "infeasible", "insufficient", "invalid", "message", "no", "none", "noop", "nop", "not", "nothing",
    "null", "other", "park", "pass", "question", "refusal", "refuse", "refused", "reject", "rejected", "rejection",
    "reply", "respond", "response", "skip", "skipped", "stop", "terminate", "text", "unable", "unanswerable",
    "unavailable", "unclear", "unknown", "unneeded", "unresolved", "unsupported", "wait", "withhold",
})  # fmt: skip
"""Words of a variant by which a producer can do nothing, say why, or hand back."""


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Look only where exactly one answer is due: a list can be empty, and a tool need not be called."""
    del settings
    terms = subject.terms
    if subject.kind is Kind.TOOL or (terms and (terms.refusal is not None or terms.locality is not Locality.ONE)):
        return
    view = subject.main.view
    for union, called in _unions(view, subject.name):
        arms = view.object_arms(union)
        if not are_variants(arms) or takes_null(union):
            continue
        names = variant_names(arms)
        if _acts(arms, names, called) and not _declines(arms, names):
            place = view.place_of(union)
            yield Remark(subject.main, place, f"one of {len(arms)} acts must be chosen, and none of them is to decline")


def _unions(view: View, name: str) -> Iterator[tuple[Node, str]]:
    """Yield the root's union, or that of the only field of a root object: providers want the union boxed."""
    root = view.root
    if root.arms:
        yield root, name
    elif isinstance(root.form, Record) and len(root.form.fields) == 1:
        key, entry = next(iter(root.form.fields.items()))
        if entry.required:
            yield entry.node, key


def _acts(arms: Sequence[Node], names: Sequence[str], called: str) -> bool:
    """Say whether the variants are things to do, as far as names show: Circle and Square are none."""
    if _ACTING & {*words_of(called), *words_of(tag_of(arms))}:
        return True
    verbs = sum(bool(_VERBS & set(_words(arm, name))) for arm, name in zip(arms, names, strict=True))
    if verbs * 2 >= len(arms):
        return True
    return all(_ACTING & set(words_of(arm.name)) for arm in arms)


def _declines(arms: Sequence[Node], names: Sequence[str]) -> bool:
    return any(_DECLINING & set(_words(arm, name)) for arm, name in zip(arms, names, strict=True))


def _words(arm: Node, name: str) -> tuple[str, ...]:
    return (*words_of(name), *words_of(arm.name))


_HEAD = """\
from pydantic import BaseModel
from pratique import Contract

class DepBump(BaseModel):
    package: str
    version: str

class Override(BaseModel):
    package: str
    override: str
"""

RULE = Rule(
    code="LS006",
    name="no-refuse-arm",
    level=Level.WARN,
    title="a union of acts has no variant for declining",
    why="A producer that must answer and may not decline proposes something all the same; a refusal that is a variant "
    "gets the same checks and the same log as any other answer.",
    help="add a variant that says why nothing is done, and name it in the contract: refusal=Refuse",
    evidence=("source 000, ADR-0001: PlanProposalRefuse(reason=…) is a first-class outcome, not an exception",),
    bad=_HEAD + "\ntarget = Contract.one(DepBump | Override)\n",
    good=_HEAD
    + """
class Refuse(BaseModel):
    reason: str

target = Contract.one(DepBump | Override | Refuse, refusal=Refuse)
""",
    check=_check,
    judgement="Which unions are acts, and which variants decline, is told by words in their names; a model may take "
    "the way out too often, so count refusals as attempts.",
)
