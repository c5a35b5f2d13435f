"""LS058: decisions before their reasons."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level

TEXT, FLAG = {"type": "string"}, {"type": "boolean"}


class Judged(BaseModel):
    """The verdict first."""

    id: str
    verdict: Literal["keep", "drop"]
    rationale: str


FIRES: dict[str, Any] = {
    "a verdict before its rationale": Case(Judged, at=("/properties/verdict",), level=Level.INFO),
    "in a contract": Case(Contract.items(Judged), at=("/properties/verdict",)),
    "a flag before why": Case(obj({"is_valid": FLAG, "why": TEXT}), at=("/properties/is_valid",)),
    "reasons in a list": obj({"answer": TEXT, "reasons": {"type": "array", "items": TEXT}}),
    "a field and the reason for it": Case(obj({"price": TEXT, "price_reason": TEXT}), at=("/properties/price",)),
    "a score in an inner object": Case(
        obj({"a": obj({"final_score": {"type": "number"}, "explanation": TEXT})}),
        at=("/properties/a/properties/final_score",),
    ),
}
QUIET: dict[str, Any] = {
    "the reason first": obj({"reasoning": TEXT, "verdict": TEXT}),
    "the arguments of a tool": tool(obj({"action": TEXT, "reason": TEXT})),
    "no reason": obj({"answer": TEXT, "score": {"type": "number"}}),
    "no decision": obj({"title": TEXT, "explanation": TEXT}),
    "the reason of something else": obj({"verdict": TEXT, "cancellation_reason": TEXT}),
    "a tag decides nothing": obj({"action": {"const": "stop"}, "reason": TEXT}),
    "a reason that is one of a few": obj({"action": TEXT, "reason": {"enum": ["late", "lost"]}}),
    "the reason between two decisions": obj({"reason": TEXT, "action": TEXT, "score": {"type": "number"}}),
}
