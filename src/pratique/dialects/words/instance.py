"""Write one value of a node: an instance that a schema describes, with all that may be left out or without it.

Nothing is validated here, and not all that a schema says is in its nodes: ``example`` proves what is made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from pratique.dialects.nodes.constraint import Ledger, pointer_of
from pratique.dialects.nodes.graph import Graph
from pratique.dialects.nodes.node import Choice, Listing, Loose, Node, Record, Scalar
from pratique.dialects.nodes.reading import Reading
from pratique.dialects.words.formats import FORMATS
from pratique.dialects.words.marks import reference_places
from pratique.dialects.words.pattern import matching_text
from pratique.terms.schema_document import Document, Place
from pratique.terms.shape import Shape

__all__ = ["Maker", "NoValue", "Parts", "node_of", "parts_of_nodes", "parts_of_shape"]

MAX_TEXT_CHARS = 10_000
"""Longest text in an example: a field that needs more has no example that anybody reads."""

MAX_FULL_VALUES = 300
"""Values in one example after which what may be left out is left out: references that double at each step would make
an example without end."""

MAX_VALUES = 5_000
"""Values in one example; a contract whose smallest unit has more gets none."""

MAX_ELEMENTS = 100
"""Elements of one list in an example, for the same reason."""

_TWO = 2
"""Entries of a map in an example: the smallest number that shows a map."""


class NoValue(Exception):
    """No value can be made for a node."""


def node_of(shape: Shape[Any]) -> tuple[Document, Node]:
    """Read a shape's schema as nodes.

    Errors: Misuse for a schema that is too large or too deep to be read, with its place.
    """
    document, _, node = _read(shape)
    return document, node


def _read(shape: Shape[Any]) -> tuple[Document, Reading, Node]:
    document = Document(dict(shape.schema))
    reading = Reading(document, "unit", Ledger(), closed=shape.core is not None, docstrings=True)
    return document, reading, reading.node(kinds=("object",))


def parts_of_shape(shape: Shape[Any], known: Mapping[str, frozenset[str]]) -> tuple[Parts, Node]:
    """Gather what the values of a shape are made from; ``known`` are the allow-lists."""
    document, reading, node = _read(shape)
    patterns = {
        (*place, "patternProperties", key): reading.node((*place, "patternProperties", key))
        for place, schema in document.schemas()
        for key in schema.get("patternProperties", ())
    }
    heights = _heights([node, *patterns.values()])
    return Parts(document, reference_places(shape, document), known, heights, patterns), node


def parts_of_nodes(document: Document, roots: Iterable[Node]) -> Parts:
    """Gather what the values of some nodes of a document are made from, without names that exist."""
    return Parts(document, {}, {}, _heights(roots), {})


def _heights(roots: Iterable[Node]) -> Mapping[int, float]:
    """Return node -> levels of its smallest value; infinite when there is none that ends."""
    nodes = list(Graph(roots).nodes.values())
    heights: dict[int, float] = {id(node): math.inf for node in nodes}
    settled = False
    while not settled:
        settled = True
        for node in nodes:
            height = _height(node, heights)
            if height < heights[id(node)]:
                heights[id(node)] = height
                settled = False
    return heights


def _height(node: Node, heights: Mapping[int, float]) -> float:
    form = node.form
    if node.never:
        return math.inf
    if node.arms:
        return min(heights[id(arm)] for arm in node.arms)
    if isinstance(form, Record):
        return 1 + max((heights[id(entry.node)] for entry in form.fields.values() if entry.required), default=0)
    if isinstance(form, Listing):
        needed = [*form.prefix[: form.min_items]]
        if form.min_items > len(form.prefix):
            needed += [] if form.items is None else [form.items]
        return 1 + max((heights[id(part)] for part in needed), default=0)
    return math.inf if form is None else 1


@dataclass(frozen=True, slots=True)
class Parts:
    """What the values of one schema are made from."""

    document: Document
    references: Mapping[Place, str]
    known: Mapping[str, frozenset[str]]
    heights: Mapping[int, float]
    patterns: Mapping[Place, Node]
    """What stands under each ``patternProperties``: nodes do not say it."""


@dataclass(slots=True)
class Maker:
    """Write one value. Shape: another ``turn`` gives another value where the schema leaves a choice."""

    parts: Parts
    turn: int
    full: bool
    """With all that may be left out."""
    authors: bool
    """With the examples that stand in the schema."""
    examples: list[tuple[tuple[str | int, ...], str, list[Any]]] = field(default_factory=list)
    """Way into the value, pointer of ``examples``, the examples: all that were met."""
    _way: list[str | int] = field(default_factory=list)
    _open: list[int] = field(default_factory=list)
    _made: int = 0

    def value(self, node: Node, key: str, places: Iterable[Place] = ()) -> Any:
        """Return a value of a node; ``places`` are schemas beside it that may hold examples.

        Errors: NoValue when none can be made.
        """
        self._made += 1
        if self._made > MAX_VALUES or math.isinf(self.parts.heights.get(id(node), 1)):
            raise NoValue
        met = self._authors_value(node, places)
        if met is not None:
            return met[0]
        if node.arms:
            return self.value(self._arm(node), key)
        again = id(node) in self._open
        self._open.append(id(node))
        try:
            return self._of_form(node, key, full=self.full and not again and self._made <= MAX_FULL_VALUES)
        finally:
            self._open.pop()

    def _authors_value(self, node: Node, places: Iterable[Place]) -> tuple[Any] | None:
        """Note the examples that the schema's author gave for this value; return the one whose turn it is."""
        form = node.form
        own = () if form is None else tuple(source.place for source in form.sources)
        for place in dict.fromkeys((*places, *own)):
            schema = self.parts.document[place]
            given = schema.get("examples") if isinstance(schema, dict) else None
            if isinstance(given, list) and given:
                self.examples.append((tuple(self._way), pointer_of((*place, "examples")), given))
                if self.authors:
                    return (given[self.turn % len(given)],)
        return None

    def _arm(self, node: Node) -> Node:
        """Choose a variant: at the top the one whose turn it is, inside one that says something and ends."""
        heights = self.parts.heights
        arms = [arm for arm in node.arms if not math.isinf(heights.get(id(arm), 1))]
        if not self._way:
            return arms[self.turn % len(arms)]
        new = [arm for arm in arms if id(arm) not in self._open] or arms
        telling = [arm for arm in new if not (isinstance(arm.form, Scalar) and arm.form.kind == "null")]
        if self.full and telling and not self._deep() and self._made <= MAX_FULL_VALUES:
            return telling[self.turn % len(telling)]
        return min(new, key=lambda arm: heights.get(id(arm), 1))

    def _deep(self) -> bool:
        return len(self._open) != len(set(self._open))

    def _of_form(self, node: Node, key: str, *, full: bool) -> Any:
        form = node.form
        if isinstance(form, Choice):
            return form.values[self.turn % len(form.values)]
        if isinstance(form, Record):
            return self._record(form, full=full)
        if isinstance(form, Listing):
            return self._listing(form, key, full=full)
        if isinstance(form, Scalar):
            return self._scalar(form, key)
        if isinstance(form, Loose):
            return self._loose(form, key)
        raise NoValue

    def _inside(self, step: str | int, node: Node, key: str, places: Iterable[Place]) -> Any:
        """Return a value of a node that stands one step further in."""
        self._way.append(step)
        try:
            return self.value(node, key, places)
        finally:
            self._way.pop()

    def _record(self, form: Record, *, full: bool) -> dict[str, Any]:
        owners = [source.place for source in form.sources if source.keyword == "properties"]
        made: dict[str, Any] = {}
        for name, entry in form.fields.items():
            if not (entry.required or full):
                continue
            places = [(*place, "properties", name) for place in owners]
            beside = [place for place in places if place in self.parts.document]
            try:
                made[name] = self._inside(name, entry.node, name, beside)
            except NoValue:
                if entry.required:
                    raise
        least = max((int(rule.value) for rule in form.rules if rule.keyword == "minProperties"), default=0)
        most = min((int(rule.value) for rule in form.rules if rule.keyword == "maxProperties"), default=_TWO)
        rest = form.rest
        if rest is None or (form.fields and len(made) >= least) or (isinstance(rest.form, Loose) and form.fields):
            return made
        wanted = max(least - len(made), min(_TWO, most) if full else 0)
        for number in range(min(wanted, MAX_ELEMENTS)):
            name, under = self._key(form, number)
            if name in made:
                break
            made[name] = self._inside(name, under or rest, name, ())
        return made

    def _key(self, form: Record, number: int) -> tuple[str, Node | None]:
        """Make a key of a map; with the node of its values, when the key's pattern has one."""
        places = list(dict.fromkeys(source.place for source in (*form.sources, *form.rest_sources)))
        for place in places:
            schema = self.parts.document[place]
            for pattern in schema.get("patternProperties", ()):
                name = matching_text(pattern, number)
                if name is None:
                    raise NoValue
                return name, self.parts.patterns.get((*place, "patternProperties", pattern))
        for place in places:
            said = self._names_in(place)
            if said:
                return self._named(said, number), None
        return f"key {number + 1}", None

    def _names_in(self, place: Place) -> Mapping[str, Any]:
        """Return what ``propertyNames`` says, through one reference."""
        names = self.parts.document[place].get("propertyNames")
        if isinstance(names, dict) and "$ref" in names:
            target = self.parts.document.resolve((*place, "propertyNames"), names["$ref"])
            names = None if target is None else self.parts.document[target]
        return names if isinstance(names, dict) else {}

    def _named(self, said: Mapping[str, Any], number: int) -> str:
        values = said.get("enum") or ([said["const"]] if "const" in said else [])
        if values:
            return str(values[number % len(values)])
        if said.get("format") in FORMATS:
            return _turned(FORMATS[said["format"]].texts, number)
        low, high = int(said.get("minLength", 0)), int(said.get("maxLength", MAX_TEXT_CHARS))
        if "pattern" not in said:
            return _text("key", number, low, high)
        name = matching_text(said["pattern"], number, min_chars=low, max_chars=high)
        if name is None:
            raise NoValue
        return name

    def _listing(self, form: Listing, key: str, *, full: bool) -> list[Any]:
        most = form.max_items if form.max_items is not None else MAX_ELEMENTS
        wanted = max(form.min_items, min(most, max(1, len(form.prefix))) if full else len(form.prefix))
        wanted = min(wanted, most)
        if wanted > MAX_ELEMENTS:
            raise NoValue
        owners = [source.place for source in form.sources if source.keyword == "items"]
        places = [place for place in ((*owner, "items") for owner in owners) if place in self.parts.document]
        turn = self.turn
        made: list[Any] = []
        try:
            for index in range(wanted):
                node = form.prefix[index] if index < len(form.prefix) else form.items
                if node is None:
                    break
                beside = places if index >= len(form.prefix) else []
                self.turn = turn + index
                try:
                    made.append(self._inside(index, node, key, beside))
                except NoValue:
                    if index < form.min_items:
                        raise
                    break
        finally:
            self.turn = turn
        return made

    def _loose(self, form: Loose, key: str) -> Any:
        simple: Mapping[str, Any] = {
            "string": _text(key or "text", self.turn, 0, MAX_TEXT_CHARS), "number": self.turn + 1, "boolean": True,
            "object": {}, "array": [], "null": None,
        }  # fmt: skip
        return next(value for kind, value in simple.items() if kind in form.kinds)

    def _scalar(self, form: Scalar, key: str) -> Any:
        if form.kind == "null":
            return None
        if form.kind == "boolean":
            return self.turn % 2 == 0
        rules = {rule.keyword: rule.value for rule in form.rules}
        if form.kind in ("integer", "number"):
            return _number(rules, self.turn, is_integer=form.kind == "integer")
        reference = next(
            (
                self.parts.references[source.place]
                for source in form.sources
                if source.place in self.parts.references
            ),
            None,
        )  # fmt: skip
        if reference is not None:
            return self._name(reference)
        low, high = int(rules.get("minLength", 0)), int(rules.get("maxLength", MAX_TEXT_CHARS))
        if low > MAX_TEXT_CHARS or low > high:
            raise NoValue
        if "pattern" in rules:
            text = matching_text(str(rules["pattern"]), self.turn, min_chars=low, max_chars=high)
            if text is None:
                raise NoValue
            return text
        known = FORMATS.get(str(rules.get("format")))
        fitting = [text for text in known.texts if low <= len(text) <= high] if known else []
        return _turned(fitting, self.turn) if fitting else _text(key or "text", self.turn, low, high)

    def _name(self, reference: str) -> str:
        """Return a name that exists, or one that shows where a name goes."""
        if reference not in self.parts.known:
            return f"{reference}-{self.turn + 1}"
        names = sorted(self.parts.known[reference])
        if not names:
            raise NoValue
        return _turned(names, self.turn)


