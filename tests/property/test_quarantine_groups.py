"""Law: what is refused alike is one group, and what is not is not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from pratique import Contract, Reason
from pratique.quarantine import MemoryQuarantine
from pratique.quarantine.fingerprint import VERSION, fingerprint_of, masked
from pratique.show import show


class Row(BaseModel):
    """One unit."""

    rank: int
    size: int


WORDS = st.text(st.characters(codec="utf-8"), max_size=120)
NUMBERS = st.one_of(st.integers(-(10**12), 10**12), st.floats(allow_nan=False, allow_infinity=False, width=32))
CODES = st.sampled_from(["validate.type", "validate.bound", "guard.conflict"])
PATHS = st.sampled_from(["$.items[{}].rank", "$[{}].why", "$.items[{}].tags[{}]"])
MESSAGES = st.sampled_from(
    [
        "expected int, got str {quoted}",
        "at least 1, got {number}",
        "rank {number} is claimed by unit {index} too",
        "key {quoted} comes twice, first at character {number}",
    ]
)


def group(code: str, path: str, message: str, quoted: str, number: float, index: int) -> str:
    """Return the group of a unit that is refused so, at such a place, for such a value."""
    told = message.format(quoted=show(quoted), number=format(number, ","), index=index)
    return fingerprint_of("triage", "schema", code, path.format(index, index + 1), told)


@given(CODES, PATHS, MESSAGES, st.lists(st.tuples(WORDS, NUMBERS, st.integers(0, 10**6)), min_size=2, max_size=2))
def test_position_numbers_and_quoted_text_do_not_count(
    code: str, path: str, message: str, units: list[tuple[str, float, int]]
) -> None:
    """Two units that differ in nothing else are one group."""
    first, second = (group(code, path, message, *unit) for unit in units)
    assert first == second


@given(
    st.lists(
        st.tuples(CODES, PATHS, st.sampled_from(list(Reason)), st.sampled_from(["a", "b"])), min_size=2, unique=True
    )
)
def test_code_path_reason_and_contract_count(kinds: list[tuple[str, str, Reason, str]]) -> None:
    """Units that differ in one of them are of different groups."""
    found = [fingerprint_of(contract, reason, code, path.format(1, 2), "x") for code, path, reason, contract in kinds]
    assert len(set(found)) == len(kinds)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=5), st.integers(0, 10**6))
def test_how_many_others_does_not_count(others: list[int], more: int) -> None:
    """A conflict of three is the same kind of conflict as one of five."""
    named = ", ".join(map(str, others))
    assert masked(f"rank 3 is claimed by unit {named} too") == masked("rank 3 is claimed by unit 1 too")
    assert masked(f"rank 3 is claimed by unit {named} and {more:,} more too") == masked(
        "rank 3 is claimed by unit 1 too"
    )


def test_a_hexadecimal_id_does_not_count() -> None:
    """Ids and digests name one thing each."""
    assert masked("ticket 9f86d081884c is gone") == masked("ticket 2c26b46b68ff is gone")
    assert masked("no 123e4567-e89b-12d3-a456-426614174000") == masked("no 00112233-aabb-4000-8000-0123456789ab")


def test_an_apostrophe_quotes_nothing() -> None:
    """Otherwise all that stands between two of them would vanish."""
    assert masked("the list's key isn't there") != masked("the list's value isn't there")


def test_the_algorithm_is_the_one_that_version_1_was() -> None:
    """A change of it needs a new version: these are the ids that version 1 gave on the day it was made."""
    assert VERSION == 1
    assert (
        fingerprint_of("triage", "schema", "validate.type", "$.items[3].rank", 'expected int, got str "x"')
        == "q1-3d8682395c80"
    )


def test_real_units_group_as_the_law_says() -> None:
    """Through the boundary: two of one kind, one of another."""
    rows = Contract.items(Row, name="rows")
    store = MemoryQuarantine()
    store.keep(rows.admit('[{"rank": "a", "size": 1}, {"rank": "a much longer value", "size": 2}, {"rank": 1}]'))
    assert [(one.count, one.code) for one in store.groups()] == [(2, "validate.type"), (1, "validate.missing")]
