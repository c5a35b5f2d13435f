"""The library's own source as the fences see it: files, module names, imports. Nothing is imported to look."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"
PACKAGE = "pratique"


class Import(NamedTuple):
    """One module that another one imports, at any depth in its code."""

    line: int
    module: str
    name: str
    at_top: bool


def files() -> list[Path]:
    """Return every source file of the library."""
    found = sorted((SRC / PACKAGE).rglob("*.py"))
    assert found, "the source is not where this fence looks for it"
    return found


def module_of(file: Path) -> str:
    """Return the dotted name of a file; a package has its own name."""
    return ".".join(file.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")


@cache
def modules() -> dict[str, ast.Module]:
    """Return every module of the library, parsed."""
    return {module_of(file): ast.parse(file.read_text(encoding="utf-8")) for file in files()}


def imports_of(tree: ast.Module) -> Iterator[Import]:
    """Yield every import of the library in a program, in functions and under TYPE_CHECKING too."""
    top = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == PACKAGE:
                    yield Import(node.lineno, alias.name, "", id(node) in top)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"line {node.lineno}: a relative import; write the whole name"
            if node.module and node.module.split(".")[0] == PACKAGE:
                for alias in node.names:
                    yield Import(node.lineno, node.module, alias.name, id(node) in top)
