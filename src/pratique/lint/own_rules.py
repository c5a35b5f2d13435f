"""The rules that a type or a contract has in Python: model validators and checks, and which fields each of them reads.

They are read as compiled code, not as source: so also where no source is at hand, and without running anything.
"""

from __future__ import annotations

import dis
import functools
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, get_args, get_type_hints

from pratique.lint.names import words_of
from pratique.lint.subject import Part, Subject

__all__ = ["OwnRule", "checks_of", "names_in", "types_of", "validators_of"]

MAX_TYPES = 2_000
"""Types of one subject that are looked through."""

_REFUSALS = frozenset({"refuse", "Finding", "finding"})
"""What a check calls to refuse a unit; ``note`` costs none."""


@dataclass(frozen=True, slots=True)
class OwnRule:
    """One validator or check, as far as its code tells."""

    name: str
    attributes: frozenset[str]
    """Names read with a dot: ``self.start``, ``item.rank``."""
    texts: frozenset[str]
    """Constant texts: ``values["start"]``."""
    fields: tuple[str, ...]
    """The fields that a field validator stands on."""
    refuses: bool

    def reads(self, names: frozenset[str], *, by_key: bool = False) -> frozenset[str]:
        """Return which of some fields it reads, by attribute or by key."""
        return names & (self.attributes | frozenset(self.fields) | (self.texts if by_key else frozenset()))


def types_of(part: Part, subject: Subject) -> Iterator[type]:
    """Yield the classes that a part's type holds and that may have validators, each once."""
    envelope = None if subject.terms is None else subject.terms.envelope
    ahead: list[Any] = [subject.python if part is subject.main else envelope and envelope.python]
    seen: set[int] = set()
    while ahead and len(seen) < MAX_TYPES:
        kind = ahead.pop()
        if kind is None or id(kind) in seen:
            continue
        seen.add(id(kind))
        ahead += get_args(getattr(kind, "__value__", kind))
        if isinstance(kind, type) and hasattr(kind, "__pydantic_decorators__"):
            yield kind
        if isinstance(kind, type):
            ahead += _hints(kind)


def validators_of(kind: type) -> Iterator[tuple[OwnRule, bool]]:
    """Yield the validators of a class that may read several fields, each with whether it reads them by key."""
    found = kind.__pydantic_decorators__  # type: ignore[attr-defined]  # types_of has looked
    for decorator in found.model_validators.values():
        rule = _rule_of(decorator.func, decorator.cls_var_name)
        if rule is not None:
            yield rule, decorator.info.mode != "after"
    for decorator in found.field_validators.values():
        rule = _rule_of(decorator.func, decorator.cls_var_name, decorator.info.fields)
        if rule is not None and "data" in rule.attributes:
            yield rule, True


def checks_of(subject: Subject) -> Iterator[OwnRule]:
    """Yield a contract's checks."""
    for check in () if subject.terms is None else subject.terms.checks:
        rule = _rule_of(check, getattr(check, "__name__", type(check).__name__))
        if rule is not None:
            yield rule


def names_in(said: str, names: frozenset[str]) -> frozenset[str]:
    """Return which of some fields a text names: as they are written, or as words."""
    return frozenset(name for name in names if _named(name).search(said))


@lru_cache(maxsize=1024)
def _named(name: str) -> re.Pattern[str]:
    spoken = r"[\s_-]?".join(map(re.escape, words_of(name))) or re.escape(name)
    return re.compile(rf"(?<![^\W_])(?:{re.escape(name)}|{spoken})(?![^\W_])", re.I)


def _hints(kind: type) -> list[Any]:
    try:
        return list(get_type_hints(kind, include_extras=True).values())
    except (AttributeError, NameError, TypeError):  # a name that only the type checker sees
        return []


def _rule_of(func: Any, name: str, fields: tuple[str, ...] = ()) -> OwnRule | None:
    code = _code_of(func)
    if code is None:
        return None
    attributes, texts, refuses = _read(code)
    return OwnRule(name, attributes, texts, fields, refuses)


def _code_of(func: Any) -> CodeType | None:
    """Return the code behind a function, a method, a partial or an object that is called."""
    for _ in range(10):
        if isinstance(func, functools.partial):
            func = func.func
        elif inspect.ismethod(func) or isinstance(func, (staticmethod, classmethod)):
            func = func.__func__
        elif isinstance(func, FunctionType) and hasattr(func, "__wrapped__"):
            func = func.__wrapped__
        elif isinstance(func, FunctionType):
            return func.__code__
        else:
            func = vars(type(func)).get("__call__")
    return None


@lru_cache(maxsize=1024)
def _read(code: CodeType) -> tuple[frozenset[str], frozenset[str], bool]:
    """Return the attributes and the constant texts of some code, inner functions included, and whether it refuses."""
    attributes: set[str] = set()
    texts: set[str] = set()
    refuses = False
    ahead = [code]
    while ahead:
        inner = ahead.pop()
        ahead += (const for const in inner.co_consts if isinstance(const, CodeType))
        for step in dis.get_instructions(inner):
            if step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                attributes.add(step.argval)
            if step.opname == "LOAD_CONST" and isinstance(step.argval, str):
                texts.add(step.argval)
            refuses = (
                refuses or step.opname == "RAISE_VARARGS" or (isinstance(step.argval, str) and step.argval in _REFUSALS)
            )
    return frozenset(attributes), frozenset(texts), refuses
