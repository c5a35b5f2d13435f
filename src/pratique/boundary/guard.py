"""Compare and count admitted units: the contract's checks, uniqueness, and the cap.

Until here each unit stood alone. An unescaped quote in prose can forge a unit that is sound in every
way that syntax can tell; what it cannot do is claim an identity that nobody else claims, or be more
than the contract wants. So a conflict quarantines all claimants: which one is forged cannot be known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pratique.errors import Code, Effect, Finding, Reason
from pratique.show import show
from pratique.terms import Terms

__all__ = ["Identities", "conflicts", "in_declared_order", "run_checks"]

CHECK_FAILED = Code(
    "check.failed", "a check of the contract refused the unit",
    "The check is the contract's own rule.", "send a unit that keeps the rule", reason=Reason.CHECK,
)  # fmt: skip
CHECK_NOTED = Code(
    "check.noted", "a check of the contract noted something",
    "Worth knowing; the unit was admitted.", "nothing to do",
)  # fmt: skip
CHECK_RAISED = Code(
    "check.raised", "a check of the contract raised an error",
    "Producer content must not raise; the unit is refused, since the check did not pass it.",
    "let the check return findings for every unit", reason=Reason.CHECK,
)  # fmt: skip
CONFLICT = Code(
    "guard.conflict", "several units claim one identity",
    "One of them may be forged or a slip; which one cannot be told, so none is admitted.",
    "send each identity once", '[{"rank": 1}, {"rank": 1}]', '[{"rank": 1}, {"rank": 2}]', Reason.CONFLICT,
)  # fmt: skip
OVER_LIMIT = Code(
    "guard.over_limit", "more units than limits.max_items",
    "The best by the contract's order are kept; the others are set aside, not lost.",
    "ask for fewer, or raise limits.max_items", reason=Reason.OVER_LIMIT,
)  # fmt: skip
ORDER_FAILED = Code(
    "guard.no_order", "the contract's order function raised an error for a unit",
    "Producer content must not raise; a unit without a place in the order is refused.",
    "let the order function give a key for every unit", reason=Reason.CHECK,
)  # fmt: skip


def field_of(value: Any, path: str) -> Any:
    """Return a field of a unit by its dotted name; units are objects or dicts."""
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
    return value


def run_checks(terms: Terms[Any], value: Any) -> list[Finding]:
    """Run the contract's checks on one unit; what a check raises becomes a finding."""
    findings: list[Finding] = []
    for check in terms.checks:
        try:
            told: Iterable[Finding] | None = check(value)
            findings += () if told is None else told
        except Exception as error:  # noqa: BLE001  # caller's code: a check must not bring the delivery down
            name = getattr(check, "__name__", "check")
            findings.append(CHECK_RAISED.finding(f"{name} raised {type(error).__name__}: {show(str(error))}"))
    return findings


def refuses(findings: Iterable[Finding]) -> bool:
    """Say whether one of the findings costs the unit."""
    return any(finding.effect is Effect.REFUSE for finding in findings)


def conflicts(terms: Terms[Any], values: Sequence[Any]) -> dict[int, tuple[str, list[int]]]:
    """Find units that claim an identity which another one claims too.

    Shape: index of a unit -> (what they claim, all claimants).
    """
    found: dict[int, tuple[str, list[int]]] = {}
    for identity in terms.unique:
        claims: dict[Any, list[int]] = {}
        for index, value in enumerate(values):
            parts = tuple(_hashable(field_of(value, name)) for name in identity)
            if all(part is None for part in parts):
                continue  # an optional identity that nobody claims
            claims.setdefault(parts, []).append(index)
        for parts, claimants in claims.items():
            if len(claimants) > 1:
                named = _named(identity, parts)
                for index in claimants[1:] if terms.keep == "first" else claimants:
                    found.setdefault(index, (named, claimants))
    return found


class Identities:
    """Remember who claimed what, so that the first claimant can stay: ``conflicts`` one unit at a time.

    Limits: one entry for each unit and identity; nothing of the unit's other fields is kept.
    """

    __slots__ = ("_claimed", "_terms")

    def __init__(self, terms: Terms[Any]) -> None:
        self._terms = terms
        self._claimed: list[dict[Any, int]] = [{} for _ in terms.unique]

    def claim(self, value: Any, index: int) -> tuple[str, int] | None:
        """Claim a unit's identities; say which of them an earlier unit has, and which unit, or None."""
        found: tuple[str, int] | None = None
        for identity, claimed in zip(self._terms.unique, self._claimed, strict=True):
            parts = tuple(_hashable(field_of(value, name)) for name in identity)
            if all(part is None for part in parts):
                continue
            first = claimed.setdefault(parts, index)
            if first != index and found is None:
                found = _named(identity, parts), first
        return found


def _named(identity: tuple[str, ...], parts: tuple[Any, ...]) -> str:
    return ", ".join(f"{name} {show(part)}" for name, part in zip(identity, parts, strict=True))


def _hashable(value: Any) -> Any:
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return (type(value), value) if isinstance(value, bool) else value


def in_declared_order(terms: Terms[Any], values: Sequence[Any]) -> tuple[list[int], list[int]]:
    """Sort the indices of units by the contract's order; those whose order cannot be told come apart.

    Shape: (indices in order, indices without a place).
    """
    order = terms.order_by
    if order is None:
        return list(range(len(values))), []
    key: Callable[[Any], Any]
    descending = False
    if isinstance(order, str):
        name = order.removeprefix("-")
        descending = order.startswith("-")

        def key(value: Any) -> Any:
            return field_of(value, name)
    else:
        key = order
    placed: list[tuple[Any, int]] = []
    without: list[int] = []
    for index, value in enumerate(values):
        try:
            place = key(value)
            placed.append((place, index))
            if place is None or place < place:  # None and what cannot be compared with itself has no place
                raise TypeError
        except Exception:  # noqa: BLE001  # caller's code: an order function that fails on one unit costs that unit
            without.append(index)
            if placed and placed[-1][1] == index:
                placed.pop()
    try:
        ordered = sorted(placed, key=lambda entry: entry[0], reverse=descending)
    except TypeError:
        return [], sorted([*without, *(index for _, index in placed)])
    return [index for _, index in ordered], without
