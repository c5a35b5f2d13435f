"""Contracts at random: every form that a Pydantic user writes, small, and with the corners in reach.

The choices are ordered from plain to odd, so that a random source that shrinks (Hypothesis has one) shrinks
a contract to a plain one. Needs nothing but Pydantic: the peers' environments import it.

Refuses nothing. Neighbours: ``spec`` says what a contract is here, ``model`` builds its classes,
``instance`` writes sound instances, ``fixtures`` has contracts by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

from bench.dialects.instance import FREE_LENGTH, PATTERNS, random_instance, text_of, value_of
from bench.dialects.model import model_of
from bench.dialects.spec import (
    Default,
    EnumClass,
    Field,
    Listing,
    Mapped,
    Model,
    Node,
    Number,
    Spec,
    Tagged,
    Text,
    Whole,
    nodes_of,
    size_of,
)

__all__ = ["SIZE", "Spec", "model_of", "nodes_of", "random_instance", "random_spec", "size_of", "text_of", "value_of"]

T = TypeVar("T")

SIZE = 12
"""Nodes that a random contract aims at; most have fewer than twice as many."""
MAX_NESTED = 4
"""Models, lists and maps inside each other, at most: an instance stays below the contract's ``max_depth``."""

_NAMES = ("title", "count", "name", "kind", "key", "value", "items", "variant", "result", "path", "note", "type", "id",
          "score", "owner", "next", "parts", "flag", "_", "data")  # fmt: skip
_ALIASES = (
    "from",
    "Content-Type",
    "a b",
    "ключ",
    "_0",
    "$ref",
    "a/b~c",
    'quo"te',
    "",
    "key",
    "value",
    "__proto__",
    "1",
)
_WORDS = (
    "low",
    "medium",
    "high",
    "park",
    "work-next",
    "needs human",
    "A",
    "a",
    "é",
    "null",
    "true",
    "1",
    'x"y',
    "",
    "\n",
)
_PROSE = (
    "What it is about.",
    "At most one line.",
    'Write "none" when there is none.',
    "Größe in µm\nor 0",
    "",
    "{}",
    "*/ {x}",
)


def random_spec(rng: Random, size: int = SIZE) -> Spec:
    """Make one contract of about ``size`` nodes."""
    return _Maker(rng, size).spec()


