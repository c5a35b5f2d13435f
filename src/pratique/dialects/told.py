"""A contract told in words: all that a producer must know to write a delivery, as one text with stable bytes.

For a producer that no schema holds (target ``prompt``), and beside a schema for what it cannot hold. The text is
made from the contract's schemas alone, in their own order, so the same contract gives the same text everywhere.
What the contract's author wrote is trusted; names from allow-lists are escaped. Neighbours: ``words`` puts single
keywords into phrases, ``example`` makes the worked example.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pratique.dialects.example import Example, example_of, given_example
from pratique.dialects.framing import Framing, framed, require_framing
from pratique.dialects.marks import docstrings_of, keys_of_fields, reference_places
from pratique.dialects.words import and_list, joined, json_text, or_list, phrases
from pratique.errors import Misuse
from pratique.show import show
from pratique.terms.json_schema import ListRules
from pratique.terms.schema_document import Document, Place
from pratique.terms.shape import Shape
from pratique.terms.terms import Locality, Terms

__all__ = ["UNCERTAIN", "Told", "told"]

UNCERTAIN = "If uncertain, emit fewer well-formed items rather than more."
"""Stands in the text of every list."""

MAX_INLINE_CHARS = 80
"""A definition that is used in several places and takes no more than this is said in each of them; a longer one is
described once, under its name."""

MAX_NESTED_LEVELS = 100
"""Levels of one schema, references not counted: more is no contract that anybody writes."""

_STEP = "  "
_LIST = frozenset({"contains", "items", "maxItems", "minItems", "prefixItems", "unevaluatedItems", "uniqueItems"})
_COUNTED = frozenset({"maxItems", "minItems", "uniqueItems"})
_OBJECT = frozenset({
    "additionalProperties", "dependentSchemas", "patternProperties", "properties", "propertyNames", "required",
    "unevaluatedProperties",
})  # fmt: skip
_SAYS_NOTHING = frozenset({"default", "description", "examples", "title"})
_NESTED = frozenset({
    "$dynamicRef", "$ref", "allOf", "anyOf", "else", "if", "maxContains", "minContains", "not", "oneOf", "then", "type",
    *_LIST, *_OBJECT,
})  # fmt: skip
"""Keywords that are told here, since what stands in them may need lines of its own; ``words`` has the others."""


@dataclass(frozen=True, slots=True)
class Told:
    """Hold a contract in words."""

    text: str
    """What goes into the prompt; ends with a line end."""
    example: str | None
    """The worked example that stands in the text; None when there is none."""
    warnings: tuple[str, ...] = ()
    """What the text does not say, and what its author can do about it."""


def told(
    terms: Terms[Any],
    *,
    framing: Framing = "document",
    references: Mapping[str, frozenset[str]] | None = None,
    example: str | None = None,
    docstrings: bool = False,
) -> Told:
    """Tell a contract in words: what to write and how, each field with its bounds, the caps, one worked example.

    Shape: ``references`` maps a reference's name to what exists: its names are listed in the text.
        ``example`` is the text of a delivery, in place of one that is made; ``docstrings`` tells the docstrings
        of classes, too.
    Limits: linear in the schemas; what several places share is said once.
    Errors: Misuse for a framing that the boundary could not read, a reference that the contract does not declare,
        an example that the contract does not admit clean, and a schema that refers to what is not in it.
    Not checked: whether a producer keeps to it; the boundary does that.
    """
    require_framing(terms, framing)
    strange = sorted((references or {}).keys() - terms.declared_references)
    if strange:
        raise Misuse(
            f"no field of {terms.name} is a Reference({strange[0]!r})",
            remedy="leave the allow-list out; declared: " + (", ".join(sorted(terms.declared_references)) or "none"),
        )
    shown, warnings = _example(terms, framing, references, example)
    taken: set[str] = set()
    unit = _Teller(terms.unit, docstrings, references or {}, taken)
    around = None if terms.envelope is None else _Teller(terms.envelope, docstrings, references or {}, taken)
    lines = [*_form(terms, framing, unit, around), *unit.definitions()]
    lines += [] if around is None else around.definitions()
    lines += ["", "Rules:", *(f"- {rule}" for rule in _rules(terms, framing, unit, around))]
    if shown is not None:
        lines += ["", _example_line(terms, references), "", shown.text]
    return Told("\n".join(lines) + "\n", None if shown is None else shown.text, tuple(warnings))


# ---------------------------------------------------------------------- the example


def _example(
    terms: Terms[Any], framing: Framing, references: Mapping[str, frozenset[str]] | None, given: str | None
) -> tuple[Example | None, list[str]]:
    if given is not None:
        return replace(given_example(terms, given, references=references), text=given.strip("\n")), []
    made = example_of(terms, framing=framing, references=references)
    if made is None:
        return None, ["no example was found that the contract admits clean: give one with example=…"]
    return made, [f"the example is admitted with a note, {note}: give one with example=…" for note in made.notes]


def _example_line(terms: Terms[Any], references: Mapping[str, frozenset[str]] | None) -> str:
    unknown = terms.declared_references - (references or {}).keys()
    made_up = "; its names are made up" if unknown else ""
    return f"An example, for the form alone{made_up}:"


# ---------------------------------------------------------------------- the parts of the text


def _form(terms: Terms[Any], framing: Framing, unit: _Teller, around: _Teller | None) -> Iterator[str]:
    """Say what to write and describe it."""
    if terms.locality is Locality.ONE:
        yield "Write one JSON object and nothing else: no code fence, no text before it or after it."
        yield ""
        yield from unit.said().as_lines("It is ")
        return
    if framing == "ndjson":
        yield "Write NDJSON and nothing else: one JSON object a line, no line break inside an object, no code fence,"
        yield "no brackets or commas around or between the objects, no text before them or after them."
        yield ""
        each = "Each line"
        if around is not None:
            yield from around.said().as_lines("The first line is ")
            each = "Each line after it"
            if not around.needs_keys:
                yield "Leave the first line out when it would be empty."
            yield ""
        yield from unit.said().as_lines(f"{each}, {_list_caps(terms, 'line')}, is ")
        return
    listed = unit.said()
    elements = f"a list of {_list_caps(terms, 'element')}. Each element is {listed.phrase}"
    if not terms.at:
        yield "Write one JSON list and nothing else: no code fence, no text before it or after it."
        yield ""
        yield from _Said(elements, listed.lines).as_lines("It is ")
        return
    yield "Write one JSON object and nothing else: no code fence, no text before it or after it."
    yield ""
    where = _Listed(terms.at, _Said(elements, listed.lines))
    if around is not None:
        yield from around.said(where).as_lines("It is ")
    else:
        yield from where.alone().as_lines("It is ")


def _list_caps(terms: Terms[Any], what: str) -> str:
    """Say how many units there may be, and in which order."""
    many = terms.limits.max_items
    said = f"at most {many} {what}{'' if many == 1 else 's'}"
    order = terms.order_by
    if isinstance(order, str):
        name = json_text(_json_path(terms, order.removeprefix("-")))
        return f"{said}, in the order of {name}, {'highest' if order.startswith('-') else 'lowest'} first"
    return said if order is None else f"{said}, best first"


def _rules(terms: Terms[Any], framing: Framing, unit: _Teller, around: _Teller | None) -> Iterator[str]:
    """Say what holds for the whole delivery."""
    limits = terms.limits
    if any(teller is not None and teller.has_free_text(limits.max_string_chars) for teller in (unit, around)):
        yield f"No text is longer than {limits.max_string_chars} characters."
    if terms.unit.depth == 0 or terms.unit.depth > limits.max_depth:
        yield f"Nest at most {limits.max_depth} levels of objects and lists; the outermost object counts as one."
    element = "line" if framing == "ndjson" else "element"
    for identity in terms.unique:
        names = and_list(json_text(_json_path(terms, name)) for name in identity)
        together = " together" if len(identity) > 1 else ""
        last = "of those that do, only the first counts" if terms.keep == "first" else "all that do are set aside"
        yield f"No two {element}s have the same {names}{together}: {last}."
    if terms.locality is Locality.BATCH:
        yield f"All {element}s belong together: one that is wrong costs all of them."
    least = 0
    if isinstance(terms.list_rules, ListRules):
        least = int(terms.list_rules.schema.get("minItems", 0))
        # Told apart from its schema: it is about the list as a whole, and says so.
        for phrase in phrases(terms.list_rules.schema, max_values=None):
            yield f"The list as a whole: {phrase}."
    if terms.refusal is not None:
        yield _refusal(terms)
    if terms.locality is not Locality.ONE:
        if least == 0:
            yield f"If there is nothing to say, {_nothing(terms, framing)}"
        yield UNCERTAIN


def _nothing(terms: Terms[Any], framing: Framing) -> str:
    """Say how to write a delivery that has no unit."""
    if terms.envelope is None:
        return "write " + " ".join(framed(terms, (), None, "document").split())
    where = and_list(json_text(key) for key in terms.at) if len(terms.at) == 1 else json_text("/".join(terms.at))
    if framing == "ndjson":
        return f"write one line, the object of the first line with {where}: [] in it"
    return f"write the object with an empty list under {where}: []"


def _refusal(terms: Terms[Any]) -> str:
    """Say how to decline: by the variant, and by its tag where it has one."""
    name = str(getattr(terms.refusal, "__name__", terms.refusal))
    for tag, key in terms.unit.tags.items():
        if _variant_of(terms.unit, tag, key) == name:
            return f"If you cannot do it, answer with the variant {name}: {json_text(key)} is {json_text(tag)}."
    return f"If you cannot do it, answer with the variant {name}."


def _variant_of(shape: Shape[Any], tag: str, key: str) -> str:
    """Return the name of the definition whose object has this tag; "" when there is none."""
    for name, schema in shape.schema.get("$defs", {}).items():
        said = schema.get("properties", {}).get(key, {}) if isinstance(schema, dict) else {}
        if isinstance(said, dict) and (said.get("const") == tag or said.get("enum") == [tag]):
            return str(name).rpartition("__")[2]
    return ""


def _json_path(terms: Terms[Any], path: str) -> str:
    """Return a dotted field name with the keys under which the fields are written."""
    keys = keys_of_fields(terms.unit)
    return ".".join(keys.get(name, name) for name in path.split("."))


# ---------------------------------------------------------------------- phrases with lines below them


@dataclass(frozen=True, slots=True)
class _Said:
    """One value in words. Shape: ``lines`` belong below the phrase, which ends in a colon when there are any."""

    phrase: str
    lines: tuple[str, ...] = ()

    def as_lines(self, before: str) -> Iterator[str]:
        """Yield the whole, with the phrase behind some words."""
        phrase = f"{before}{self.phrase}"
        yield f"{phrase[0].upper()}{phrase[1:]}{':' if self.lines else '.'}"
        yield from self.lines

    def as_entry(self, before: str) -> Iterator[str]:
        """Yield the whole as one entry of a list."""
        yield f"- {before}{self.phrase}{':' if self.lines else ''}"
        yield from (_STEP + line for line in self.lines)


@dataclass(slots=True)
class _Listed:
    """The list of units, on its way to where it stands in the envelope."""

    at: tuple[str, ...]
    elements: _Said
    is_told: bool = False

    def entry(self) -> Iterator[str]:
        """Yield the list's own line, with the objects that are on the way to it."""
        self.is_told = True
        said = self.elements
        for key in reversed(self.at[1:]):
            said = _Said("an object with this key", tuple(said.as_entry(f"{json_text(key)} (required): ")))
        yield from said.as_entry(f"{json_text(self.at[0])} (required): ")

    def alone(self) -> _Said:
        """Return the object that holds nothing but the list."""
        return _Said("an object with this key, and no others", tuple(self.entry()))

    def below(self) -> _Listed:
        """Return the list as it stands one key further in."""
        return _Listed(self.at[1:], self.elements)


