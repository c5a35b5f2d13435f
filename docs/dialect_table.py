"""Write what each endpoint keeps, as Markdown, from the profiles alone.

``python docs/dialect_table.py`` prints it. ``docs/generate.py`` puts it into ``docs/dialects.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from itertools import groupby

from pratique.dialects.dialect import Dialect, dialect_of, targets
from pratique.dialects.profile import ANNOTATIONS, FORMS, KEYWORDS, Bounds, Cell, Known, Patterns, Profile, Support

_SAYS = {
    Support.ENFORCED: "kept", Support.IGNORED: "ignored", Support.REFUSED: "refused", Support.UNKNOWN: "–",
}  # fmt: skip
_FIRM = {Known.MEASURED: "**", Known.DOCUMENTED: "", Known.UNVERIFIED: "*"}
_TELLS_NOTHING = ("prompt",)
"""Targets without a table."""
_READING = """\
**Bold** is measured, plain is documented by the vendor, *italic* is inferred; – is not established. A constraint that
is not kept is never sent: it is said in words where there is room, and checked when the answer is back. `portable` is
computed from the others; `prompt` has no table, because it sends no schema."""


def dialect_table() -> str:
    """Return the section: the matrix, what each target asks of a schema, and every cell that has a note."""
    shown = [dialect_of(target) for target in targets() if target not in _TELLS_NOTHING]
    columns = [(" ".join(f"`{target}`" for target in same), dialect) for same, dialect in _columns(shown)]
    parts = [
        _READING,
        _table(("", *(name for name, _ in columns)), _matrix([dialect.profile for _, dialect in columns])),
        "### What a schema must look like there",
        _table(("target", "endpoint", "read on", "asks for", "bounds"), _rules(shown)),
        "### How each cell is known",
    ]
    for name, dialect in columns:
        parts += [f"#### {name.replace('`', '')}", _table(("", "says", "source", "note"), _told(dialect.profile))]
    return "\n\n".join(parts)


def _columns(dialects: Iterable[Dialect]) -> Iterator[tuple[list[str], Dialect]]:
    """Put neighbours with one table into one column."""
    for _, same in groupby(dialects, key=lambda dialect: sorted(dialect.profile.cells.items())):
        group = list(same)
        yield [dialect.target for dialect in group], group[0]


def _matrix(profiles: list[Profile]) -> Iterator[tuple[str, ...]]:
    for name in (*KEYWORDS, *FORMS, *ANNOTATIONS):
        yield (_name(name), *(_cell(name, profile.cells.get(name)) for profile in profiles))


def _cell(name: str, cell: Cell | None) -> str:
    if cell is None or cell.support is Support.UNKNOWN:
        return _SAYS[Support.UNKNOWN]
    return f"{_FIRM[cell.known]}{_said(name, cell)}{_FIRM[cell.known]}"


def _said(name: str, cell: Cell) -> str:
    """Return what a cell says, in a word; of what asserts nothing, nothing can be ignored."""
    return "accepted" if name in ANNOTATIONS and cell.support is Support.IGNORED else _SAYS[cell.support]


def _name(name: str) -> str:
    return name if name in FORMS and not name.startswith("$") else f"`{name}`"


def _rules(dialects: Iterable[Dialect]) -> Iterator[tuple[str, ...]]:
    for dialect in dialects:
        profile = dialect.profile
        asked = [text for rule, text in _RULES.items() if getattr(profile, rule)]
        asked += [f"`minItems` up to {profile.max_min_items}"] if profile.max_min_items is not None else []
        asked += [f"counts up to {profile.max_count:,}"] if profile.max_count is not None else []
        asked += [f"bounds up to {profile.max_bound:,}"] if profile.max_bound is not None else []
        asked += [f"`multipleOf` up to {profile.max_multiple:,}"] if profile.max_multiple is not None else []
        asked += [_patterns(profile.patterns)] if profile.keeps("pattern") else []
        asked += [f"formats: {', '.join(sorted(profile.formats))}"] if profile.formats else []
        bounds = [
            f"{bound.name.removeprefix('max_').replace('_', ' ')} {value:,}"
            for bound in fields(Bounds)
            if (value := getattr(profile.bounds, bound.name)) is not None
        ]
        yield (f"`{dialect.target}`", profile.endpoint, profile.read_on, "; ".join(asked) or "–",
               "; ".join(bounds) or "none known")  # fmt: skip


_RULES = {
    "root_object": "an object at the root",
    "closed_objects": "`additionalProperties: false` on every object",
    "distinct_first_keys": "objects of one `anyOf` begin with different keys, or a const",
    "const_as_enum": "a const as an enum of one",
    "required_first": "required keys first",
    "integer_bounds_only": "bounds on integers alone",
    "integer_multiples_only": "`multipleOf` on integers alone",
    "no_empty_names": "no property with an empty name",
    "required_counted_only": "`minProperties` and `maxProperties` where all properties are required",
}


def _patterns(patterns: Patterns) -> str:
    without = [text for rule, text in _FEATURES.items() if not getattr(patterns, rule)]
    without += [f"counts above {patterns.max_repeat:,}"] if patterns.max_repeat is not None else []
    without += [f"a backslash before anything but {' '.join(sorted(patterns.escapes))}"] if patterns.escapes else []
    return f"patterns without {', '.join(without)}"


_FEATURES = {
    "look_around": "look-around",
    "back_references": "back references",
    "word_boundary": "word boundaries",
    "unanchored": "open ends",
    "beside_length": "a length beside them",
    "lazy": "lazy quantifiers",
    "named_groups": "named groups",
    "letter_classes": "letter classes",
    "flags": "flags",
    "escaped": "what JSON escapes",
}


def _told(profile: Profile) -> Iterator[tuple[str, ...]]:
    """Yield the cells; those that say the same for the same reason stand together."""
    alike: dict[Cell, list[str]] = {}
    for name in (*KEYWORDS, *FORMS, *ANNOTATIONS):
        if name in profile.cells:
            alike.setdefault(profile.cells[name], []).append(name)
    for cell, names in alike.items():
        said = "unknown" if cell.support is Support.UNKNOWN else _said(names[0], cell)
        says = f"{said}, {cell.known.value}"
        yield ", ".join(map(_name, names)), says, cell.source, cell.note


def _table(head: Iterable[str], rows: Iterable[tuple[str, ...]]) -> str:
    names = list(head)
    lines = [names, ["---"] * len(names), *map(list, rows)]
    return "\n".join("| " + " | ".join(_plain(text) for text in line) + " |" for line in lines)


def _plain(text: str) -> str:
    """Keep a text inside its cell."""
    return text if "`" in text else text.replace("<", "&lt;").replace("|", "\\|")


if __name__ == "__main__":
    print(dialect_table())
