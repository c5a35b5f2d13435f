"""What a rule is: a code, a level, what it looks for, why, two examples, and where it is known from.

A rule is one file in ``rules/`` (about shape and words) or ``limits/`` (about what a provider takes) that defines
``RULE``; there is no list of them to keep. Neighbours: ``book`` finds them, ``linting`` runs them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

from pratique.lint.thresholds import Thresholds
from pratique.terms.schema_document import Place

if TYPE_CHECKING:
    from pratique.dialects.dialect import Dialect
    from pratique.lint.subject import Part, Subject

__all__ = ["Example", "Fix", "Level", "Remark", "Rule", "Settings"]

_CODE = re.compile(r"L[SP][0-9]{3}")


class Level(StrEnum):
    """Say how much a finding matters."""

    ERROR = "error"
    """A known way to lose units, or to have a request refused."""
    WARN = "warn"
    """Costs sound output now and then; look at it."""
    INFO = "info"
    """Worth knowing; often right as it is."""

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Level).index(self)


@dataclass(frozen=True, slots=True)
class Settings:
    """Say how to lint: which thresholds, for which endpoints, and what is known beside the schema."""

    thresholds: Thresholds = field(default_factory=Thresholds)
    targets: tuple[Dialect, ...] = ()
    """The endpoints whose limits are looked at; empty: none."""
    same_behaviour: tuple[tuple[str, ...], ...] = ()
    """Groups of listed values that the consumer treats alike: no schema tells that."""


@dataclass(frozen=True, slots=True)
class Fix:
    """Hold what would mend it, to be printed and read: nothing is rewritten in place."""

    title: str
    schema: Mapping[str, Any]
    """The JSON Schema that takes the place of what was found."""
    python: str
    """The same as Python source: types, and a function that converts old payloads."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Tell one thing that a rule found, before it is known how it is reported.

    Shape: ``place`` leads into the schema of ``part``. ``level`` is another one than the rule's, where the case is
        milder or worse than usual.
    """

    part: Part
    place: Place
    message: str
    help: str = ""
    """What to do here; empty: what the rule says."""
    level: Level | None = None
    target: str = ""
    """The endpoint it is about."""
    fix: Fix | None = field(default=None, compare=False)


Example: TypeAlias = Mapping[str, Any] | str
"""A JSON Schema; or Python source that defines ``target``: a contract, a type, or a tool as a dict."""

Check: TypeAlias = "Callable[[Subject, Settings], Iterator[Remark]]"


@dataclass(frozen=True, slots=True)
class Rule:
    """Name one thing to look for, and say why it matters.

    Errors: AssertionError for a code or name of another form: a mistake in this library.
    """

    code: str
    """``LS`` and three digits for shape, ``LP`` for the limits of providers; stable."""
    name: str
    """The same for people: ``derivable-discriminator``."""
    level: Level
    title: str
    """What it finds, in one line."""
    why: str
    help: str
    """What to do about it."""
    evidence: tuple[str, ...]
    """Where it is known from: a measurement, a thread, a paper; what is judgement says so in ``judgement``."""
    bad: Example
    """Must fire."""
    good: Example
    """The nearest to it that must not."""
    check: Check
    judgement: str = ""
    """What of it is somebody's judgement and not a fact, thresholds above all; empty: nothing is."""
    target: str = ""
    """The endpoint that the examples are linted for; empty: none is needed."""
    thresholds: Mapping[str, Any] = field(default_factory=dict)
    """Thresholds that the examples are linted with, where the defaults leave the rule silent."""

    def __post_init__(self) -> None:
        assert _CODE.fullmatch(self.code), self.code
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.name), self.name
