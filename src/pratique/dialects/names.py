"""Names that an endpoint's rule for names takes, each different from the others."""

from __future__ import annotations

import re
from collections.abc import Container

from pratique.dialects.profile import Profile

__all__ = ["MAX_NAME_CHARS", "free_name", "name_for"]

MAX_NAME_CHARS = 60
"""Characters of a name that we shorten: every endpoint takes 64, and a number may be put behind."""


def name_for(name: str, profile: Profile) -> str:
    """Make a name that the endpoint's rule for names takes."""
    if re.fullmatch(profile.tool_name, name):
        return name
    bare = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")[:MAX_NAME_CHARS] or "contract"
    return bare if re.fullmatch(profile.tool_name, bare) else f"c_{bare}"[:MAX_NAME_CHARS]


def free_name(name: str, taken: Container[str]) -> str:
    """Return a name that is not taken yet: with a number behind, if need be."""
    found, number = name, 2
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found
