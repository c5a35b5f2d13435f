"""Every bound that a lint rule compares with, its unit and where it comes from.

Most are judgement: the measurements say that output gets worse with depth and breadth, and none says where to draw
the line. Each can be set.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from pratique.errors import Misuse

__all__ = ["Thresholds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Hold the bounds of the lint rules; more than the bound fires.

    Errors: Misuse for a bound that is no number of at least 0.
    """

    warn_depth: int = 3
    """Levels of objects and lists. Judgement: accuracy falls with each level (DeepJSONEval, 2025)."""
    error_depth: int = 5
    """Levels. What OpenAI's strict mode took until 2025; models send deeper objects as text (Carrick)."""
    warn_fields: int = 30
    """Fields of one object. Judgement: accuracy falls with breadth (ExtractBench, 2026)."""
    error_fields: int = 100
    """Fields of one schema. What OpenAI's strict mode took until 2025; at 369 nothing was valid (ExtractBench)."""
    max_optional: int = 8
    """Optional fields of one object. Judgement."""
    warn_enum: int = 20
    """Listed values. Judgement."""
    error_enum: int = 250
    """Listed values. OpenAI counts the characters of a list that is longer."""
    max_tokens: int | None = None
    """The ``max_tokens`` that the call will ask with; None: not known, and the budget is not compared."""
    max_token_share: float = 0.8
    """Part of ``max_tokens`` that the longest delivery may take. Judgement: the rest is for fences and prose."""
    usual_text_chars: int = 200
    """Characters of a text that a type or a schema does not bound, where a delivery's size is estimated. Judgement: a
    sentence or two; a contract bounds every text, and its own bound counts."""
    max_joint_items: int = 3
    """Items of a list that may be lost together. Judgement: so few are asked for again at little cost."""
    min_chars_alike: int = 9
    """Letters of words that are nearly the same when they differ in one. Judgement: of shorter words both are meant."""
    min_texts_listed: int = 3
    """Quoted values in a description that make it a vocabulary. Judgement."""

    def __post_init__(self) -> None:
        for field in fields(self):
            bound = getattr(self, field.name)
            if bound is None and field.default is None:
                continue
            if isinstance(bound, bool) or not isinstance(bound, (int, float)) or not 0 <= bound < float("inf"):
                raise Misuse(
                    f"{field.name} must be a number of at least 0, not {bound!r}",
                    remedy=f"leave it out to get the default, {field.default}",
                )
