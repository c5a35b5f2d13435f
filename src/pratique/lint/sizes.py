"""How large what is sent is, held against each endpoint's bounds: a schema as it is written, a contract as compiled.

Neighbours: ``dialects.bounds`` counts; ``uses`` looks at what a schema says; the rules of ``limits/`` tell one bound
each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any

from pratique.dialects.bounds import Count, over
from pratique.dialects.compiling import compile_terms
from pratique.dialects.dialect import Dialect
from pratique.dialects.plan import Options, Plan, plan_of
from pratique.dialects.profile import Bounds
from pratique.errors import Misuse
from pratique.lint.rule import Remark, Settings
from pratique.lint.subject import Subject
from pratique.lint.uses import endpoints
from pratique.terms.terms import Terms

__all__ = ["Sizes", "over_bound", "sizes_of"]

_LIMITS = tuple(
    limit.name for limit in fields(Bounds) if limit.name.startswith("max_") and limit.name != "max_schema_bytes"
)
"""The bounds that have a rule. No endpoint is known to bound the bytes: a contract that is over is not compilable."""

_FREE = 10**12
"""More of anything than a schema holds."""


class Sizes:
    """Say which bounds of a target what is sent there is over, and whether a contract can be sent at all.

    Limits: a contract is compiled once for each target; twice, when that is refused.
    """

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._known: dict[int, tuple[Dialect, Mapping[str, str] | Misuse]] = {}

    def over(self, dialect: Dialect) -> Mapping[str, str]:
        """Return the bounds that it is over, each with words: ``31 optional properties, at most 24``."""
        found = self._found(dialect)
        return {} if isinstance(found, Misuse) else found

    def refusal(self, dialect: Dialect) -> Misuse | None:
        """Return why ``compile`` refuses the contract, where that is for no bound."""
        found = self._found(dialect)
        return found if isinstance(found, Misuse) else None

    def _found(self, dialect: Dialect) -> Mapping[str, str] | Misuse:
        known = self._known.get(id(dialect))
        if known is None:
            terms = self._subject.terms
            found = (
                _over([part.schema for part in self._subject.parts], dialect.profile.bounds, 0)
                if terms is None
                else _over_compiled(terms, dialect)
            )
            known = self._known[id(dialect)] = (dialect, found)
        return known[1]


@lru_cache(maxsize=16)
def sizes_of(subject: Subject) -> Sizes:
    """Return the sizes of a subject; kept for the next rule that asks."""
    return Sizes(subject)


def over_bound(subject: Subject, settings: Settings, limit: str) -> Iterator[Remark]:
    """Tell the targets of which a subject is over one bound.

    Not checked: the other schemas of the same request, which count for it, too.
    """
    for dialect in endpoints(settings):
        words = sizes_of(subject).over(dialect).get(limit)
        if words is not None:
            profile = dialect.profile
            yield Remark(
                subject.main, (),
                f"{words}: {dialect.target} ({profile.endpoint}) refuses more; its limits were read on "
                f"{profile.read_on}",
                target=dialect.target,
            )  # fmt: skip


def _over_compiled(terms: Terms[Any], dialect: Dialect) -> Mapping[str, str] | Misuse:
    """Compile a contract; when that is refused, compile it without bounds and count what comes of it."""
    try:
        compile_terms(terms, dialect, Options())
    except Misuse as refusal:
        form = dialect.default_form
        try:
            plan = plan_of(terms, _unbounded(dialect), form, Options())
        except Misuse:
            return refusal
        return _over(_schemas_of(plan), dialect.profile.bounds, len(plan.tools)) or refusal
    return {}


def _unbounded(dialect: Dialect) -> Dialect:
    """Return a dialect that writes as this one does, whatever comes of it: what is bounded stays bounded, far off."""
    bounds = dialect.profile.bounds
    far = {limit: _FREE for limit in _LIMITS if getattr(bounds, limit) is not None}
    return replace(dialect, profile=replace(dialect.profile, bounds=replace(bounds, **far)))


def _schemas_of(plan: Plan) -> list[Mapping[str, Any]]:
    return [tool.schema for tool in plan.tools] or [plan.schema]


def _over(schemas: list[Mapping[str, Any]], bounds: Bounds, tools: int) -> Mapping[str, str]:
    count = Count(strict_tools=tools)
    for schema in schemas:
        count.add(schema, bounds)
    found = {}
    for limit in _LIMITS:
        most = getattr(bounds, limit)
        if most is not None and getattr(count, limit.removeprefix("max_")) > most:
            alone: dict[str, Any] = {limit: most, "many_enum_values": bounds.many_enum_values}
            found[limit] = over(schemas, Bounds(**alone), tools=tools)[0]
    return found
