"""YAML read as the JSON values that it stands for.

Refused: aliases that multiply each other ("billion laughs"): what is written in a few lines would not fit into memory.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from pratique.errors import Misuse
from pratique.show import show

if TYPE_CHECKING:
    from yaml import Node, SafeLoader

__all__ = ["read_yaml"]

MAX_YAML_VALUES = 3_000_000
"""Keys and values of one document, those behind an alias counted each time: as many as 30 MB hold, written out."""

_NO_WORDS = frozenset({"tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp"})
"""What YAML 1.1 makes of ``on``, ``no`` and ``2026-11-22``. To YAML 1.2, which OpenAPI asks for, they are text."""


def read_yaml(text: str, file: str) -> Any:
    """Return what a YAML text stands for, in plain JSON values; other types of YAML are text.

    Errors: Misuse for what is no YAML, for aliases that multiply each other, and where pyyaml is not installed.
    Source: YAML 1.2.2, section 10.2, for truth values; OpenAPI 3.1.1, section 4.2, for which YAML is meant.
    """
    try:
        import yaml
    except ImportError as error:
        raise Misuse(
            "reading YAML needs the package pyyaml, which is not installed", remedy="pip install 'pratique[yaml]'"
        ) from error
    loader = _loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        if _values_in(node, {}) > MAX_YAML_VALUES:
            raise Misuse(
                f"{show(file)} has more than {MAX_YAML_VALUES:,} values: its aliases multiply each other",
                remedy="write out what they stand for, or less of it",
            )
        return json.loads(json.dumps(loader.construct_document(node), default=str))
    except (yaml.YAMLError, ValueError, TypeError) as error:
        raise Misuse(f"{show(file)} is not YAML: {_why(error)}", remedy="mend the file") from error
    finally:
        loader.dispose()


def _loader(text: str) -> SafeLoader:
    import yaml

    class Loader(yaml.SafeLoader):
        """Read truth values and dates as YAML 1.2 does."""

    known = yaml.SafeLoader.yaml_implicit_resolvers
    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in pairs if tag not in _NO_WORDS] for first, pairs in known.items()
    }
    Loader.add_implicit_resolver(
        "tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), "tTfF"
    )
    return Loader(text)


def _why(error: Exception) -> str:
    """Say what is wrong, with the line where the reader knows it."""
    mark = getattr(error, "problem_mark", None)
    told = getattr(error, "problem", None) or str(error).splitlines()[0]
    return told if mark is None else f"{told}, in line {mark.line + 1}"


def _values_in(node: Node, known: dict[int, float]) -> float:
    """Count the keys and values below a node; infinite for one that holds itself."""
    if id(node) not in known:
        known[id(node)] = float("inf")
        inside = node.value if isinstance(node.value, list) else ()
        parts = [part for each in inside for part in (each if isinstance(each, tuple) else (each,))]
        known[id(node)] = 1 + sum(_values_in(part, known) for part in parts)
    return known[id(node)]