@dataclass(slots=True)
class _Pieces:
    """What is said of one value, piece by piece."""

    phrases: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    """What belongs below the phrases."""

    def add(self, said: _Said) -> None:
        """Add what else is said; of two things with lines, the second becomes a line of its own."""
        if said.lines and self.lines:
            self.lines += _Said(f"it is also {said.phrase}", said.lines).as_entry("")
        else:
            self.phrases.append(said.phrase)
            self.lines += said.lines

    def distinct(self) -> list[str]:
        """Return the phrases, without those that another one says more exactly."""
        kept = list(dict.fromkeys(self.phrases))
        return [said for said in kept if not any(other.startswith(f"{said} ") for other in kept)]


def _sentence(text: str) -> str:
    """Return an author's description as one line that ends like a sentence."""
    line = " ".join(text.split())
    return line if not line or line[-1] in ".!?:;…" else f"{line}."


# ---------------------------------------------------------------------- telling a schema


class _Teller:
    """Tell the schema of one shape."""

    def __init__(
        self, shape: Shape[Any], docstrings: bool, names: Mapping[str, frozenset[str]], taken: set[str]
    ) -> None:
        self._document = Document(dict(shape.schema))
        self._is_typed = shape.core is not None
        self._docstrings = frozenset() if docstrings or not self._is_typed else docstrings_of(shape)
        self._references = reference_places(shape, self._document)
        self._names = names
        self._tags = self._tag_keys()
        self._shared = self._shared_places()
        self._called: dict[Place, str] = {}
        self._open: set[Place] = set()
        self._unsaid: list[Place] = []
        self._level = 0
        self._taken = taken
        self._root = self._root_place()

    def has_free_text(self, max_chars: int) -> bool:
        """Say whether some text may be longer than a limit by all that its own schema says."""
        for _, schema in self._document.schemas():
            said = schema.get("type")
            kinds = [said] if isinstance(said, str) else said or []
            is_held = (
                bool(schema.keys() & {"const", "enum", "format"}) or schema.get("maxLength", math.inf) <= max_chars
            )
            if ("string" in kinds and not is_held) or not schema.keys() - _SAYS_NOTHING:
                return True
        return False

    @property
    def needs_keys(self) -> bool:
        """Whether some key must be there."""
        group = self._document.together([()])
        return any(self._document[place].get("required") for place in group if isinstance(self._document[place], dict))

    def said(self, listed: _Listed | None = None) -> _Said:
        """Tell the whole schema; ``listed`` is told where it stands."""
        found = self._refer(self._root, listed)
        if listed is not None and not listed.is_told:
            found = _Said(found.phrase, (*found.lines, *listed.entry()))
        return found

    def definitions(self) -> Iterator[str]:
        """Yield the definitions that were named so far, and those that they name."""
        while self._unsaid:
            place = self._unsaid.pop(0)
            said = self._open_place(place, None)
            yield ""
            yield from said.as_lines(f"A {self._called[place]} value is ")

    # ------------------------------------------------------------------ what is shared

    def _root_place(self) -> Place:
        """Return the place that the root stands for, when it only refers to one."""
        schema = self._document.root
        if "$ref" in schema and not schema.keys() - {"$ref", "$defs", "$schema", "$id", "title"}:
            return self._target((), schema["$ref"])
        return ()

    def _shared_places(self) -> frozenset[Place]:
        """Return the places that are described once: definitions used twice, and all else that is referred to."""
        counts: dict[Place, int] = {}
        for place, schema in self._document.schemas():
            for word in ("$ref", "$dynamicRef"):
                target = self._document.resolve(place, schema.get(word))
                if target is not None:
                    counts[target] = counts.get(target, 0) + 1
        return frozenset(
            place for place, count in counts.items() if count > 1 or place[-2:-1] not in (("$defs",), ("definitions",))
        )

    def _tag_keys(self) -> Mapping[Place, frozenset[str]]:
        """Return arm -> keys that a tagged union asks for, whatever default they have."""
        found: dict[Place, frozenset[str]] = {}
        for place, schema in self._document.schemas():
            tagged = schema.get("discriminator")
            key = tagged.get("propertyName") if isinstance(tagged, dict) else None
            if not isinstance(key, str):
                continue
            for word in ("anyOf", "oneOf"):
                for index in range(len(schema.get(word, ()))):
                    for arm in self._document.together([(*place, word, str(index))]):
                        found[arm] = found.get(arm, frozenset()) | {key}
        return found

    def _target(self, place: Place, reference: Any) -> Place:
        target = self._document.resolve(place, reference)
        if target is None:
            raise Misuse(
                f"the schema at {show('/' + '/'.join(place))} refers to {show(str(reference))}, which is not in it",
                remedy="put what it refers to into $defs; nothing is fetched",
            )
        return target

    def _name(self, place: Place) -> str:
        """Name a definition once."""
        if place not in self._called:
            schema = self._document[place]
            title = schema.get("title") if isinstance(schema, dict) else None
            own = place[-1] if place else str(title or "whole")
            own = (self._is_typed and own.rpartition("__")[2]) or own
            name, number = own, 1
            while name in self._taken:
                number += 1
                name = f"{own} ({number})"
            self._taken.add(name)
            self._called[place] = name
            self._unsaid.append(place)
        return self._called[place]

    # ------------------------------------------------------------------ one value

    def _refer(self, target: Place, listed: _Listed | None) -> _Said:
        """Tell what a reference leads to: there and then, or by its name."""
        if listed is not None or target not in self._shared:
            return self._open_place(target, listed)
        short = self._short(target)
        return short or _Said(f"a {self._name(target)} value (see below)")

    def _short(self, target: Place) -> _Said | None:
        """Tell a definition that takes one short phrase; None when it takes more."""
        schema = self._document[target]
        if not isinstance(schema, dict) or (schema.keys() & _NESTED) - {"type"} or target in self._references:
            return None
        said = self._tell(target, None)
        return said if len(said.phrase) <= MAX_INLINE_CHARS else None

    def _open_place(self, place: Place, listed: _Listed | None) -> _Said:
        if self._level >= MAX_NESTED_LEVELS:
            raise Misuse(
                f"the schema is more than {MAX_NESTED_LEVELS} levels deep",
                remedy="describe a flatter value: no producer can follow one that is so deep",
            )
        fresh = place not in self._open
        if not fresh and place not in self._shared:
            return _Said("a value of the same form")
        self._open.add(place)
        self._level += 1
        try:
            return self._tell(place, listed)
        finally:
            self._level -= 1
            if fresh:
                self._open.discard(place)

    def _tell(self, place: Place, listed: _Listed | None) -> _Said:
        schema = self._document[place]
        if schema is True or schema == {}:
            return _Said("any JSON value")
        if not isinstance(schema, dict):
            return _Said("nothing: no value is allowed here")
        found = _Pieces()
        self._tell_type(place, schema, found)
        for word in ("$ref", "$dynamicRef"):
            if word in schema:
                found.add(self._refer(self._target(place, schema[word]), listed))
        for index in range(len(schema.get("allOf", ()))):
            found.add(self._open_place((*place, "allOf", str(index)), listed))
        for word in ("anyOf", "oneOf"):
            if word in schema:
                found.add(self._union(place, word, len(schema[word]), listed))
        self._tell_list(place, schema, found)
        self._tell_object(place, schema, found, listed)
        found.phrases += phrases({word: part for word, part in schema.items() if word not in _NESTED}, max_values=None)
        self._tell_conditions(place, schema, found)
        phrase = joined(found.distinct()) or "any JSON value"
        own = self._described(place)
        if own and place[-2:-1] == ("properties",):
            phrase = f"{own} Write {phrase}"
        elif own:
            phrase = f"{phrase} ({own.removesuffix('.')})"
        return _Said(phrase, tuple(found.lines))

    def _described(self, place: Place) -> str:
        """Return what the author says of a value; a class's docstring is for programmers."""
        schema = self._document[place]
        words = schema.get("description") if isinstance(schema, dict) else None
        if not isinstance(words, str):
            return ""
        is_definition = not place or place[-2:-1] in (("$defs",), ("definitions",))
        return "" if is_definition and words.strip() in self._docstrings else _sentence(words)

    def _tell_type(self, place: Place, schema: Mapping[str, Any], found: _Pieces) -> None:
        """Say the type, where nothing else will say it, and what the value refers to."""
        said = schema.get("type")
        is_said = bool({"const", "enum"} & schema.keys())
        is_said = is_said or (said == "array" and bool(_LIST & schema.keys()))
        is_said = is_said or (said == "object" and bool(_OBJECT & schema.keys()))
        if said is not None and not is_said:
            found.phrases += phrases({"type": said})
        if place in self._references:
            found.phrases[-1:] = [joined(found.phrases[-1:]) + self._reference(self._references[place])]

    def _reference(self, name: str) -> str:
        if name not in self._names:
            return f" that must name an existing {name}"
        listed = [show(known, max_chars=len(known)) for known in sorted(self._names[name])]
        if not listed:
            return f" that must name an existing {name}, and there is none"
        return f" that must be one of: {', '.join(listed)}"

    def _union(self, place: Place, word: str, many: int, listed: _Listed | None) -> _Said:
        """Tell the variants of a union, on one line where they are simple."""
        arms = [(*place, word, str(index)) for index in range(many)]
        said = [self._open_place(arm, listed if many == 1 else None) for arm in arms]
        lined = [arm for arm in said if arm.lines]
        if not lined:
            return _Said(or_list(dict.fromkeys(arm.phrase for arm in said)))
        if len(lined) == 1:
            others = list(dict.fromkeys(arm.phrase for arm in said if not arm.lines))
            head = f"{or_list(others)}, or " if others else ""
            return _Said(head + lined[0].phrase, lined[0].lines)
        names = [self._arm_name(arm) for arm in arms]
        lines = [
            line for name, arm in zip(names, said, strict=True) for line in arm.as_entry(f"{name}: " if name else "")
        ]
        return _Said(
            "exactly one of these variants" if word == "oneOf" or self._is_typed else "one of these variants",
            tuple(lines),
        )

    def _arm_name(self, arm: Place) -> str:
        schema = self._document[arm]
        if not isinstance(schema, dict):
            return ""
        target = self._document.resolve(arm, schema.get("$ref"))
        return target[-1].rpartition("__")[2] if target else str(schema.get("title") or "")

    # ------------------------------------------------------------------ lists

    def _tell_list(self, place: Place, schema: Mapping[str, Any], found: _Pieces) -> None:
        """Tell a list: how many elements, and what each of them is."""
        if not _LIST & schema.keys():
            return
        head = ", ".join(phrases({word: part for word, part in schema.items() if word in _COUNTED}))
        head = f"a list of {head}" if {"minItems", "maxItems"} & schema.keys() and head else joined(["a list", head])
        word = "items" if "items" in schema else "unevaluatedItems"
        rest = schema.get(word)
        if "prefixItems" in schema:
            lines: list[str] = []
            for index in range(len(schema["prefixItems"])):
                lines += self._open_place((*place, "prefixItems", str(index)), None).as_entry(f"element {index + 1}: ")
            if isinstance(rest, dict) and rest:
                lines += self._open_place((*place, word), None).as_entry("each element after these: ")
            found.add(_Said(head + (", and no further ones" if rest is False else ""), tuple(lines)))
        elif rest is False:
            found.phrases.append("an empty list")
        elif isinstance(rest, dict) and rest:
            element = self._open_place((*place, word), None)
            found.add(_Said(f"{head}; each element is {element.phrase}", element.lines))
        else:
            found.phrases.append(head)
        if "contains" in schema:
            element = self._open_place((*place, "contains"), None)
            least, most = schema.get("minContains", 1), schema.get("maxContains")
            many = f"at least {least}" if most is None else f"{least} to {most}"
            if least or most is not None:
                found.add(_Said(f"{many} of its elements being {element.phrase}", element.lines))

    # ------------------------------------------------------------------ objects

    def _tell_object(self, place: Place, schema: Mapping[str, Any], found: _Pieces, listed: _Listed | None) -> None:
        """Tell an object: its named keys, and what other keys may hold."""
        if not _OBJECT & schema.keys():
            return
        named = schema.get("properties", {})
        required = {*schema.get("required", ()), *self._tags.get(place, ())}
        is_closed = self._is_typed and "properties" in schema
        lines: list[str] = []
        for name in named:
            lines += self._key(place, name, name in required, listed)
        if not is_closed:
            unnamed = [name for name in schema.get("required", ()) if name not in named]
            lines += (f"- {json_text(name)} (required): any JSON value" for name in unnamed)
        has_named = bool(lines)
        word = "additionalProperties" if "additionalProperties" in schema else "unevaluatedProperties"
        rest = schema.get(word)
        if not is_closed:
            lines += self._other_keys(place, schema, word, has_named)
        is_closed = is_closed or rest is False
        if not lines:
            phrase = "an empty object, {}" if is_closed else "an object with any keys"
        elif not has_named:
            phrase = "an object with keys like this" if is_closed else "an object with keys of your choice"
        elif is_closed:
            phrase = "an object with these keys, and no others"
        else:
            phrase = (
                "an object with these keys"
                if isinstance(rest, dict) and rest
                else "an object with these keys; others may come too"
            )
        found.add(_Said(phrase, tuple(lines)))

    def _other_keys(self, place: Place, schema: Mapping[str, Any], word: str, has_named: bool) -> Iterator[str]:
        """Tell what holds for keys that have no name in the schema."""
        patterns = schema.get("patternProperties", {})
        for pattern in patterns:
            value = self._open_place((*place, "patternProperties", pattern), None)
            yield from value.as_entry(f"under every key that {phrases({'pattern': pattern})[0]}: ")
        names = schema.get("propertyNames")
        if isinstance(names, dict) and names:
            yield from self._open_place((*place, "propertyNames"), None).as_entry("every key: ")
        if isinstance(schema.get(word), dict) and schema[word]:
            other = "under every other key: " if has_named or patterns else "under every key: "
            yield from self._open_place((*place, word), None).as_entry(other)
        for name in schema.get("dependentSchemas", {}):
            value = self._open_place((*place, "dependentSchemas", name), None)
            yield from value.as_entry(f"with {json_text(name)} it is also ")

    def _key(self, place: Place, name: str, is_required: bool, listed: _Listed | None) -> Iterator[str]:
        """Tell one named field, or the list of units when it stands here."""
        if listed is not None and not listed.is_told and name == listed.at[0]:
            if len(listed.at) == 1:
                yield from listed.entry()
                return
            inner = listed.below()
            said = self._open_place((*place, "properties", name), inner)
            lines = said.lines if inner.is_told else (*said.lines, *inner.entry())
            listed.is_told = True
            yield from _Said(said.phrase, lines).as_entry(f"{json_text(name)} (required): ")
            return
        said = self._open_place((*place, "properties", name), None)
        yield from said.as_entry(f"{json_text(name)} ({'required' if is_required else self._left_out(place, name)}): ")

    def _left_out(self, place: Place, name: str) -> str:
        schema = self._document[(*place, "properties", name)]
        if isinstance(schema, dict) and "default" in schema:
            return f"may be left out, then it is {json_text(schema['default'])}"
        return "may be left out"

    # ------------------------------------------------------------------ conditions

    def _tell_conditions(self, place: Place, schema: Mapping[str, Any], found: _Pieces) -> None:
        if "not" in schema:
            value = self._open_place((*place, "not"), None)
            found.add(_Said(f"{'but not' if found.phrases else 'anything but'} {value.phrase}", value.lines))
        if "if" in schema and {"then", "else"} & schema.keys():
            found.lines += self._open_place((*place, "if"), None).as_entry("if it is ")
            for word in ("then", "else"):
                if word in schema:
                    found.lines += self._open_place((*place, word), None).as_entry(f"{word} it is also ")
