"""LS051: ids of other things."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level
from pratique.terms import Locality, Reference

TEXT = {"type": "string"}


class Order(BaseModel):
    """Its own id, and one of another thing."""

    order_id: str
    customer_id: str


class Marked(BaseModel):
    """References in a field, in a list, and where null stands for none."""

    candidate: Annotated[str, Reference("workstream")]
    page_ids: list[Annotated[str, Reference("page")]]
    target_repo: Annotated[str, Reference("repo")] | None = None


class Bare(BaseModel):
    """The same without."""

    rank: int
    candidate: str
    blockedBy: list[str]  # as some APIs write it


class Kinds(BaseModel):
    """Ids that are listed."""

    page_id: Literal["home", "about"]


FIRES: dict[str, Any] = {
    "a candidate of a contract": Case(
        Contract.items(Bare), at=("/properties/candidate",), level=Level.WARN
    ),
    "a uuid is no proof that there is such a thing": Case(
        obj({"page_id": {"type": "string", "format": "uuid"}}), at=("/properties/page_id",)
    ),
    "a list of ids, in camel case": Case(
        obj({"groupIds": {"type": "array", "items": TEXT}}), at=("/properties/groupIds",)
    ),
    "a nullable ref": Case(obj({"source_ref": {"type": ["string", "null"]}}), at=("/properties/source_ref",)),
    "a target that is a thing": Case(obj({"target_repo": TEXT}), at=("/properties/target_repo",)),
    "its own id is one thing, another's is one more": Case(Order, at=("/properties/customer_id",)),
    "the envelope is looked at, too": Case(
        Contract.items(Marked, at="items", envelope=Order), at=("/properties/customer_id",)
    ),
    "one of two that are unique together": Case(
        Contract.items(Bare, unique=[("rank", "candidate")]), at=("/properties/candidate",)
    ),
}  # fmt: skip
QUIET: dict[str, Any] = {
    "its own identity": obj({"id": TEXT, "name": TEXT}),
    "marked as references": Contract.items(Marked),
    "marked in a type": Marked,
    "marked in a contract from a JSON Schema": Contract.from_json_schema(
        obj({"page_id": TEXT}), locality=Locality.ONE, reference_fields={"/page_id": "page"}
    ),
    "listed values": Kinds,
    "unique in the contract": Contract.items(Bare, unique=("candidate",)),
    "order_id among orders": obj({"orders": {"type": "array", "items": obj({"order_id": TEXT})}}),
    "a server looks the ids of its tools up": tool(obj({"page_id": TEXT, "candidate": TEXT})),
    "words that only look so": obj({"paid": TEXT, "valid": TEXT, "grid": TEXT, "idea": TEXT, "href": TEXT}),
    "a target that is no thing": obj({"target_language": TEXT, "target_audience": TEXT, "target_date": TEXT}),
    "a number counts and does not name": obj({"line_id": {"type": "integer"}}),
    "an id that the producer makes up": obj({"new_page_id": TEXT, "idempotency_id": TEXT}),
    "a candidate described in full is no reference": obj({"candidate": obj({"name": TEXT})}),
    "a link out into the world": obj({"source_ref": {"type": "string", "format": "uri"}}),
}  # fmt: skip
