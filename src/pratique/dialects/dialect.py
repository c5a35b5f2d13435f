"""A dialect: one target's profile, and how a request asks for a schema or a list of tools there.

A target is one file in ``targets/`` that defines ``DIALECT``; there is no list of them to keep. What a request
part holds are plain dicts: no provider's SDK is imported here or there.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from pratique.dialects.profile import Profile
from pratique.errors import Misuse
from pratique.show import show

__all__ = ["Dialect", "WireSchema", "WireTool", "dialect_of", "dialects_beside", "targets"]

_TARGETS = "pratique.dialects.targets"


@dataclass(frozen=True, slots=True)
class WireSchema:
    """Hold one compiled schema, ready to be put into a request."""

    name: str
    """Within the profile's ``tool_name`` rule."""
    description: str
    """What the answer is for; empty: nothing is said."""
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WireTool:
    """Hold one compiled tool, ready to be put into a request."""

    name: str
    """Within the profile's ``tool_name`` rule."""
    description: str
    schema: Mapping[str, Any]
    examples: tuple[Any, ...] = ()
    """Arguments in wire shape that the schema accepts; left out where the endpoint has no place for them."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """Hold what one target accepts, and make the part of a request that asks for it.

    Shape: each maker returns JSON values only, and never the caller's own dicts changed.
    Not checked: the schema; the compiler has made it from this profile.
    """

    target: str
    """``provider/endpoint``; its file is named so, with ``_`` for ``/`` and ``.``."""
    profile: Profile
    schema_request: Callable[[WireSchema], dict[str, Any]] | None = None
    """Make the part of a request that asks for one schema; None: the target has no such thing."""
    tool: Callable[[WireTool], dict[str, Any]] | None = None
    """Make one tool; None: the target has no tools."""
    tool_request: Callable[[list[dict[str, Any]]], dict[str, Any]] | None = None
    """Make the part of a request that offers tools."""
    default_form: Literal["schema", "tools", "words"] = field(default="schema")
    """What the target is asked with, when nobody says."""


@cache
def targets() -> tuple[str, ...]:
    """Return the names of all targets, sorted."""
    return tuple(sorted(_dialect_in(found.name).target for found in pkgutil.iter_modules(_package().__path__)))


def dialect_of(target: str) -> Dialect:
    """Return the dialect of a target.

    Errors: Misuse when there is no such target; it names the nearest and lists all.
    """
    if target in targets():
        return _dialect_in(re.sub(r"[/.]", "_", target))
    near = difflib.get_close_matches(target, targets(), n=1)
    meant = f"did you mean {near[0]}? " if near else ""
    raise Misuse(f"there is no target {show(target)}", remedy=f"{meant}the targets are {', '.join(targets())}")


def dialects_beside(module: str) -> tuple[Dialect, ...]:
    """Return the dialects of every file in ``targets/`` but one: for the target that is made of the others."""
    files = (found.name for found in pkgutil.iter_modules(_package().__path__))
    return tuple(_dialect_in(file) for file in sorted(files) if module != f"{_TARGETS}.{file}")


def _dialect_in(file: str) -> Dialect:
    dialect: Dialect = importlib.import_module(f"{_TARGETS}.{file}").DIALECT
    return dialect


def _package() -> Any:
    return importlib.import_module(_TARGETS)
