"""Reading order is import order: a room, and a file in a room, imports only what stands above it in these lists.

A new file stands in no list and fails here, so that somebody decides where it belongs.
"""
# ruff: noqa: E501 - the lists read better close together

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from fences.source_tree import PACKAGE, Import, files, imports_of, module_of, modules

ROOMS = (
    "text", "show", "errors", "limits", "events", "sqlite_file", "terms", "values", "boundary", "dialects", "contract", "lint",
    "quarantine", "hooks", "audit", "budget", "prompt", "leaf", "ask", "disk", "sandbox", "commands", "fences", "redteam",
    "all_events", "telemetry", "apps", "cli", "web", "testing",
)  # fmt: skip
INSIDE = {
    "terms": (
        "lens", "shape", "markers", "fingerprint", "strict", "schema_document", "schema_bounds", "schema_drafts", "schema_facts", "schema_parts", "schema_validator",
        "json_schema", "terms",
    ),
    "boundary": (
        "delivery", "admission", "grammar", "scan", "document", "frame", "validate", "diagnosis", "repair", "fast", "unit", "read", "guard",
        "verdict", "choose", "explain", "account", "judge", "events", "admit", "release", "chunk", "head", "list_stream", "region_stream", "gate", "remains", "call_stream",
        "stream",
    ),
    "dialects": (
        "profile", "intersection", "dialect", "tables", "targets", "nodes", "words", "lens", "outline", "bounds", "writing",
        "promise", "names", "report", "plan", "compiling",
    ),
    "dialects.nodes": ("constraint", "node", "matching", "reading", "graph", "fitting"),
    "dialects.words": (
        "formats", "phrases", "pattern", "marks", "framing", "instance", "example", "teller", "told", "size",
    ),
    "dialects.lens": ("parts", "step", "fields", "places", "texts", "boxes", "unit"),
    "lint": (
        "thresholds", "names", "origin", "view", "counted", "variants", "likeness", "subject", "rule", "finding", "absence",
        "identity", "openness", "nearness", "mentions", "patterns", "vocabulary", "judging", "inscribed", "items", "own_rules", "uses",
        "apart", "derivation", "overlap", "sizes", "fixing", "rules", "limits", "book", "linting", "configuration", "sources", "face",
    ),
    "lint.fixing": ("literals", "names", "python_text", "schema_text", "unified"),
    "lint.sources": ("tools", "objects", "openapi_schema", "openapi", "yaml_text", "documents", "mcp_server"),
    "audit": (
        "chain", "key", "checkpoint", "verify", "checkpoint_file", "checkpoints", "follow", "reading", "events", "outbox", "standing", "log",
        "acting", "carry",
    ),
    "budget": (
        "money", "amount", "price", "genai", "prices", "request", "book", "caps", "events", "costs", "telling", "ledger",
        "ledgers", "token", "sweep", "guard",
    ),
    "budget.ledgers": ("rows", "memory", "columns", "sums", "sqlite_tables", "gate", "sqlite", "postgres_tables", "postgres_link", "postgres"),
    "leaf": ("events", "leaf"),
    "telemetry": (
        "names", "reading", "bounded", "attributes", "calls", "drawing", "spans", "labels", "instruments", "metrics", "tee",
    ),
    "testing": ("clock", "linearizable", "oracle", "quarantine", "dialect", "lint", "ledger"),
    "quarantine": (
        "fingerprint", "resolution", "record", "store", "refusals", "columns", "intake", "caps", "tables", "rows",
        "lookups", "purging", "queries", "sqlite", "entries", "memory", "where", "replayed", "placing",
        "alone", "rejudge", "replay", "pytest_case", "export",
    ),
    "hooks": ("wire", "port", "anthropic", "mcp", "openai", "pydantic_ai", "langgraph"),
    "boundary.repair": (
        "edit", "commas", "comments", "closers", "control", "python_text", "encoded", "case", "unwrap", "draft", "ladder",
    ),
}  # fmt: skip
"""The order inside the rooms, and the packages in a room, whose files are steps."""
DOORS = ("apps", "cli", "web")
"""Rooms that nothing imports: they are what users call."""
ENTRIES = {"__main__": "cli"}
"""Files outside every room, and the one room each may import."""

