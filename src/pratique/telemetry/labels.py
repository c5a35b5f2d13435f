"""The labels of a metric: the provider and the model that were asked for, and not more of them than a limit.

Every new value of a label is a new series, kept for as long as the process lives and in the database after it. So no
workflow, token or budget is a label, and what a provider calls its model in a reply is none either: whoever writes that
could write anything.
"""

from __future__ import annotations

from typing import NamedTuple

from pratique.errors import Misuse
from pratique.telemetry.attributes import plain

__all__ = ["MAX_MODELS", "OTHER", "Asked", "Models"]

MAX_MODELS = 100
"""Pairs of provider and model that have series of their own. Judgement: more than any program asks, and a hundred times
the twenty series of one model are what a database of metrics takes without a thought."""


class Asked(NamedTuple):
    """Who was asked."""

    provider: str
    model: str


OTHER = Asked("other", "other")
"""All that are beyond the limit, and those that were not told."""


class Models:
    """Keep the pairs that have been seen. One thread at a time.

    Limits: ``max_models``; who comes later is ``OTHER``.
    """

    def __init__(self, max_models: int) -> None:
        if isinstance(max_models, bool) or not isinstance(max_models, int) or max_models < 1:
            raise Misuse(
                f"max_models must be a whole number of at least 1, not {max_models!r}",
                remedy=f"leave it out to get the default, {MAX_MODELS} models",
            )
        self._max_models = max_models
        self._seen: set[Asked] = set()

    def labels(self, provider: str, model: str) -> Asked:
        """Return the labels of a pair."""
        asked = Asked(plain(provider), plain(model))
        if asked not in self._seen:
            if len(self._seen) >= self._max_models:
                return OTHER
            self._seen.add(asked)
        return asked
