"""An admission's values have the unit's type, and no other."""

from __future__ import annotations

from pydantic import BaseModel

from pratique import Contract


class A(BaseModel):
    a: int


class B(BaseModel):
    b: int


either = Contract.one(A | B)
wrong_contract: Contract[A] = either  # expect: assignment
wrong_values: tuple[A, ...] = either.admit("").values  # expect: assignment
print(either.admit("").value.a)  # expect: union-attr
print(Contract.items(A).admit("").values[0].b)  # expect: attr-defined
print(Contract.from_json_schema({}).admit("").values[0].a)  # expect: attr-defined
