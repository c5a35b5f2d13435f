"""LS052: defaults that let pass."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level


def flag(name: str, default: Any, **more: Any) -> Any:
    """Make an object with one field that may be left out."""
    return obj({}, {name: {"type": "boolean", "default": default, **more}})


def word(name: str, default: str) -> Any:
    """Make an object with one text that may be left out."""
    return obj({}, {name: {"type": "string", "default": default}})


class Verdict(BaseModel):
    """Silence is consent."""

    why: str
    is_valid: bool = True
    severity: Literal["none", "low", "high"] = "none"
    status: Literal["ok", "failed"] = "ok"


class Options(BaseModel):
    """Options may be on."""

    enabled: bool = True
    verbose: bool = True
    dry_run: bool = True
    include_valid: bool = True
    only_approved: bool = True
    must_be_safe: bool = True
    status: Literal["open", "closed"] = "open"


FIRES: dict[str, Any] = {
    "valid, severity and status in one type": Case(
        Verdict, at=("/properties/is_valid", "/properties/severity", "/properties/status"), level=Level.ERROR
    ),
    "approved in a schema": Case(flag("approved", True), at=("/properties/approved",)),
    "in camel case, behind a word": Case(flag("humanApproved", True), at=("/properties/humanApproved",)),
    "a finding that is not there": flag("flagged", False),
    "a review that is not needed": flag("review_required", False),
    "a contract": Contract.one(Verdict),
    "a consent of a tool": Case(tool(flag("user_confirmed", True)), at=("/properties/user_confirmed",)),
    "unsafe is false": flag("is_unsafe", False),
    "not safe is false": flag("not_safe", False),
    "a verdict": word("verdict", "approve"),
    "what approves itself": flag("auto_approved", True),
}
QUIET: dict[str, Any] = {
    "options may be on": Options,
    "the default stops": obj(
        {}, {"approved": {"type": "boolean", "default": False}, "flagged": {"type": "boolean", "default": True}}
    ),
    "no default": obj({}, {"approved": {"type": "boolean"}}),
    "null is no approval": obj({}, {"approved": {"type": ["boolean", "null"], "default": None}}),
    "what is required is never left out": obj({"valid": {"type": "boolean", "default": True}}),
    "a safe mode of a tool is the careful one": tool(flag("safe", True)),
    "an option of a tool": tool(flag("allow_external", True)),
    "a status that says how far it is": word("status", "pending"),
    "a priority": word("priority", "none"),
    "parts of other words": obj(
        {}, {"validity_days": {"type": "integer", "default": 1}, "safeguard": {"default": True}}
    ),
    "not approved is true": flag("not_approved", True),
}
