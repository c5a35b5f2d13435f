"""Which records are meant: a filter, a group, or ids; walked page by page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

from pratique.quarantine.record import State
from pratique.quarantine.store import MAX_PAGE, Filter, QuarantineStore

__all__ = ["Where", "meant"]

Where: TypeAlias = Filter | str | Iterable[str]
"""A filter, the id of one record or of a group, or several ids of records."""

_GROUP_ID = re.compile(r"q[0-9]+-[0-9a-f]{12}")


def meant(store: QuarantineStore, where: Where, *, status: State | None = None) -> Iterator[tuple[str, str]]:
    """Yield the id of each record that is meant, and that of its delivery; ``status`` is what a filter leaves open.

    Errors: Misuse for an id of no record.
    """
    if isinstance(where, str):
        where = Filter(fingerprint=where) if _GROUP_ID.fullmatch(where) else [where]
    if not isinstance(where, Filter):
        for id in dict.fromkeys(where):
            yield id, store.show(id).record.delivery
        return
    filter = where if where.status is not None else replace(where, status=status)
    after = None
    while True:
        page = store.list(filter, after=after, limit=MAX_PAGE)
        yield from ((record.id, record.delivery) for record in page.records)
        if page.next is None:
            return
        after = page.next
