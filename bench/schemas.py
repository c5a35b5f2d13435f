"""Real-world JSON Schemas as contracts: the boundary's verdict on every labelled instance, against the label.

The data are schemas with instances that others labelled valid or not (``shared/data`` beside this clone). Each
becomes a contract for one unit, each instance a delivery; a verdict agrees when something was admitted just where
the label says valid. Three ways of asking are counted apart:

    value      the schema judges what stands under the key ``value``; no edits: the schema alone is asked
    root       the schema is the unit's own, where it is one of objects; no edits: framing is asked as well
    default    as ``root``, with the edits that a contract makes by default

All figures of ``docs/json-schema.md`` stand between markers there, and are written by this script alone.

Run: ``python -m bench.schemas`` writes the figures; ``--check`` only says whether they are stale.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from pratique import Contract, Limits, Locality, Misuse
from pratique.boundary.repair import DEFAULT_EDITS
from pratique.show import escape, show
from pratique.terms.schema_bounds import MAX_SCHEMA_BYTES, MAX_SCHEMA_LEVELS, MAX_SCHEMA_STEPS
from pratique.terms.schema_facts import MAX_PLACES

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data" / "schemas.jsonl.gz"
PAGE = ROOT / "docs" / "json-schema.md"

LIMITS = Limits(max_depth=128, max_string_chars=1_000_000, max_number_digits=4_000)
"""Wide enough that the schema alone decides: no instance of the data comes near."""

WAYS = ("value", "root", "default")
WORDS: Mapping[str, str] = {
    "value": "under a key of its own, no edits",
    "root": "as the unit, no edits",
    "default": "as the unit, default edits",
}

_MARKED = re.compile(r"(?P<mark><!-- schemas: (?P<what>\w+) -->\n).*?(?=<!-- end -->)", re.DOTALL)
_RUN_LINE = re.compile(r"^Printed by `python -m bench\.schemas`.*$", re.MULTILINE)
_UNKNOWN_FORMAT = re.compile(r"Unknown format: '([^']*)'")


@dataclass(frozen=True, slots=True)
class Cause:
    """Why verdicts differ from their labels: found by looking at each, and named by hand."""

    title: str
    why: str
    ways: frozenset[str]
    """The ways of asking in which it shows."""
    instances: tuple[str, ...]
    """``schema#place``: which instances of which schemas."""


# fmt: off
CAUSES: Mapping[str, Cause] = {
    "later": Cause(
        "a keyword later than the draft that is named",
        "The schema names draft 04 and says `if` and `then`, which came with draft 07. The label passes over them, as "
        "draft 04 does. A contract drops nothing that its schema says: they hold, and the instance breaks them.",
        frozenset(WAYS), ("Github_medium---o39097.json#0",),
    ),
    "case": Cause(
        "the letter case of an enumerated value, restored",
        "The instance says `\"Male\"` where the schema enumerates `\"male\"`. The label is right that it is invalid as "
        "it stands; the boundary admits it with the recorded edit `repair.case_restored`, since only one value fits. "
        "`edits=()` switches that off.",
        frozenset({"default"}), (
            "Github_easy---o20479.json#2", "Github_easy---o30004.json#2", "Github_easy---o85906.json#2",
            "Github_medium---o15102.json#2", "Github_medium---o41343.json#1", "Github_trivial---o69512.json#2",
            "Github_trivial---o78089.json#2", "WashingtonPost---wp_41_Normalized.json#2",
        ),
    ),
}
# fmt: on


