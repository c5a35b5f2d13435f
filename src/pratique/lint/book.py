"""All rules: every file of ``rules/`` and ``limits/`` that defines ``RULE``."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache

from pratique.errors import Misuse
from pratique.lint.rule import Rule
from pratique.show import show

__all__ = ["rule_of", "rules"]

_SHELVES = ("pratique.lint.rules", "pratique.lint.limits")


@cache
def rules() -> tuple[Rule, ...]:
    """Return every rule, shelf by shelf, by code."""
    found: dict[str, Rule] = {}
    for shelf in _SHELVES:
        for file in sorted(pkgutil.iter_modules(importlib.import_module(shelf).__path__), key=lambda each: each.name):
            rule = getattr(importlib.import_module(f"{shelf}.{file.name}"), "RULE", None)
            if isinstance(rule, Rule):
                assert rule.code not in found, f"rule {rule.code} is declared twice"
                found[rule.code] = rule
    return tuple(found.values())


def rule_of(code: str) -> Rule:
    """Return the rule of a code, or of a name.

    Errors: Misuse when there is none, with the nearest.
    """
    for rule in rules():
        if code.upper() == rule.code or code == rule.name:
            return rule
    known = [word for rule in rules() for word in (rule.code, rule.name)]
    near = difflib.get_close_matches(code, known, n=1)
    meant = f"did you mean {near[0]}? " if near else ""
    raise Misuse(f"no lint rule is called {show(code)}", remedy=f"{meant}pratique explain lists them all")
