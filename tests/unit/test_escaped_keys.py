"""A key is the same key however its writer escaped it: most JSON writers escape what is not ASCII."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel, Field

from pratique import Contract, Status


class Note(BaseModel):
    """A unit whose keys are not plain ASCII names."""

    ключ: str
    quoted: str = Field(alias='quo"te')


class Note2(BaseModel):
    """The same with nothing else to find it by."""

    größe: int


UNIT = {"ключ": "a", 'quo"te': "b"}
CONTRACTS = [
    (Contract.one(Note), UNIT, UNIT),
    (Contract.items(Note), [UNIT, UNIT], UNIT),
    (Contract.items(Note, at="списки"), {"списки": [UNIT]}, UNIT),
    (Contract.one(Note2), {"größe": 1}, {"größe": 1}),
    (Contract.items(Note2, at="größen"), {"größen": [{"größe": 1}, {"größe": 2}]}, {"größe": 1}),
]


def capitals(text: str) -> str:
    """Write the hexadecimal digits of escapes in capitals."""
    first, *others = text.split("\\u")
    return "\\u".join([first, *(part[:4].upper() + part[4:] for part in others)])


@pytest.mark.parametrize(("contract", "document", "unit"), CONTRACTS)
def test_every_spelling_of_a_key_is_the_key(contract: Contract[object], document: object, unit: object) -> None:
    """Escaped in small letters, escaped in capitals, or not at all: the verdict is the same."""
    plain = contract.admit(json.dumps(document, ensure_ascii=False))
    assert plain.status is Status.CLEAN
    assert unit
    for text in (
        json.dumps(document),
        capitals(json.dumps(document)),
        f"Here you are:\n```json\n{json.dumps(document)}\n```",
    ):
        admission = contract.admit(text)
        assert admission.status is Status.CLEAN
        assert admission.values == plain.values


def test_a_report_with_escaped_keys_is_picked_up_after_a_break() -> None:
    """The unit after a broken one is found by its escaped key."""
    contract = Contract.items(Note2, at="größen")
    text = json.dumps({"größen": [{"größe": 1}, {"größe": 2}, {"größe": 3}]}, indent=1).replace(": 2", ": 2 apples")
    admission = contract.admit(text)
    assert [value.größe for value in admission.values] == [1, 3]


@pytest.mark.parametrize("key", ["a" * 81, "a" * 201, "a" * 3_999, "\\ud800\\udc00" * 9, "\\u001f" * 300])
@pytest.mark.parametrize("units", [1, 2])
def test_a_unit_may_begin_with_a_long_key_that_nobody_declared(key: str, units: int) -> None:
    """Also behind a unit that is broken: where any object may come, any key may."""
    contract = Contract.from_json_schema({"type": "array", "items": {"type": "object"}})
    unit = f'{{"{key}": null}}'
    assert contract.admit(f"[{', '.join([unit] * units)}]").status == "clean"
    after_damage = contract.admit(f'[{{"a": nul}}, {unit}]')
    assert [str(value) for value in after_damage.values] == [str(json.loads(unit))]


def test_a_key_that_is_longer_than_any_is_not_taken_for_a_unit_and_that_is_told() -> None:
    """limits.MAX_KEY_CHARS: loud, not silent."""
    contract = Contract.from_json_schema({"type": "array", "items": {"type": "object"}})
    admission = contract.admit('[{"' + "a" * 4_001 + '": null}]')
    assert admission.status == "lost"
    assert admission.all_findings