class _Maker:
    """Make one spec; every choice is taken from ``rng``, plainest first."""

    def __init__(self, rng: Random, size: int) -> None:
        self._rng = rng
        self._left = size
        self._models: dict[str, Model] = {}
        self._enums: dict[str, EnumClass] = {}
        self._named = 0
        self._open: list[str] = []
        self._whole: list[str] = []
        """Models that are finished: they may be used again anywhere."""

    def spec(self) -> Spec:
        """Make the root, and with it all that it needs."""
        root = self._pick([(70, self._new_model), (14, self._tagged), (9, self._models_apart), (7, self._nested_tags)])
        node = root(0)
        name = self._models[node["name"]]["name"] if node["kind"] == "model" else "Root"
        return Spec(name=name, root=node, models=self._models, enums=self._enums)

    # ------------------------------------------------------------------ choosing

    def _pick(self, weighted: Sequence[tuple[float, T]]) -> T:
        """Choose by weight; a source that says 0 gets the first."""
        point = self._rng.random() * sum(weight for weight, _ in weighted)
        for weight, choice in weighted:
            point -= weight
            if point < 0:
                return choice
        return weighted[-1][1]

    def _often(self, share: float) -> bool:
        """Say yes in that share of cases; a source that says 0 says no."""
        return self._rng.random() >= 1 - share

    def _name(self, kind: str) -> str:
        self._named += 1
        return f"{kind}{self._named}"

    # ------------------------------------------------------------------ models

    def _new_model(self, nested: int) -> Node:
        name = self._begin("M")
        return self._finish(name, [], nested)

    def _begin(self, kind: str) -> str:
        name = self._name(kind)
        self._models[name] = Model(name=name, fields=[])
        self._open.append(name)
        return name

    def _finish(self, name: str, first: list[Field], nested: int, *, least: int = 1, base: str = "") -> Node:
        """Fill a model with its fields; a tag, or what must be there, comes with them."""
        model = self._models[name]
        taken = {field["name"] for field in first}
        spelled = {field.get("alias", field["name"]) for field in first}
        if base:
            model["base"] = base
            for field in self._models[base]["fields"]:
                taken.add(field["name"])
                spelled.add(field.get("alias", field["name"]))
        if self._often(0.25):
            model["doc"] = self._rng.choice(_PROSE)
        if self._often(0.2) and not base:
            model["extra"] = self._pick([(4, "ignore"), (3, "forbid"), (1, "allow")])
        fields = list(first)
        count = max(least, self._rng.randrange(1, 5)) if self._left > 0 else least
        for _ in range(count):
            field = self._field(nested, taken, spelled)
            taken.add(field["name"])
            spelled.add(field.get("alias", field["name"]))
            # the tag is often not the first key: that is what some endpoints stumble over
            fields.insert(self._rng.randrange(len(fields) + 1) if self._often(0.3) else len(fields), field)
        model["fields"] = fields
        self._open.remove(name)
        self._whole.append(name)
        return {"kind": "model", "name": name}

    def _field(self, nested: int, taken: set[str], spelled: set[str]) -> Field:
        free = [name for name in _NAMES if name not in taken and name not in spelled and not name.startswith("_")]
        name = self._rng.choice(free) if free else f"field_{len(taken)}"
        node = self._node(nested + 1)
        field = Field(name=name, of=node)
        if self._often(0.12):
            aliases = [alias for alias in _ALIASES if alias not in spelled and alias not in taken]
            field["alias"] = self._rng.choice(aliases)
        if self._often(0.3):
            field["description"] = self._rng.choice(_PROSE)
        self._make_optional(field)
        return field

    def _make_optional(self, field: Field) -> None:
        """Give a field a default now and then: None, a value, a factory, or None beside a value's type."""
        node = field["of"]
        if node["kind"] == "list" or node["kind"] == "set" or node["kind"] == "map":
            if not node.get("min") and self._often(0.3):
                field["default"] = _FACTORIES[node["kind"]]
        elif node["kind"] == "nullable":
            if self._often(0.7):
                field["default"] = {"value": None}
                if node["of"]["kind"] in _SCALARS and self._often(0.35):
                    field["default"] = {"value": self._value(node["of"])}
        elif node["kind"] in _SCALARS:
            if self._often(0.25):
                field["default"] = {"value": self._value(node)}
        elif node["kind"] == "any":
            if self._often(0.2):
                field["default"] = {"value": None}
        elif node["kind"] in ("model", "tagged", "union") and self._often(0.2):
            field["of"] = {"kind": "nullable", "of": node}
            field["default"] = {"value": None}

    def _value(self, node: Node) -> Any:
        return value_of(Spec(name="", root=node, models=self._models, enums=self._enums), node, self._rng)

    def _tagged(self, nested: int) -> Node:
        """A union that a tag tells apart: plain strings, several per arm, an enum's members; perhaps inherited."""
        tag = self._pick([(3, "kind"), (2, "type"), (1, "variant")])
        arms = self._pick([(5, 2), (3, 3), (1, 4)])
        return self._tagged_by(tag, arms, nested, offset=0)

    def _nested_tags(self, nested: int) -> Node:
        """A tagged union in which one arm is such a union itself."""
        inner = self._tagged_by("mode", 2, nested, offset=5, outer="kind")
        plain = self._tagged_by("kind", 2, nested, offset=1)
        return Tagged(kind="tagged", tag="kind", arms=[*_arms(plain), inner])

    def _tagged_by(self, tag: str, arms: int, nested: int, *, offset: int, outer: str = "") -> Node:
        enum = self._new_enum(arms, words=True, mixed=True) if self._often(0.2) else ""
        base = ""
        if self._often(0.25):
            base = self._begin("Base")
            self._finish(base, [], nested, least=1)
            self._whole.remove(base)
            if any(
                field["name"] in (tag, outer) or field.get("alias") in (tag, outer)
                for field in self._models[base]["fields"]
            ):
                base = ""
        made: list[Node] = []
        for at in range(arms):
            name = self._begin("Arm")
            values: list[Any] = [f"arm-{offset + at}"]
            if self._often(0.15):
                values.append(f"also-{offset + at}")
            of: Node = {"kind": "literal", "values": values}
            if enum:
                of = {"kind": "enum", "name": enum, "value": self._enums[enum]["values"][at]}
            first = [Field(name=tag, of=of)]
            if of["kind"] == "literal" and len(values) == 1 and self._often(0.15):
                first[0]["default"] = {"value": values[0]}
            if outer:
                first.append(Field(name=outer, of={"kind": "literal", "values": ["inner"]}))
            made.append(self._finish(name, first, nested, least=0, base=base))
        return Tagged(kind="tagged", tag=tag, arms=made)

    def _models_apart(self, nested: int) -> Node:
        """A union of models without a tag: different keys, or the same keys with other types."""
        one = self._new_model(nested)
        other = self._new_model(nested)
        if self._often(0.3):
            assert one["kind"] == "model"
            name = self._begin("Like")
            fields = [
                Field({**field, "of": self._scalar()}) if "default" not in field else field
                for field in self._models[one["name"]]["fields"]
            ]
            other = self._finish(name, fields, nested, least=0)
        return {"kind": "union", "arms": [one, other]}

    # ------------------------------------------------------------------ nodes

    def _node(self, nested: int) -> Node:
        self._left -= 1
        if self._left <= 0 or nested > MAX_NESTED:
            return self._scalar()
        choices: list[tuple[float, Callable[[int], Node]]] = [
            (36, lambda _: self._scalar()),
            (11, self._listing),
            (9, self._nullable),
            (8, self._new_model),
            (6, self._mapped),
            (5, self._again),
            (5, self._tagged),
            (5, self._tuple),
            (5, self._union),
            (4, self._recursive),
            (3, self._set),
            (2, lambda _: {"kind": "any"}),
            (2, self._map_or_pairs),
            (1, self._nested_tags),
            (1, self._models_apart),
        ]  # fmt: skip
        return self._pick(choices)(nested)

    def _scalar(self) -> Node:
        choices: list[tuple[float, Callable[[], Node]]] = [
            (24, self._text),
            (18, self._integer),
            (8, lambda: {"kind": "bool"}),
            (12, self._float),
            (14, self._literal),
            (9, self._enum),
            (6, self._pattern),
            (6, self._moment),
        ]  # fmt: skip
        return self._pick(choices)()

    def _text(self) -> Text:
        node = Text(kind="str")
        low = self._pick([(5, 0), (2, 1), (1, 2)])
        if low:
            node["min"] = low
        if self._often(0.35):
            node["max"] = low + self._pick([(3, 20), (2, 5), (1, 1), (1, 0), (1, 300)])
        return node

    def _pattern(self) -> Text:
        node = Text(kind="str", pattern=self._pick([(1, pattern) for pattern in PATTERNS]))
        if node["pattern"] in FREE_LENGTH and self._often(0.4):
            node["min"] = self._pick([(1, 1), (1, 2)])
            node["max"] = node["min"] + self._pick([(1, 4), (1, 0)])
        return node

    def _moment(self) -> Node:
        kind: Any = self._pick([(3, "date"), (3, "date-time"), (2, "uuid"), (1, "time"), (1, "duration")])
        return {"kind": "format", "format": kind}

    def _integer(self) -> Whole:
        node = Whole(kind="int")
        if self._often(0.55):
            low = self._pick([(3, 0), (3, 1), (1, -5), (1, 10**6)])
            width = self._pick([(3, 100), (2, 10), (1, 1), (1, 0)])
            step = self._pick([(8, 1), (1, 5), (1, 7)])
            if step > 1:
                node["multiple_of"] = step
                low, width = low * step, width * step
            if self._often(0.8):
                node.update({"ge": low} if self._often(0.7) else {"gt": low - 1})
            if self._often(0.6):
                node.update({"le": low + width} if self._often(0.7) else {"lt": low + width + 1})
        return node

    def _float(self) -> Number:
        node = Number(kind="float")
        if self._often(0.5):
            low = self._pick([(3, 0.0), (1, 1.0), (1, -2.5), (1, 0.5)])
            width = self._pick([(3, 1.0), (2, 100.0), (1, 0.5)])
            if self._often(0.2):
                node["multiple_of"] = 0.5
            if self._often(0.8):
                node.update({"ge": low} if self._often(0.6) else {"gt": low - 0.5})
            if self._often(0.6):
                node.update({"le": low + width} if self._often(0.6) else {"lt": low + width + 0.5})
        return node

    def _literal(self) -> Node:
        words = list(_WORDS)
        values: list[Any] = [words.pop(self._rng.randrange(len(words))) for _ in range(self._rng.randrange(1, 4))]
        odd: list[Any] = self._pick([
            (12, values),
            (3, [1, 2, 3]),
            (2, ["x", 1, None]),
            (1, [*values, None]),
            (1, [0, -7]),
            (1, [True, "yes"]),
            (1, [False]),
            (1, [5]),
        ])  # fmt: skip
        return {"kind": "literal", "values": odd}

    def _enum(self) -> Node:
        if self._enums and self._often(0.3):
            return {"kind": "enum", "name": self._rng.choice(list(self._enums))}
        one = self._often(0.1)
        name = self._new_enum(self._rng.randrange(1, 5), words=not self._often(0.35), mixed=one)
        if one:
            return {"kind": "enum", "name": name, "value": self._enums[name]["values"][0]}
        return {"kind": "enum", "name": name}

    def _new_enum(self, count: int, *, words: bool, mixed: bool = False) -> str:
        """Make an enum; a Literal of its members needs one that is a ``str`` or ``int`` too, to be read from JSON."""
        name = self._name("Enum")
        enum = EnumClass(name=name, values=list(_WORDS[:count]) if words else [10 * at - 10 for at in range(count)])
        if mixed or self._often(0.5):
            enum["mixin"] = "str" if words else "int"
        self._enums[name] = enum
        return name

    def _nullable(self, nested: int) -> Node:
        inner = self._node(nested)
        return inner if inner["kind"] in ("nullable", "any") else {"kind": "nullable", "of": inner}

    def _listing(self, nested: int) -> Node:
        node = Listing(kind="list", of=self._node(nested + 1))
        return self._bounded(node)

    def _bounded(self, node: Listing) -> Listing:
        if self._often(0.4):
            low = self._pick([(3, 0), (3, 1), (1, 2)])
            if low:
                node["min"] = low
            if self._often(0.5):
                node["max"] = low + self._pick([(2, 2), (1, 5), (1, 0)])
        return node

    def _set(self, _: int) -> Node:
        """A set of what has enough values: no bound of its length asks for more than there are."""
        if self._often(0.4):
            return {"kind": "set", "of": {"kind": "literal", "values": list(_WORDS[:3])}}
        return self._bounded(Listing(kind="set", of=Whole(kind="int") if self._often(0.5) else Text(kind="str")))

    def _tuple(self, nested: int) -> Node:
        if self._often(0.25):
            return {"kind": "tuple", "of": [], "rest": self._node(nested + 1)}
        return {"kind": "tuple", "of": [self._node(nested + 1) for _ in range(self._pick([(4, 2), (2, 1), (2, 3)]))]}

    def _mapped(self, nested: int) -> Node:
        node = Mapped(kind="map", of=self._node(nested + 1))
        if self._often(0.2):
            node["keys"] = Text(kind="str", pattern=r"^[a-z]+$") if self._often(0.5) else Text(kind="str", min=1, max=8)
        if self._often(0.2):
            node["min"] = 1
        if self._often(0.15):
            node["max"] = node.get("min", 0) + 2
        return node

    def _again(self, nested: int) -> Node:
        """A model that stands elsewhere too."""
        return {"kind": "model", "name": self._rng.choice(self._whole)} if self._whole else self._new_model(nested)

    def _recursive(self, nested: int) -> Node:
        """A way back to a model around this one, through something that may be empty."""
        if not self._open:
            return self._listing(nested)
        around: Node = {"kind": "model", "name": self._rng.choice(self._open)}
        ways: list[tuple[float, Node]] = [
            (4, {"kind": "list", "of": around}),
            (3, {"kind": "nullable", "of": around}),
            (1, {"kind": "map", "of": around}),
            (1, {"kind": "union", "arms": [{"kind": "str"}, around]}),
        ]
        return self._pick(ways)

    def _union(self, nested: int) -> Node:
        """A union of scalars, or of a model with a scalar or with lists."""
        choices: list[tuple[float, Callable[[], list[Node]]]] = [
            (4, lambda: [{"kind": "int"}, {"kind": "str"}]),
            (2, lambda: [{"kind": "float"}, {"kind": "bool"}, {"kind": "null"}]),
            (2, lambda: [self._text(), self._new_model(nested)]),
            (2, lambda: [{"kind": "list", "of": self._scalar()}, self._new_model(nested)]),
            (2, lambda: [{"kind": "list", "of": {"kind": "int"}}, {"kind": "list", "of": {"kind": "str"}}]),
            (1, lambda: [{"kind": "int"}, {"kind": "float"}]),
            (1, lambda: [{"kind": "literal", "values": ["auto"]}, {"kind": "int", "ge": 0}]),
            (1, lambda: [{"kind": "str"}, {"kind": "list", "of": {"kind": "str"}}]),
            (1, lambda: [{"kind": "format", "format": "date"}, {"kind": "str"}]),
            (1, lambda: [_POINT, {"kind": "map", "of": {"kind": "int"}}]),
        ]  # fmt: skip
        return {"kind": "union", "arms": self._pick(choices)()}

    def _map_or_pairs(self, _: int) -> Node:
        """A map, or a list of what a map may be rewritten to: the two must stay apart."""
        name = self._begin("Pair")
        self._models[name]["fields"] = [
            {"name": "key", "of": {"kind": "str"}},
            {"name": "value", "of": {"kind": "int"}},
        ]
        self._open.remove(name)
        self._whole.append(name)
        pairs: Node = {"kind": "list", "of": {"kind": "model", "name": name}}
        return {"kind": "union", "arms": [{"kind": "map", "of": {"kind": "int"}}, pairs]}


_POINT: Node = {"kind": "tuple", "of": [{"kind": "int"}, {"kind": "int"}]}
_FACTORIES: dict[str, Default] = {"list": {"factory": "list"}, "set": {"factory": "set"}, "map": {"factory": "dict"}}
_SCALARS = ("str", "int", "float", "bool", "literal", "enum")


def _arms(node: Node) -> list[Node]:
    return list(node["arms"]) if node["kind"] == "tagged" else [node]
