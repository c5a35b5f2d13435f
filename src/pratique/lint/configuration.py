"""What a project says about linting in its ``pyproject.toml``, under ``[tool.pratique.lint]``.

Shape, every key optional::

    [tool.pratique.lint]
    target = ["anthropic/messages"]
    fail-on = "error"
    level = "warn"
    max-tokens = 4096
    same-behaviour = [["sequential", "independent"]]
    thresholds = { warn_depth = 4 }

    [[tool.pratique.lint.ignore]]
    code = "LS022"
    path = "tools/search#*"
    reason = "the upstream API has these fields"
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from pratique.errors import Misuse
from pratique.lint.finding import Ignore
from pratique.lint.rule import Level
from pratique.lint.thresholds import Thresholds
from pratique.show import show

__all__ = ["Configuration"]

_WHERE = "[tool.pratique.lint]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Hold what a project says; what it does not say is as the defaults are."""

    target: tuple[str, ...] = ()
    fail_on: Level | None = Level.ERROR
    """The mildest level that fails; None: nothing does."""
    level: Level = Level.WARN
    """The mildest level that is shown."""
    same_behaviour: tuple[tuple[str, ...], ...] = ()
    thresholds: Thresholds = field(default_factory=Thresholds)
    ignore: tuple[Ignore, ...] = ()

    @staticmethod
    def read(file: Path) -> Configuration:
        """Read a project's file; one that says nothing of linting gives the defaults.

        Errors: Misuse for a file that cannot be read, and for a key or value that there is not.
        """
        try:
            whole = tomllib.loads(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise Misuse(
                f"{show(str(file))} cannot be read: {error}", remedy="mend it, or name another file"
            ) from error
        found: Any = whole
        for key in ("tool", "pratique", "lint"):
            found = found.get(key, {}) if isinstance(found, Mapping) else {}
        return Configuration.of(found)

    @staticmethod
    def of(said: Mapping[str, Any]) -> Configuration:
        """Read the table of a project's file.

        Errors: Misuse for a key or value that there is not.
        """
        known = {name.replace("-", "_"): value for name, value in said.items()}
        bounds = _thresholds(known.pop("thresholds", {}), known.pop("max_tokens", None))
        made: dict[str, Any] = {"thresholds": bounds, "ignore": tuple(map(_ignore, _list(known.pop("ignore", []))))}
        target = known.pop("target", [])
        made["target"] = tuple(_texts("target", [target] if isinstance(target, str) else target))
        groups = _list(known.pop("same_behaviour", []))
        made["same_behaviour"] = tuple(tuple(_texts("same-behaviour", group)) for group in groups)
        for name in ("fail_on", "level"):
            if name in known:
                made[name] = _level(name, known.pop(name))
        if known:
            strange = next(iter(known)).replace("_", "-")
            raise Misuse(
                f"{_WHERE} has no key {show(strange)}",
                remedy="it has target, level, fail-on, max-tokens, same-behaviour, thresholds and ignore",
            )
        return Configuration(**made)


def _thresholds(said: Any, max_tokens: Any) -> Thresholds:
    names = {each.name for each in fields(Thresholds)}
    if not isinstance(said, Mapping) or said.keys() - names:
        strange = show(next(iter(said.keys() - names))) if isinstance(said, Mapping) else show(said)
        raise Misuse(f"{_WHERE} thresholds cannot hold {strange}", remedy="it has " + ", ".join(sorted(names)))
    return Thresholds(**{**said, **({} if max_tokens is None else {"max_tokens": max_tokens})})


def _ignore(said: Any) -> Ignore:
    remedy = 'write { code = "LS022", path = "tools/search#*", reason = "…" }'
    if not isinstance(said, Mapping) or said.keys() - {"code", "path", "reason"}:
        raise Misuse(f"{_WHERE} ignore cannot hold {show(said)}", remedy=remedy)
    return Ignore(said.get("code", ""), said.get("path", ""), said.get("reason", ""))


def _list(said: Any) -> list[Any]:
    if not isinstance(said, list):
        raise Misuse(f"{_WHERE} holds {show(said)} where a list is due", remedy="put it into brackets")
    return said


def _texts(name: str, said: Any) -> list[str]:
    found = _list(said)
    for each in found:
        if not isinstance(each, str):
            raise Misuse(f"{_WHERE} {name} cannot hold {show(each)}", remedy="write a list of strings")
    return found


def _level(name: str, said: Any) -> Level | None:
    if name == "fail_on" and said == "never":
        return None
    try:
        return Level(said)
    except ValueError as error:
        never = ", never" if name == "fail_on" else ""
        raise Misuse(
            f"{_WHERE} {name.replace('_', '-')} cannot be {show(said)}", remedy=f"use error, warn, info{never}"
        ) from error
