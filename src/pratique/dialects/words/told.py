"""A contract told in words: all that a producer must know to write a delivery, as one text with stable bytes.

For a producer that no schema holds (target ``prompt``), and beside a schema for what it cannot hold. The text is
made from the contract's schemas alone, in their own order, so the same contract gives the same text everywhere.
What the contract's author wrote is trusted; names from allow-lists are escaped. Neighbours: ``words`` puts single
keywords into phrases, ``example`` makes the worked example.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pratique.dialects.words.example import Example, example_of, given_example
from pratique.dialects.words.framing import Framing, framed, require_framing
from pratique.dialects.words.marks import keys_of_fields
from pratique.dialects.words.phrases import and_list, json_text, phrases
from pratique.dialects.words.teller import Listed, Said, Teller
from pratique.errors import Misuse
from pratique.terms.json_schema import ListRules
from pratique.terms.shape import Shape
from pratique.terms.terms import Locality, Terms

__all__ = ["UNCERTAIN", "Told", "told"]

UNCERTAIN = "If uncertain, emit fewer well-formed items rather than more."
"""Stands in the text of every list."""


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
    unit = Teller(terms.unit, docstrings, references or {}, taken)
    around = None if terms.envelope is None else Teller(terms.envelope, docstrings, references or {}, taken)
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


def _form(terms: Terms[Any], framing: Framing, unit: Teller, around: Teller | None) -> Iterator[str]:
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
        yield from Said(elements, listed.lines).as_lines("It is ")
        return
    yield "Write one JSON object and nothing else: no code fence, no text before it or after it."
    yield ""
    where = Listed(terms.at, Said(elements, listed.lines))
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


def _rules(terms: Terms[Any], framing: Framing, unit: Teller, around: Teller | None) -> Iterator[str]:
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
        return f"write {json_text(json.loads(framed(terms, (), None, 'document')))}"
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
