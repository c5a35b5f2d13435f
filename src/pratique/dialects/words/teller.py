"""Tell a JSON Schema in words: one phrase for a value, with an indented list below it for what has parts.

It walks the schema as it was written, so that no keyword is passed over, and says once what several places share.
Neighbours: ``words`` puts single keywords into phrases; ``told`` says what stands around.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pratique.dialects.words.marks import docstrings_of, reference_places
from pratique.dialects.words.phrases import joined, json_text, or_list, phrases
from pratique.errors import Misuse
from pratique.show import show
from pratique.terms.schema_document import Document, Place
from pratique.terms.shape import Shape

__all__ = ["Listed", "Said", "Teller"]

MAX_INLINE_CHARS = 80
"""A definition that is used in several places and takes no more than this is said in each of them; a longer one is
described once, under its name."""

MAX_INLINE_LEVELS = 20
"""Levels below which a definition is described under its name, even when it is used once: an indented list that is
deeper is hard to follow, and a chain of references has no end."""

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
class Said:
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
class Listed:
    """The list of units, on its way to where it stands in the envelope."""

    at: tuple[str, ...]
    elements: Said
    is_told: bool = False

    def entry(self) -> Iterator[str]:
        """Yield the list's own line, with the objects that are on the way to it."""
        self.is_told = True
        said = self.elements
        for key in reversed(self.at[1:]):
            said = Said("an object with this key", tuple(said.as_entry(f"{json_text(key)} (required): ")))
        yield from said.as_entry(f"{json_text(self.at[0])} (required): ")

    def alone(self) -> Said:
        """Return the object that holds nothing but the list."""
        return Said("an object with this key, and no others", tuple(self.entry()))

    def below(self) -> Listed:
        """Return the list as it stands one key further in."""
        return Listed(self.at[1:], self.elements)


@dataclass(slots=True)
class _Pieces:
    """What is said of one value, piece by piece."""

    phrases: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    """What belongs below the phrases."""

    def add(self, said: Said) -> None:
        """Add what else is said; of two things with lines, the second becomes a line of its own."""
        if said.lines and self.lines:
            self.lines += Said(f"it is also {said.phrase}", said.lines).as_entry("")
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


class Teller:
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

    def said(self, listed: Listed | None = None) -> Said:
        """Tell the whole schema; ``listed`` is told where it stands."""
        found = self._refer(self._root, listed)
        if listed is not None and not listed.is_told:
            found = Said(found.phrase, (*found.lines, *listed.entry()))
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

    def _refer(self, target: Place, listed: Listed | None) -> Said:
        """Tell what a reference leads to: there and then, or by its name."""
        is_named = target in self._shared or target in self._called or self._level >= MAX_INLINE_LEVELS
        if listed is not None or not is_named:
            return self._open_place(target, listed)
        short = self._short(target)
        return short or Said(f"a {self._name(target)} value (see below)")

    def _short(self, target: Place) -> Said | None:
        """Tell a definition that takes one short phrase; None when it takes more."""
        schema = self._document[target]
        if not isinstance(schema, dict) or (schema.keys() & _NESTED) - {"type"} or target in self._references:
            return None
        said = self._tell(target, None)
        return said if len(said.phrase) <= MAX_INLINE_CHARS else None

    def _open_place(self, place: Place, listed: Listed | None) -> Said:
        if self._level >= MAX_NESTED_LEVELS:
            raise Misuse(
                f"the schema is more than {MAX_NESTED_LEVELS} levels deep",
                remedy="describe a flatter value: no producer can follow one that is so deep",
            )
        fresh = place not in self._open
        if not fresh and place not in self._shared and place not in self._called:
            return Said("a value of the same form")
        self._open.add(place)
        self._level += 1
        try:
            return self._tell(place, listed)
        finally:
            self._level -= 1
            if fresh:
                self._open.discard(place)

    def _tell(self, place: Place, listed: Listed | None) -> Said:
        schema = self._document[place]
        if schema is True or schema == {}:
            return Said("any JSON value")
        if not isinstance(schema, dict):
            return Said("nothing: no value is allowed here")
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
        return Said(phrase, tuple(found.lines))

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

    def _union(self, place: Place, word: str, many: int, listed: Listed | None) -> Said:
        """Tell the variants of a union, on one line where they are simple."""
        arms = [(*place, word, str(index)) for index in range(many)]
        said = [self._open_place(arm, listed if many == 1 else None) for arm in arms]
        lined = [arm for arm in said if arm.lines]
        if not lined:
            return Said(or_list(dict.fromkeys(arm.phrase for arm in said)))
        if len(lined) == 1:
            others = list(dict.fromkeys(arm.phrase for arm in said if not arm.lines))
            head = f"{or_list(others)}, or " if others else ""
            return Said(head + lined[0].phrase, lined[0].lines)
        names = [self._arm_name(arm) for arm in arms]
        lines = [
            line for name, arm in zip(names, said, strict=True) for line in arm.as_entry(f"{name}: " if name else "")
        ]
        return Said(
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
            found.add(Said(head + (", and no further ones" if rest is False else ""), tuple(lines)))
        elif rest is False:
            found.phrases.append("an empty list")
        elif isinstance(rest, dict) and rest:
            element = self._open_place((*place, word), None)
            found.add(Said(f"{head}; each element is {element.phrase}", element.lines))
        else:
            found.phrases.append(head)
        if "contains" in schema:
            element = self._open_place((*place, "contains"), None)
            least, most = schema.get("minContains", 1), schema.get("maxContains")
            many = f"at least {least}" if most is None else f"{least} to {most}"
            if least or most is not None:
                found.add(Said(f"{many} of its elements being {element.phrase}", element.lines))

    # ------------------------------------------------------------------ objects

    def _tell_object(self, place: Place, schema: Mapping[str, Any], found: _Pieces, listed: Listed | None) -> None:
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
        found.add(Said(phrase, tuple(lines)))

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

    def _key(self, place: Place, name: str, is_required: bool, listed: Listed | None) -> Iterator[str]:
        """Tell one named field, or the list of units when it stands here."""
        if listed is not None and not listed.is_told and name == listed.at[0]:
            if len(listed.at) == 1:
                yield from listed.entry()
                return
            inner = listed.below()
            said = self._open_place((*place, "properties", name), inner)
            lines = said.lines if inner.is_told else (*said.lines, *inner.entry())
            listed.is_told = True
            yield from Said(said.phrase, lines).as_entry(f"{json_text(name)} (required): ")
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
            found.add(Said(f"{'but not' if found.phrases else 'anything but'} {value.phrase}", value.lines))
        if "if" in schema and {"then", "else"} & schema.keys():
            found.lines += self._open_place((*place, "if"), None).as_entry("if it is ")
            for word in ("then", "else"):
                if word in schema:
                    found.lines += self._open_place((*place, word), None).as_entry(f"{word} it is also ")