def _turned(values: Iterable[str], turn: int) -> str:
    listed = list(values)
    return listed[turn % len(listed)]


def _text(key: str, turn: int, low: int, high: int) -> str:
    """Write a text that says which field it stands for."""
    text = f"{key} {turn + 1}"
    if len(text) > high:
        text = f"{turn + 1}"[:high] if high < 2 else f"{key[: high - len(str(turn + 1))]}{turn + 1}"[:high]
    return text + "." * (low - len(text))


def _number(rules: Mapping[str, Any], turn: int, *, is_integer: bool) -> int | float:
    """Choose a number within its bounds: 1, 2, 3 … where they allow it."""
    try:
        low = max(
            (Decimal(str(rules[word])) for word in ("minimum", "exclusiveMinimum") if word in rules), default=None
        )
        high = min(
            (Decimal(str(rules[word])) for word in ("maximum", "exclusiveMaximum") if word in rules), default=None
        )
        step = Decimal(str(rules["multipleOf"])) if "multipleOf" in rules else None
        if step is None and not is_integer and low is not None and high is not None and high - low <= 1:
            return float(low + (high - low) * Decimal(("0.5", "0.75", "0.25")[turn % 3]))
        step = step or Decimal(1)
        if is_integer and step % 1:
            step *= step.as_integer_ratio()[1]
        first = Decimal(1) if (low is None or low < 1) and (high is None or high >= 1) else low
        first = first if first is not None else high if high is not None else Decimal(1)
        start = (first / step).to_integral_value("ROUND_CEILING")
        candidates = [(start + offset) * step for offset in (turn, 0, 1, -1)]
        candidates += [] if high is None else [(high / step).to_integral_value("ROUND_FLOOR") * step]
        candidates += [] if is_integer or low is None or high is None else [(low + high) / 2]
    except (InvalidOperation, OverflowError) as error:
        raise NoValue from error
    for value in candidates:
        if _within(value, rules):
            return int(value) if value == value.to_integral_value() else float(value)
    raise NoValue


def _within(value: Decimal, rules: Mapping[str, Any]) -> bool:
    holds: Mapping[str, Callable[[Decimal], bool]] = {
        "minimum": lambda bound: value >= bound, "exclusiveMinimum": lambda bound: value > bound,
        "maximum": lambda bound: value <= bound, "exclusiveMaximum": lambda bound: value < bound,
    }  # fmt: skip
    return all(check(Decimal(str(rules[word]))) for word, check in holds.items() if word in rules)
