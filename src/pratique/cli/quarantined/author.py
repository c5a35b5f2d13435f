"""Who decides: named in the call, else the name that the operating system knows."""

from __future__ import annotations

import getpass

from pratique.errors import Misuse

__all__ = ["author_of"]


def author_of(said: str | None) -> str:
    """Return the author's name.

    Errors: Misuse when none was told and the operating system knows none.
    """
    if said is not None and said.strip():
        return said
    try:
        return getpass.getuser()
    except (OSError, KeyError) as error:  # KeyError: Python 3.11, for a user without an entry
        raise Misuse("nobody knows who you are", remedy="write --author NAME; it is kept with the decision") from error
