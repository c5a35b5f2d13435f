"""Drafts: what a cleverer repair would have read, kept beside a unit that is never admitted."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel

from pratique import Contract


class Item(BaseModel):
    """A unit."""

    rank: int
    why: str


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        ('{rank: 1, why: "first, then: last"}', {"rank": 1, "why": "first, then: last"}),
        ('{"rank": 1, "why": "they said "later" twice"}', {"rank": 1, "why": 'they said "later" twice'}),
        ('{"rank": 1, "why": "C:\\queue"}', {"rank": 1, "why": "C:\\queue"}),
        ('{"rank": 1, "why": "cut o', {"rank": 1, "why": "cut o"}),
    ],
    ids=["bare keys", "a raw quote", "a bad escape", "a cut tail"],
)
def test_a_broken_unit_is_drafted_and_never_admitted(raw: str, read: dict[str, object]) -> None:
    """The draft is what a person would read; the unit stays in quarantine."""
    admission = Contract.items(Item).admit(f"[{raw}" + ("]" if raw.endswith("}") else ""))
    assert admission.values == ()
    (unit,) = admission.quarantined
    assert unit.draft is not None
    assert json.loads(unit.draft) == read