@dataclass(frozen=True, slots=True)
class Entry:
    """One schema with its labelled instances."""

    id: str
    schema: dict[str, Any]
    tests: tuple[tuple[bool, Any], ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The boundary's verdict on one instance."""

    instance: str
    label: bool
    admitted: bool
    edits: tuple[str, ...]
    findings: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether something was admitted just where the label says valid."""
        return self.label == self.admitted


@dataclass(frozen=True, slots=True)
class Judged:
    """One schema in one way of asking."""

    id: str
    refused: str
    """Why it cannot be taken as it stands; empty when it can."""
    formats: tuple[str, ...]
    """The formats that were taken out, as the refusal advises."""
    wrapped: bool
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """All schemas in one way of asking."""

    way: str
    judged: tuple[Judged, ...]
    seconds: float

    def verdicts(self, *, refused: bool | None = None) -> list[Verdict]:
        """Return the verdicts: all, or those of schemas that were, or were not, refused as they stand."""
        chosen = (one for one in self.judged if refused is None or bool(one.refused) == refused)
        return [verdict for one in chosen for verdict in one.verdicts]

    def differing(self) -> list[Verdict]:
        """Return the verdicts that differ from their label."""
        return [verdict for verdict in self.verdicts() if not verdict.agrees]


# ------------------------------------------------------------------ the data


@cache
def entries(file: Path = DATA) -> tuple[Entry, ...]:
    """Read the schemas.

    Errors: OSError when the file is missing, ValueError when it is no such file.
    """
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return tuple(
        Entry(row["id"], row["schema"], tuple((bool(label), value) for label, value in row["tests"])) for row in rows
    )


def under_a_key(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema of an object whose one key holds what ``schema`` describes.

    The schema keeps, or gets, a name of its own, so that ``#`` in it goes on to mean itself. Older drafts pass
    over a name beside ``$ref``, so a ``$ref`` of the root moves into ``allOf``.
    """
    inner = {keyword: part for keyword, part in schema.items() if keyword != "$schema"}
    name = inner.setdefault("$id", "https://contract.invalid/value")
    if "$ref" in inner:
        inner["allOf"] = [{"$ref": inner.pop("$ref")}, *inner.get("allOf", ())]
    around: dict[str, Any] = {
        "type": "object", "properties": {"value": {"$ref": name}}, "required": ["value"],
        "additionalProperties": False, "$defs": {"value": inner},
    }  # fmt: skip
    return {**({"$schema": schema["$schema"]} if "$schema" in schema else {}), **around}


def without_format(part: Any, name: str) -> Any:
    """Return a schema without one format, as the refusal advises; what is enumerated stays as it is."""
    if isinstance(part, dict):
        kept = {key: value for key, value in part.items() if not (key == "format" and value == name)}
        return {
            key: value if key in ("enum", "const", "default", "examples") else without_format(value, name)
            for key, value in kept.items()
        }
    return [without_format(inner, name) for inner in part] if isinstance(part, list) else part


# ------------------------------------------------------------------ judging


def judge(entry: Entry, way: str) -> Judged:
    """Make a contract of one schema and admit each of its instances.

    Errors: whatever is raised that is no Misuse: that would be a bug.
    """
    refused, schema = "", entry.schema
    formats: list[str] = []
    objects = all(isinstance(value, dict) for _, value in entry.tests)
    wrapped = way == "value" or not objects
    while True:
        try:
            contract = contract_of(under_a_key(schema) if wrapped else schema, way)
            break
        except Misuse as misuse:
            if "no JSON objects" in misuse.message and not wrapped:
                wrapped = True
                continue
            refused = refused or misuse.message
            unknown = _UNKNOWN_FORMAT.search(misuse.message)
            if unknown is None or unknown[1] in formats:
                return Judged(entry.id, refused, tuple(formats), wrapped, ())
            formats.append(unknown[1])
            schema = without_format(schema, unknown[1])
    values = [(label, {"value": value} if wrapped else value) for label, value in entry.tests]
    verdicts = tuple(_verdict(contract, f"{entry.id}#{at}", *value) for at, value in enumerate(values))
    return Judged(entry.id, refused, tuple(formats), wrapped, verdicts)


def contract_of(schema: Mapping[str, Any], way: str) -> Contract[dict[str, Any]]:
    """Make the contract that one way of asking wants."""
    edits = DEFAULT_EDITS if way == "default" else ()
    return Contract.from_json_schema(schema, locality=Locality.ONE, limits=LIMITS, edits=edits)


def _verdict(contract: Contract[dict[str, Any]], instance: str, label: bool, value: Any) -> Verdict:
    admission = contract.admit(json.dumps(value))
    edits = tuple(edit.code for unit in admission.units for edit in unit.edits)
    findings = tuple(finding.code for finding in admission.findings)
    return Verdict(instance, label, bool(admission.values), edits, findings)


@cache
def run(way: str, file: Path = DATA) -> Run:
    """Judge all schemas in one way of asking."""
    began = time.perf_counter()
    judged = tuple(judge(entry, way) for entry in entries(file))
    return Run(way, judged, time.perf_counter() - began)


def unexplained(found: Run) -> list[str]:
    """Return the instances whose verdict differs without a cause, and those whose cause does not show."""
    told = {instance for cause in CAUSES.values() if found.way in cause.ways for instance in cause.instances}
    differing = {verdict.instance for verdict in found.differing()}
    return sorted(told ^ differing)


# ------------------------------------------------------------------ the figures


def table(head: Sequence[str], rows: Iterable[Sequence[object]], *, left: int = 1) -> str:
    """Render a table; the first ``left`` columns hold words, the others numbers."""
    rule = ["---" if place < left else "--:" for place in range(len(head))]
    lines = [list(head), rule, *([str(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def bounds() -> str:
    """Name the bounds of one schema."""
    return table(
        ["bound", "value", "of"],
        [
            ("`MAX_SCHEMA_BYTES`", f"{MAX_SCHEMA_BYTES:,} bytes", "one schema as compact JSON"),
            ("`MAX_SCHEMA_LEVELS`", f"{MAX_SCHEMA_LEVELS:,} levels", "nesting; references in a row, for one value"),
            ("`MAX_SCHEMA_STEPS`", f"{MAX_SCHEMA_STEPS:,} steps", "schemas that judge one value in one place"),
            ("`MAX_PLACES`", f"{MAX_PLACES:,} schemas", "looked at to learn what values may hold, with repeats"),
        ],
        left=3,
    )


def data() -> str:
    """Say what the data hold."""
    held = entries()
    labels = Counter(label for entry in held for label, _ in entry.tests)
    named = Counter(str(entry.schema.get("$schema", "none")).removesuffix("#") for entry in held)
    short = ((name.split("json-schema.org/")[-1].removesuffix("/schema"), count) for name, count in named.most_common())
    drafts = ", ".join(f"{name} {count:,}" for name, count in short)
    return (
        f"{len(held):,} schemas with {labels.total():,} instances, {labels[True]:,} of them labelled valid. "
        f"Drafts they name: {drafts}."
    )


def when() -> str:
    """Say when and where, and how long it took."""
    runs = [run(way) for way in WAYS]
    took = ", ".join(f"{found.seconds:.1f} s {WORDS[found.way]}" for found in runs)
    return (
        f"Printed by `python -m bench.schemas` on {datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores of which one worked. It took {took}."
    )


def verdicts() -> str:
    """Count the verdicts, in each way of asking."""
    rows = []
    for way in WAYS:
        found = run(way)
        plain, mended = found.verdicts(refused=False), found.verdicts(refused=True)
        rows.append((
            WORDS[way], f"{sum(not one.refused for one in found.judged):,}", f"{len(plain):,}",
            f"{sum(verdict.agrees for verdict in plain):,}", sum(bool(one.refused) for one in found.judged),
            len(mended), sum(verdict.agrees for verdict in mended), len(found.differing()),
        ))  # fmt: skip
    head = ["asked", "taken", "instances", "agree", "refused", "instances", "agree once mended", "differ in all"]
    return table(head, rows)


def refusals() -> str:
    """Count the schemas that cannot be taken as they stand, by reason."""
    reasons: Counter[str] = Counter()
    formats: Counter[str] = Counter()
    for one in run("root").judged:
        if one.refused:
            reasons["a format that nobody asserts" if one.formats else escape(one.refused)] += 1
            formats.update(set(one.formats))
    told = ", ".join(f"{show(name)} {count}" for name, count in sorted(formats.items(), key=lambda it: (-it[1], it[0])))
    rows = [(reason, count) for reason, count in reasons.most_common()]
    return table(["reason", "schemas"], rows) + f"\n\nSchemas by format (some have several): {told}."


def exceptions() -> str:
    """List every verdict that differs from its label, with the cause."""
    parts = []
    for cause in CAUSES.values():
        shown = [way for way in WAYS if way in cause.ways]
        found = sorted({verdict.instance for way in shown for verdict in run(way).differing()} & set(cause.instances))
        parts.append(
            f"**{cause.title[0].upper()}{cause.title[1:]}** ({len(found)}). {cause.why} Shows "
            + "; ".join(WORDS[way] for way in shown)
            + ".\n\n"
            + ", ".join(f"`{instance.removesuffix('.json')}`" for instance in _by_schema(found))
            + "."
        )
    return "\n\n".join(parts)


def _by_schema(instances: Iterable[str]) -> Iterator[str]:
    """Yield ``schema 0, 1`` for the instances of each schema."""
    places: dict[str, list[str]] = {}
    for instance in instances:
        schema, _, place = instance.partition("#")
        places.setdefault(schema.removesuffix(".json"), []).append(place)
    yield from (f"{schema} {'+'.join(found)}" for schema, found in places.items())


def told() -> str:
    """Show what bad schemas get: the message, word for word."""
    parts = []
    for title, schema in bad_schemas().items():
        try:
            Contract.from_json_schema(schema, locality=Locality.ONE)
        except Misuse as misuse:
            parts.append(f"{title}:\n\n```text\n{_folded(str(misuse))}\n```")
        else:
            raise Misuse(f"{title} is taken now", remedy="take it out of bad_schemas()")
    return "\n\n".join(parts)


def bad_schemas() -> dict[str, dict[str, Any]]:
    """Return schemas that are refused, by what is wrong with them."""
    deep: dict[str, Any] = {"type": "object"}
    for _ in range(10_000):
        deep = {"properties": {"a": deep}}
    doubling = {f"d{level}": {"allOf": [{"$ref": f"#/$defs/d{level + 1}"}] * 2} for level in range(40)}
    return {
        "A reference to what is not there": {"properties": {"owner": {"$ref": "#/$defs/person"}}},
        "A reference to the web": {"properties": {"owner": {"$ref": "https://example.org/person.json"}}},
        "A format that nobody asserts": {"properties": {"age": {"type": "integer", "format": "int32"}}},
        "Ten megabytes": {"type": "object", "description": "x" * 10_000_000},
        "Ten thousand levels": deep,
        "Forty definitions, each of which names the next one twice": {
            "$ref": "#/$defs/d0", "$defs": {**doubling, "d40": {"type": "object"}},
        },
        "A reference that leads back to itself": {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#"}}},
    }  # fmt: skip


def _folded(text: str, width: int = 110) -> str:
    """Break a message into lines; a long pointer is cut, and says so."""
    lines = [""]
    for word in text.split(" "):
        word = word if len(word) <= width else word[: width - 12] + "…"
        if len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)


FIGURES: Mapping[str, Callable[[], str]] = {
    "run": when, "bounds": bounds, "data": data, "verdicts": verdicts, "refusals": refusals,
    "exceptions": exceptions, "told": told,
}  # fmt: skip


# ------------------------------------------------------------------ the page


def written(page: str) -> str:
    """Return the page with every figure made anew.

    Errors: Misuse when the page has a marker that nothing here fills.
    """

    def filled(found: re.Match[str]) -> str:
        if found["what"] not in FIGURES:
            raise Misuse(f"no figure is called {found['what']!r}", remedy="use one of " + ", ".join(sorted(FIGURES)))
        return f"{found['mark']}{FIGURES[found['what']]()}\n"

    return _MARKED.sub(filled, page)


def undated(page: str) -> str:
    """Return the page without the line that says when, where and how long."""
    return _RUN_LINE.sub("", page)


def main(argv: list[str] | None = None) -> int:
    """Write, or only check."""
    parser = argparse.ArgumentParser(prog="python -m bench.schemas", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the page is stale")
    asked = parser.parse_args(argv)
    if not DATA.exists():
        parser.error(f"there are no schemas at {show(str(DATA))}: the folder shared/ belongs beside this clone")
    strange = {way: unexplained(run(way)) for way in WAYS}
    for way, instances in strange.items():
        for instance in instances:
            print(f"{way}: {instance} differs, or does no longer, and CAUSES does not say so")
    page = PAGE.read_text(encoding="utf-8")
    fresh = written(page)
    stale = undated(fresh) != undated(page)
    print(f"docs/{PAGE.name}: {'stale' if stale else 'current'}")
    if not asked.check:
        PAGE.write_text(fresh, encoding="utf-8")
        print(*(f"{FIGURES[what]()}\n" for what in ("run", "verdicts", "refusals")), sep="\n")
    return 1 if any(strange.values()) or (asked.check and stale) else 0


if __name__ == "__main__":
    sys.exit(main())
