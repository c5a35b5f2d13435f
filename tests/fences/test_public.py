"""What is public is said: sorted, present, and for the package itself held word for word."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import pratique
from fences.source_tree import PACKAGE, ROOT, modules
from pratique.errors import CODES

FACE = [
    "DEFAULT_EDITS",
    "Admission",
    "Admitted",
    "AuditOnly",
    "Chunk",
    "Claim",
    "Code",
    "Compiled",
    "Constraint",
    "Contract",
    "Delivery",
    "Edit",
    "Effect",
    "Fate",
    "Finding",
    "Hold",
    "Limits",
    "Locality",
    "Misuse",
    "NotClean",
    "Outage",
    "Producer",
    "Provisional",
    "Quarantined",
    "Reason",
    "Reference",
    "Release",
    "Span",
    "Status",
    "Stream",
    "ToolCall",
    "Truncation",
    "Unclaimed",
    "anthropic_chunks",
    "note",
    "openai_chunks",
    "refuse",
    "targets",
]
"""Everything a user may import from ``pratique``. A change here is a change of the public interface."""


def order(name: str) -> tuple[int, str]:
    """Sort constants before types before functions, each by the alphabet."""
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2, name)


def said_of(tree: ast.Module) -> list[str] | None:
    """Return the names in a module's ``__all__``."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(ast.unparse(target) == "__all__" for target in node.targets):
            said = ast.literal_eval(node.value)
            assert isinstance(said, list)
            return said
    return None


def test_the_face_is_what_it_says() -> None:
    """Nothing becomes public by accident, and nothing public goes."""
    assert pratique.__all__ == FACE


@pytest.mark.parametrize("name", FACE)
def test_every_name_of_the_face_is_there(name: str) -> None:
    """The lazy face knows where each name lives."""
    assert getattr(pratique, name) is not None
    assert name in dir(pratique)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    """Lazy loading does not swallow a typing slip."""
    with pytest.raises(AttributeError, match="no attribute 'Contrat'"):
        pratique.Contrat  # noqa: B018 - reading it is the test


@pytest.mark.parametrize("module", sorted(name for name, tree in modules().items() if said_of(tree) is not None))
def test_what_a_module_offers_is_sorted_and_there(module: str) -> None:
    """Every ``__all__``: in order, without a double, and each name is defined."""
    said = said_of(modules()[module])
    assert said is not None
    assert said == sorted(set(said), key=order)
    offered = importlib.import_module(module)
    assert [name for name in said if not hasattr(offered, name)] == []


def test_every_package_with_a_face_lists_it() -> None:
    """A package that re-exports says what; one that does not is empty."""
    silent = []
    for module, tree in modules().items():
        file = ROOT / "src" / Path(*module.split(".")) / "__init__.py"
        if file.exists() and said_of(tree) is None:
            silent += [module] if any(isinstance(node, (ast.Import, ast.ImportFrom)) for node in tree.body) else []
    assert silent == []


def all_codes() -> list[str]:
    """Return every code that any file of the library declares."""
    for module in modules():
        if not module.endswith("__main__"):
            importlib.import_module(module)
    assert CODES
    return sorted(CODES)


def test_every_code_has_its_row_in_the_docs() -> None:
    """A code is stable API: who meets one finds it. ``python docs/generate.py`` writes the page."""
    page = ROOT / "docs" / "codes.md"
    assert page.exists()
    rows = {
        line.removeprefix("### ").strip()
        for line in page.read_text(encoding="utf-8").splitlines()
        if line[:4] == "### "
    }
    assert [code for code in all_codes() if code not in rows] == []


def test_every_row_in_the_docs_has_its_code() -> None:
    """A row for a code that is gone would mislead."""
    page = (ROOT / "docs" / "codes.md").read_text(encoding="utf-8")
    rows = {line.removeprefix("### ").strip() for line in page.splitlines() if line.startswith("### ")}
    assert rows - set(all_codes()) == set()


def test_every_code_says_what_happened_why_and_what_to_do() -> None:
    """An empty help helps nobody; a code is ``step.noun``."""
    all_codes()
    for code in CODES.values():
        assert code.title
        assert code.why
        assert code.help
        assert code.id.count(".") == 1
        assert code.id.islower()


def test_the_package_is_typed_and_has_a_version() -> None:
    """``py.typed`` tells a type checker to believe the annotations."""
    assert (ROOT / "src" / PACKAGE / "py.typed").exists()
    assert pratique.__version__
