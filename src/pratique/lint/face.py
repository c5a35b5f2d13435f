"""``lint``: the linter for whoever has Python objects in hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pratique.dialects.dialect import Dialect, dialect_of, targets
from pratique.lint.finding import Ignore, Report
from pratique.lint.linting import lint_subjects
from pratique.lint.rule import Settings
from pratique.lint.sources.objects import subject_of
from pratique.lint.sources.tools import tool_subjects
from pratique.lint.subject import Subject
from pratique.lint.thresholds import Thresholds

__all__ = ["EVERY_TARGET", "dialects_named", "lint"]

EVERY_TARGET = "all"
"""Stands for all targets, where some are named."""


def lint(
    *linted: Any,
    target: str | Sequence[str] = (),
    thresholds: Thresholds | None = None,
    same_behaviour: Iterable[Sequence[str]] = (),
    only: Iterable[str] = (),
    ignore: Iterable[Ignore] = (),
) -> Report:
    """Lint contracts, types, JSON Schemas and tools.

    Shape: each of ``linted`` is a ``Contract``, a type that pydantic validates, a JSON Schema or a tool as a dict, a
            list of tools that are offered together, or a ``Subject``.
        ``target`` names the endpoints whose limits count, as ``pratique.targets()`` lists them, or ``all``; without it
            no limit of a provider is looked at.
        ``same_behaviour`` are groups of listed values that the consumer treats alike.
        ``only`` names rules by code or name. ``ignore`` leaves findings out, each for a reason.
    Limits: linear in the schemas; unions are compared arm by arm.
    Errors: Misuse for what cannot be linted, an unknown target or rule; what is wrong with a schema is a finding.
    """
    settings = Settings(thresholds or Thresholds(), dialects_named(target), tuple(map(tuple, same_behaviour)))
    subjects = [subject for one in linted for subject in _subjects(one)]
    return lint_subjects(subjects, settings=settings, ignore=ignore, only=only)


def dialects_named(target: str | Sequence[str]) -> tuple[Dialect, ...]:
    """Return the dialects of some targets, each once; those of a target without a schema or tools are none.

    Errors: Misuse for a target that there is not.
    """
    named = [target] if isinstance(target, str) else list(target)
    names = [name for each in named for name in (targets() if each == EVERY_TARGET else (each,))]
    found = (dialect_of(name) for name in dict.fromkeys(names))
    return tuple(dialect for dialect in found if dialect.default_form != "words")


def _subjects(linted: Any) -> Iterable[Subject]:
    if isinstance(linted, Subject):
        return [linted]
    if (
        isinstance(linted, Sequence)
        and not isinstance(linted, (str, bytes))
        and all(isinstance(each, Mapping) for each in linted)
    ):
        return tool_subjects(linted)
    return [subject_of(linted)]
