"""What can go wrong, and whose fault it is.

::

    Finding   the producer's fault: a value, collected, never raised
    Misuse    the caller's fault: raised at once, says the remedy
    Outage    a provider or a disk failed: raised ``from`` its cause
    (a bug)   ours: any other exception

A ``Code`` is the stable name of one kind of finding or edit. Codes are declared beside the step that
uses them; ``CODES`` holds all that have been imported, for ``pratique explain`` and the docs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from pratique.text import Span

__all__ = ["CODES", "Code", "Effect", "Finding", "Misuse", "Outage", "Reason"]

CODES: dict[str, Code] = {}


class Effect(StrEnum):
    """Say what a finding does to the verdict."""

    REFUSE = "refuse"
    """Something was lost or may not pass: the unit, the envelope, or the claim to be ``clean``."""
    NOTE = "note"
    """Worth knowing; nothing was lost."""


class Reason(StrEnum):
    """Say why a unit is in quarantine."""

    MALFORMED = "malformed"
    DUPLICATE_KEY = "duplicate_key"
    TRUNCATED = "truncated"
    SCHEMA = "schema"
    GUARDRAIL = "guardrail"
    ALLOW_LIST = "allow_list"
    OVER_LIMIT = "over_limit"
    CONFLICT = "conflict"
    AMBIGUOUS = "ambiguous"
    CHECK = "check"
    BATCH = "batch"


@dataclass(frozen=True, slots=True)
class Code:
    """Name one kind of finding or edit, and say why it exists and what to do about it."""

    id: str
    """Stable: ``step.noun``."""
    title: str
    """What happened, in one line."""
    why: str
    """Why the boundary cares."""
    help: str
    """What the reader can do."""
    refused: str = ""
    """An input that gets this code, for the docs."""
    passes: str = ""
    """The input nearest to it that does not."""
    reason: Reason | None = None
    """The quarantine reason of a unit refused with this code; None for notes and edits."""

    def __post_init__(self) -> None:
        assert self.id not in CODES, f"code {self.id} is declared twice"
        CODES[self.id] = self

    def finding(
        self,
        message: str,
        *,
        path: str = "$",
        span: Span | None = None,
        effect: Effect = Effect.REFUSE,
        help: str = "",
    ) -> Finding:
        """Make a finding of this code."""
        return Finding(self.id, message, path, span, effect, help or self.help)


@dataclass(frozen=True, slots=True)
class Finding:
    """Tell one thing that is wrong or worth knowing. Collected, never raised.

    Units: ``span`` counts code points into the delivery's text; ``path`` is a JSONPath in the shape that the contract
        wants.
    Not checked: ``message`` quotes the producer only through ``show()``.
    """

    code: str
    message: str
    path: str = "$"
    span: Span | None = None
    effect: Effect = Effect.REFUSE
    help: str = field(default="", compare=False)

    def __str__(self) -> str:
        tail = f"; {self.help}" if self.help else ""
        return f"{self.code}: {self.message} at {self.path}{tail}"

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {
            "code": self.code,
            "path": self.path,
            "message": self.message,
            "span": list(self.span) if self.span else None,
            "effect": self.effect.value,
            "help": self.help,
        }


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings by place, then by code; those without a place come last."""
    return tuple(
        sorted(findings, key=lambda f: (f.span is None, f.span.start if f.span else 0, f.code, f.path, f.message))
    )


class Misuse(Exception):
    """Tell the caller that the call cannot be meant, and what to write instead."""

    def __init__(self, message: str, *, remedy: str) -> None:
        self.message = message
        self.remedy = remedy
        super().__init__(f"{message}; {remedy}")


class Outage(Exception):
    """Tell that something outside failed: a provider, a disk. Raised ``from`` its cause."""
