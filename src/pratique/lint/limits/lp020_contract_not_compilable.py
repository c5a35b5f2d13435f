"""LP020: a contract cannot be compiled for a target at all."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.sizes import sizes_of
from pratique.lint.subject import Kind, Subject
from pratique.lint.uses import endpoints

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Tell what ``compile`` says. Where it refuses for a bound alone, LP010 to LP017 tell the bound."""
    if subject.kind is not Kind.CONTRACT:
        return
    for dialect in endpoints(settings):
        refusal = sizes_of(subject).refusal(dialect)
        if refusal is not None:
            message = f"it cannot be compiled for {dialect.target}: {refusal.message}"
            yield Remark(subject.main, (), message, refusal.remedy, target=dialect.target)


RULE = Rule(
    code="LP020",
    name="contract-not-compilable",
    level=Level.ERROR,
    title="the contract cannot be compiled for the target",
    why="What an endpoint does not keep is moved out of its way; this contract leaves nothing that could be asked for, "
    "so the first call would fail.",
    help="mend what the message names, or choose another target",
    evidence=("measured here: pratique's own compiler refuses it, with the reason",),
    bad="from pratique import Contract\nfrom pratique.terms import Locality\n"
    'field = {"type": "integer", "minimum": 5, "maximum": 1}\n'
    'schema = {"type": "object", "properties": {"rank": field}, "required": ["rank"], "additionalProperties": False}\n'
    "target = Contract.from_json_schema(schema, locality=Locality.ONE)\n",
    good="from pratique import Contract\nfrom pratique.terms import Locality\n"
    'field = {"type": "integer", "minimum": 1, "maximum": 5}\n'
    'schema = {"type": "object", "properties": {"rank": field}, "required": ["rank"], "additionalProperties": False}\n'
    "target = Contract.from_json_schema(schema, locality=Locality.ONE)\n",
    check=_check,
    target="openai/responses",
)