HOMES = {
    "Admission": "boundary", "Admitted": "boundary", "Claim": "boundary", "Contract": "contract", "DEFAULT_EDITS": "boundary",
    "Delivery": "boundary", "Edit": "boundary", "NotClean": "boundary", "Producer": "boundary", "Quarantined": "boundary",
    "Status": "boundary", "ToolCall": "boundary", "Chunk": "boundary", "Hold": "boundary", "Provisional": "boundary",
    "Release": "boundary", "Stream": "boundary", "anthropic_chunks": "boundary", "openai_chunks": "boundary", "Truncation": "boundary", "Unclaimed": "boundary", "Code": "errors",
    "Effect": "errors", "Finding": "errors", "Misuse": "errors", "Outage": "errors", "Reason": "errors", "Limits": "limits",
    "Compiled": "dialects", "Constraint": "dialects", "Fate": "dialects", "targets": "dialects",
    "AuditOnly": "terms", "Locality": "terms", "Reference": "terms", "note": "terms", "refuse": "terms", "Span": "text",
}  # fmt: skip
"""Where a name of the package's own face comes from: importing it from there is importing that room."""


def room_of(module: str) -> str:
    """Return the room that a module belongs to, ``""`` for the package itself."""
    return [*module.split("."), ""][1]


def file_in(package: str, module: str) -> str:
    """Return the file of a room or package that a module belongs to; ``""`` when it is that room itself, or outside."""
    inside = module.removeprefix(f"{PACKAGE}.{package}.")
    return "" if inside == module else inside.split(".")[0]


def aim_of(found: Import) -> str:
    """Return the module that an import leads to."""
    if found.module == PACKAGE and found.name in HOMES:
        return f"{PACKAGE}.{HOMES[found.name]}"
    deeper = f"{found.module}.{found.name}"
    return deeper if deeper in modules() else found.module


def wrong_ways(module: str, tree: ast.Module) -> Iterator[str]:
    """Yield every import of a module that does not lead upwards."""
    here = room_of(module)
    for found in imports_of(tree):
        aim = aim_of(found)
        there = room_of(aim)
        says = f"{module}:{found.line} imports {aim}"
        if here in ENTRIES:
            if there != ENTRIES[here]:
                yield f"{says}: it may import {ENTRIES[here]} alone"
        elif not there:
            if found.name != "__version__":
                yield f"{says}: import from the room that has it"
        elif here != there:
            if there in DOORS:
                yield f"{says}: nothing imports {there}"
            elif ROOMS.index(there) >= ROOMS.index(here):
                yield f"{says}: {there} stands below {here}"
        for package, order in INSIDE.items():
            mine, its = file_in(package, module), file_in(package, aim)
            if not mine:
                continue
            if aim == f"{PACKAGE}.{package}":
                yield f"{says}: a file of a room does not import its room"
            elif its and its != mine and order.index(its) >= order.index(mine):
                yield f"{says}: {its} stands below {mine}"


MODULES = sorted(name for name in modules() if name != PACKAGE)


def test_every_file_has_its_place() -> None:
    """A file that is in no list has no place in the reading order yet."""
    strangers = [module for module in MODULES if room_of(module) not in (*ROOMS, *ENTRIES)]
    for package, order in INSIDE.items():
        inside = {file_in(package, module) for module in MODULES} - {""}
        strangers += [f"{PACKAGE}.{package}.{name}" for name in sorted(inside - set(order))]
    assert strangers == [], "put them into ROOMS or INSIDE, above what may import them"


@pytest.mark.parametrize("package", INSIDE)
def test_every_place_has_its_file(package: str) -> None:
    """A name that is left in a list after its file went would let the next file of that name in unseen."""
    assert [name for name in INSIDE[package] if f"{PACKAGE}.{package}.{name}" not in modules()] == []


@pytest.mark.parametrize("module", MODULES)
def test_a_room_imports_upwards_only(module: str) -> None:
    """Imports inside functions and for the type checker count too."""
    assert list(wrong_ways(module, modules()[module])) == []


