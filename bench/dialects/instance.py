"""Sound instances of a spec, at random: JSON values that the model and its own schema both accept.

Where the two differ, an instance keeps to the narrower: moments carry a time zone, durations have no
fraction, ``\\d`` and ``\\w`` are ASCII, floats need no exponent (an oracle of bounded numbers has none).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from datetime import date, timedelta
from random import Random
from typing import Any, TypeVar
from uuid import UUID

from bench.dialects.spec import Listing, Mapped, Node, Number, Spec, Text, Whole, fields_of

__all__ = ["FREE_LENGTH", "MAX_LEVELS", "PATTERNS", "random_instance", "text_of", "value_of"]

T = TypeVar("T")

MAX_LEVELS = 7
"""Levels of nested objects and arrays in an instance, unless its type needs more: one below the contract's
``max_depth``, so that no instance is refused for its depth alone."""
MANY = 3
"""Elements of an unbounded list, at most: enough for none, one and several."""
LONG = 12
"""Characters of an unbounded string, at most."""
EXACT = 400
"""The largest ``max_length`` that an instance fills to the last character; a larger one counts as none."""
ABSENT = 0.4
"""How often an optional field is left out."""
GRID = 0.125
"""Step between floats: exact in binary, and short in decimal."""

_PLAIN = "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789 -_.,"
_AWKWARD = (
    '"', "\\", "/", "\n", "\t", "\r", "\x00", "\x1f", "\x7f", "é", "ß", "日", "😀", "\u2028", "\u202e", "{", "}", "[",
    "]", ":", "'", "`", "<", "null",
)  # fmt: skip
_KEYS = (
    "a",
    "b",
    "key",
    "value",
    "",
    "items",
    "A",
    "ключ",
    "a b",
    "a/b",
    "~1",
    "$ref",
    "__proto__",
    'quo"te',
    "\n",
    "😀",
)
_WORDS = ("alpha", "beta", "gamma", "delta")


def _of(alphabet: str) -> Callable[[Random, int], str]:
    return lambda rng, length: "".join(rng.choice(alphabet) for _ in range(length))


PATTERNS: dict[str, Callable[[Random, int], str]] = {
    r"^[a-z]+$": _of("abcxyz"),
    r"^[a-z][a-z0-9_]*$": lambda rng, length: rng.choice("abz") + _of("az09_")(rng, length - 1),
    r"^\d{4}-\d{2}$": lambda rng, _: f"{rng.randrange(10_000):04}-{rng.randrange(100):02}",
    r"^(alpha|beta|gamma|delta)(-[0-9]+)?$": lambda rng, _: rng.choice(_WORDS) + rng.choice(("", "-0", "-17")),
    r"^[A-F0-9]{8}$": lambda rng, _: _of("ABCDEF0123456789")(rng, 8),
    r"^[^\s/]+$": _of('ab.é😀"\\'),
    r"^.{1,3}$": lambda rng, _: _of("ab é😀")(rng, rng.randrange(1, 4)),
    r"^[a-z]{2,}\.(py|txt)$": lambda rng, length: _of("abc")(rng, max(2, length)) + rng.choice((".py", ".txt")),
    r"fix": lambda rng, _: rng.choice(("fix", "a fix", "prefix: é", "fixes\n")),
    r"^ws-": lambda rng, _: "ws-" + _of("ab1")(rng, rng.randrange(4)),
    r"[0-9]$": lambda rng, _: _of("ab é")(rng, rng.randrange(3)) + rng.choice("019"),
    r"^(?:[a-z]+/)*[a-z]+$": lambda rng, _: rng.choice(("a", "src/main", "x/y/z")),
    r"\bfix\b": lambda rng, _: rng.choice(("fix", "a fix b", "fix-it")),
}
"""Patterns of the family, each with what writes a string of about so many characters that matches it."""
FREE_LENGTH = (r"^[a-z]+$", r"^[a-z][a-z0-9_]*$", r"^[^\s/]+$")
"""Those whose strings may have any length from 1: the ones that stand beside bounds of length."""


def random_instance(spec: Spec, rng: Random) -> Any:
    """Write one sound instance of a spec's root, as JSON value with keys in the schema's order."""
    return _Writer(spec, rng).write(spec["root"], MAX_LEVELS)


def value_of(spec: Spec, node: Node, rng: Random) -> Any:
    """Write one sound instance of a node."""
    return _Writer(spec, rng).write(node, MAX_LEVELS)


def text_of(value: Any) -> str:
    """Write a JSON value in the one spelling that every decoder allows: compact, raw but for control characters."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("\x7f", "\\u007f")


