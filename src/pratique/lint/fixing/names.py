"""Names for classes and fields: what a schema calls them, as far as Python and pydantic have it so."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Container
from functools import lru_cache

__all__ = ["class_name", "field_name", "free_class_name"]

_IMPORTED = frozenset({"Annotated", "Any", "BaseModel", "ConfigDict", "Field", "Literal"})
_TYPES = frozenset({"bool", "dict", "float", "int", "list", "str", "tuple"})
"""A field of such a name would stand for the type in what is written below it."""
_PREFIXES = ("model_dump", "model_validate")
"""Pydantic keeps these for itself."""


def class_name(name: str, *, singular: bool = False) -> str:
    """Return a name for a class: letters and digits, each word with a capital; ``singular`` drops an s."""
    words = re.findall(r"[A-Za-z0-9]+", name)
    joined = "".join(word[:1].upper() + word[1:] for word in words) or "Value"
    joined = joined if joined[0].isalpha() else f"Value{joined}"
    return (
        joined[:-1] if singular and len(joined) > 3 and joined.endswith("s") and not joined.endswith("ss") else joined
    )


def free_class_name(name: str, taken: Container[str]) -> str:
    """Return a name that no class has yet, nor anything that the source imports."""
    found, number = name, 2
    while found in taken or found in _IMPORTED or keyword.iskeyword(found):
        found, number = f"{name}{number}", number + 1
    return found


def field_name(key: str, taken: Container[str]) -> str:
    """Return a name for a field that stands under ``key``; another one than the key where Python has it otherwise."""
    name = (
        key if key.isidentifier() and unicodedata.normalize("NFKC", key) == key else re.sub(r"[^A-Za-z0-9]", "_", key)
    )
    name = name.strip("_") if name.startswith("_") else name
    name = name if name[:1].isalpha() else f"field_{name}".rstrip("_")
    name = name[0].lower() + name[1:]  # classes begin with a capital
    if keyword.iskeyword(name) or name in _TYPES or name in _of_models() or name.startswith(_PREFIXES):
        name = f"{name.removeprefix('model_')}_"
    found, number = name, 2
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found


@lru_cache(maxsize=1)
def _of_models() -> frozenset[str]:
    from pydantic import BaseModel

    return frozenset(dir(BaseModel))
