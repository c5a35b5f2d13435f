"""LP007: the root is not one object."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Subject
from pratique.lint.uses import endpoints, uses_of

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Look at the types of the root. A union at the root that the endpoint does not take either is told by LP003."""
    if subject.kind is Kind.CONTRACT:
        return
    part = subject.main
    types = part.view.document.types(((),))
    if types == {"object"}:
        return
    said = f"may be {' or '.join(sorted(types))}" if 0 < len(types) < 4 else "does not say that it is an object"
    for dialect in endpoints(settings):
        profile = dialect.profile
        is_told = any(trouble.use.name == "root union" for trouble in uses_of(part).troubles(dialect))
        if profile.root_object and not is_told:
            yield Remark(
                part, (),
                f"the root {said}, and {dialect.target} ({profile.endpoint}) takes an object alone; its table was read "
                f"on {profile.read_on}",
                target=dialect.target,
            )  # fmt: skip


RULE = Rule(
    code="LP007",
    name="root-not-object",
    level=Level.ERROR,
    title="the root of the schema is not an object",
    why="Most endpoints read the root as a set of named arguments; a list or a bare value there is refused.",
    help="put it under a key of an object, or make a contract of the schema: compile wraps it, and leads the answer "
    "back",
    evidence=(
        "OpenAI's structured-outputs guide: the root is an object, and no anyOf",
        "Anthropic's structured-outputs guide, 2026-07: the root is an object or a $ref to one in every example",
        "Hoplight issue 15: providers refuse a union at the root",
    ),
    bad={"type": "array", "items": {"type": "string"}},
    good={
        "type": "object",
        "properties": {"items": {"type": "array", "items": {"type": "string"}}},
        "required": ["items"],
        "additionalProperties": False,
    },
    check=_check,
    target="openai/responses",
)