class _Writer:
    """Write instances of one spec."""

    def __init__(self, spec: Spec, rng: Random) -> None:
        self._spec = spec
        self._rng = rng
        self._needed = _levels_needed(spec)

    def write(self, node: Node, levels: int, tags: frozenset[str] = frozenset()) -> Any:
        """Write one value with at most so many levels, or as few as its type allows.

        ``tags`` are the fields by which a union around it tells its arms apart: a default does not spare them.
        """
        rng = self._rng
        match node["kind"]:
            case "str":
                return self._string(node)
            case "format":
                return _moment(node["format"], rng)
            case "int":
                return self._whole(node)
            case "float":
                return self._number(node)
            case "bool":
                return rng.random() < 0.5
            case "null":
                return None
            case "any":
                return self._anything(min(levels, 3))
            case "literal":
                return rng.choice(node["values"])
            case "enum":
                return node["value"] if "value" in node else rng.choice(self._spec["enums"][node["name"]]["values"])
            case "nullable":
                too_deep = self._levels(node["of"]) > levels
                return None if too_deep or rng.random() < 0.3 else self.write(node["of"], levels)
            case "list" | "set":
                return self._listing(node, levels)
            case "tuple":
                if "rest" in node:
                    return self._elements(node["rest"], levels, 0, MANY)
                return [self.write(part, levels - 1) for part in node["of"]]
            case "map":
                return self._mapped(node, levels)
            case "union":
                return self.write(self._arm(node["arms"], levels), levels)
            case "tagged":
                return self.write(self._arm(node["arms"], levels), levels, tags | {node["tag"]})
            case "model":
                return self._members(node["name"], levels, tags)

    def _levels(self, node: Node) -> int:
        return _levels_of(node, self._needed)

    def _arm(self, arms: list[Node], levels: int) -> Node:
        fitting = [arm for arm in arms if self._levels(arm) <= levels]
        return self._rng.choice(fitting) if fitting else min(arms, key=self._levels)

    def _members(self, name: str, levels: int, tags: frozenset[str]) -> dict[str, Any]:
        members = {}
        for field in fields_of(self._spec, name):
            spared = "default" in field and field["name"] not in tags
            if spared and (self._levels(field["of"]) >= levels or self._rng.random() < ABSENT):
                continue
            members[field.get("alias", field["name"])] = self.write(field["of"], levels - 1)
        return members

    def _listing(self, node: Listing, levels: int) -> list[Any]:
        low = node.get("min", 0)
        values = self._elements(node["of"], levels, low, node.get("max", low + MANY))
        if node["kind"] == "list":
            return values
        unique = {text_of(value): value for value in values}
        given = self._rng
        for tries in range(200):  # a set's element has room for this many tries: no spec asks for more than it holds
            if len(unique) >= low:
                break
            if tries == 100:  # a source that Hypothesis shrinks may say the same for ever
                self._rng = Random(tries)
            value = self.write(node["of"], levels - 1)
            unique.setdefault(text_of(value), value)
        self._rng = given
        assert len(unique) >= low, "test_every_instance_is_sound"
        return list(unique.values())

    def _elements(self, node: Node, levels: int, low: int, high: int) -> list[Any]:
        count = low if self._levels(node) >= levels else _between(self._rng, low, high)
        return [self.write(node, levels - 1) for _ in range(count)]

    def _mapped(self, node: Mapped, levels: int) -> dict[str, Any]:
        low = node.get("min", 0)
        high = node.get("max", low + MANY)
        count = low if self._levels(node["of"]) >= levels else _between(self._rng, low, high)
        keys: list[str] = []
        while len(keys) < count:
            key = self._string(node["keys"]) if "keys" in node else self._rng.choice(_KEYS)
            if key not in keys:
                keys.append(key)
        return {key: self.write(node["of"], levels - 1) for key in keys}

    def _string(self, node: Text) -> str:
        low = node.get("min", 1 if "pattern" in node else 0)
        high = node.get("max", low + LONG)
        if high > EXACT:
            high = low + LONG
        length = _between(self._rng, low, high)
        if "pattern" in node:
            return PATTERNS[node["pattern"]](self._rng, length)
        awkward = self._rng.random() < 0.5
        letters = [
            self._rng.choice(_AWKWARD) if awkward and self._rng.random() < 0.3 else self._rng.choice(_PLAIN)
            for _ in range(length)
        ]
        return "".join(letters)[:length]

    def _whole(self, node: Whole) -> int:
        step = node.get("multiple_of", 1)
        low = node["gt"] + 1 if "gt" in node else node.get("ge")
        high = node["lt"] - 1 if "lt" in node else node.get("le")
        return step * self._step(None if low is None else -(-low // step), None if high is None else high // step)

    def _number(self, node: Number) -> float:
        step = node.get("multiple_of", GRID)
        low = high = None
        if "ge" in node or "gt" in node:
            low = math.floor(node["gt"] / step) + 1 if "gt" in node else math.ceil(node["ge"] / step)
        if "le" in node or "lt" in node:
            high = math.ceil(node["lt"] / step) - 1 if "lt" in node else math.floor(node["le"] / step)
        if low is None and high is None and "multiple_of" not in node and self._rng.random() < 0.4:
            return self._rng.choice((0.1, 3.14, -2.71, 1234567.891, 0.001))
        return step * self._step(low, high)

    def _step(self, low: int | None, high: int | None) -> int:
        """Choose a whole number: the bounds themselves, what is next to them, or any between."""
        rng = self._rng
        if low is None and high is None:
            return rng.choice((0, 1, -1, 7, -42, 2**31, -(2**53) - 1)) if rng.random() < 0.8 else rng.randrange(-99, 99)
        if low is None:
            assert high is not None
            low = high - 1000
        elif high is None:
            high = low + 1000
        assert low <= high, "test_every_instance_is_sound"
        return rng.choice((low, high, min(low + 1, high), max(high - 1, low), rng.randrange(low, high + 1)))

    def _anything(self, levels: int) -> Any:
        rng = self._rng
        which = rng.randrange(9 if levels > 0 else 6)
        match which:
            case 0:
                return None
            case 1:
                return rng.random() < 0.5
            case 2:
                return self._whole({"kind": "int"})
            case 3:
                return self._number({"kind": "float"})
            case 4 | 5:
                return self._string({"kind": "str"})
            case 6 | 7:
                return [self._anything(levels - 1) for _ in range(rng.randrange(MANY))]
            case _:
                keys = dict.fromkeys(rng.choice(_KEYS) for _ in range(rng.randrange(MANY)))
                return {key: self._anything(levels - 1) for key in keys}


def _between(rng: Random, low: int, high: int) -> int:
    """Choose a count: the bounds more often than what is between."""
    return rng.choice((low, high, rng.randrange(low, high + 1), rng.randrange(low, high + 1)))


def _moment(kind: str, rng: Random) -> str:
    day = date(2024, 2, 29) + timedelta(days=rng.randrange(-9_000, 9_000))
    clock = f"{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}" + rng.choice(("", ".5", ".123456"))
    zone = rng.choice(("Z", "+00:00", "+02:00", "-11:30"))
    match kind:
        case "date":
            return day.isoformat()
        case "time":
            return clock + zone
        case "duration":
            return rng.choice(("P1D", "PT0S", "PT36H", "P3DT4H5M6S", "P2W", "P1Y"))
        case "uuid":
            return str(UUID(int=rng.getrandbits(128)))
        case _:
            return f"{day.isoformat()}T{clock}{zone}"


# ------------------------------------------------------------------------- levels needed

_ENDLESS = 1_000
"""Levels of a type that has no finite value, as far as is known yet."""


def _levels_needed(spec: Spec) -> dict[str, int]:
    """Return for each model the fewest levels of one of its instances: a least fixed point."""
    needed = dict.fromkeys(spec["models"], _ENDLESS)
    for _ in needed:  # each round settles at least one model
        for name in needed:
            parts = [_levels_of(field["of"], needed) for field in fields_of(spec, name) if "default" not in field]
            needed[name] = min(_ENDLESS, 1 + max(parts, default=0))
    return needed


def _levels_of(node: Node, models: dict[str, int]) -> int:
    match node["kind"]:
        case "model":
            return models[node["name"]]
        case "list" | "set" | "map":
            return 1 + (_levels_of(node["of"], models) if node.get("min") else 0)
        case "tuple":
            return 1 + max((_levels_of(part, models) for part in node["of"]), default=0)
        case "union" | "tagged":
            return min(_levels_of(arm, models) for arm in node["arms"])
        case _:
            return 0