def test_the_face_is_lazy() -> None:
    """The package itself imports no room when it is imported: ``pratique --help`` does not wait."""
    assert [found for found in imports_of(modules()[PACKAGE]) if found.at_top] == []


def test_no_two_files_import_each_other() -> None:
    """At import time the files form no circle, in any room."""
    above = {
        module: {aim_of(found) for found in imports_of(tree) if found.at_top} - {module}
        for module, tree in modules().items()
    }
    settled: set[str] = set()
    while True:
        fresh = {module for module, needs in above.items() if module not in settled and needs <= settled}
        if not fresh:
            break
        settled |= fresh
    circle = {module: sorted(needs - settled) for module, needs in above.items() if module not in settled}
    assert circle == {}


def test_no_file_is_named_for_nothing() -> None:
    """A file is named by the one thing it holds."""
    vague = {"common", "helper", "helpers", "manager", "managers", "misc", "util", "utils"}
    parts = {part for file in files() for part in module_of(file).split(".")}
    assert parts & vague == set()


@pytest.mark.parametrize(
    ("module", "program"),
    [
        ("pratique.errors", "from pratique.limits import Limits"),
        ("pratique.terms.terms", "import pratique.boundary.admit"),
        ("pratique.terms.terms", "from pratique import boundary"),
        ("pratique.terms.terms", "from pratique import Contract"),
        ("pratique.terms.terms", "import pratique"),
        ("pratique.terms.shape", "from pratique.terms.strict import compile_type"),
        ("pratique.terms.strict", "from pratique.terms import Shape"),
        ("pratique.boundary.scan", "def f():\n    from pratique.boundary.admit import admit"),
        ("pratique.boundary.scan", "if TYPE_CHECKING:\n    from pratique.contract import Contract"),
        ("pratique.boundary.repair.edit", "from pratique.boundary.repair.ladder import mend_text"),
        ("pratique.boundary.repair.commas", "from pratique.boundary.repair import Mended"),
        ("pratique.boundary.repair.commas", "from pratique.boundary.read import Reading"),
        ("pratique.boundary.validate", "from pratique.boundary.repair.edit import EditKind"),
        ("pratique.boundary.fast", "from pratique.boundary.guard import CONFLICT"),
        ("pratique.contract", "from pratique.apps.triage import contract"),
        ("pratique.testing", "from pratique.cli import main"),
        ("pratique.cli.check", "from pratique.apps import triage"),
        ("pratique.apps.triage.contract", "from pratique.cli import main"),
        ("pratique.__main__", "from pratique.contract import Contract"),
    ],
)
def test_an_import_that_leads_downwards_is_seen(module: str, program: str) -> None:
    """The fence would catch it."""
    assert list(wrong_ways(module, ast.parse(program)))


@pytest.mark.parametrize(
    ("module", "program"),
    [
        ("pratique.limits", "from pratique.errors import Misuse"),
        ("pratique.terms.strict", "from pratique.terms.shape import Shape"),
        ("pratique.contract", "def f():\n    from pratique.terms.json_schema import compile_json_schema"),
        ("pratique.contract", "from pratique import __version__"),
        ("pratique.apps.triage.contract", "from pratique import Contract, Limits"),
        ("pratique.boundary.repair.case", "from pratique.boundary.repair.edit import EditKind"),
        ("pratique.boundary.repair.case", "from pratique.boundary.validate import Problem"),
        ("pratique.boundary.repair", "from pratique.boundary.repair.ladder import mend_text"),
        ("pratique.boundary.read", "from pratique.boundary.repair import Mended"),
        ("pratique.cli.check", "from pratique.cli.load import load"),
        ("pratique.__main__", "from pratique.cli import main"),
        ("pratique.errors", "import json\nfrom pydantic import BaseModel"),
    ],
)
def test_an_import_that_leads_upwards_passes(module: str, program: str) -> None:
    """The fence does not cry wolf."""
    assert list(wrong_ways(module, ast.parse(program))) == []


def test_a_relative_import_is_seen() -> None:
    """It would hide which room it leads to."""
    with pytest.raises(AssertionError, match="relative import"):
        list(imports_of(ast.parse("from . import scan")))
