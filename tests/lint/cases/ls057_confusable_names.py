"""LS057: keys that are nearly the same."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from lint.case import Case, obj, tool
from pratique.contract import Contract
from pratique.lint.rule import Level


def keys(*names: str) -> Any:
    """Make an object with some keys."""
    return obj({name: {"type": "string"} for name in names})


class Contact(BaseModel):
    """One or several."""

    email: str
    emails: list[str]


FIRES: dict[str, Any] = {
    "the plural first, and told once": Case(
        obj({"emails": {"type": "string"}, "email": {"type": "string"}}), at=("/properties/email",)
    ),
    "an abbreviation": Case(keys("cmd", "args", "command"), at=("/properties/command",), level=Level.WARN),
    "one and several (workspace-mcp)": Case(Contact, at=("/properties/emails",)),
    "id and ids in a tool": Case(tool(keys("id", "ids")), at=("/properties/ids",)),
    "one that is kept for old callers is worth knowing": Case(
        tool(
            obj(
                {},
                {"emails": {"type": "string"}, "email": {"type": "string", "description": "[DEPRECATED] Use emails."}},
            )
        ),
        at=("/properties/email",),
        level=Level.INFO,
    ),
    "and so is one that the schema marks": Case(
        obj({}, {"phone": {"type": "string", "deprecated": True}, "phones": {"type": "string"}}), level=Level.INFO
    ),
    "two ways to write one name": keys("publishTime", "publish_time"),
    "a separator less": keys("user_name", "username"),
    "one letter of a long word": keys("destination_account", "destinatoin_account", "destinaton_account"),
    "a contract": Contract.one(Contact),
    "in an inner object": Case(obj({"a": keys("msg", "message")}), at=("/properties/a/properties/message",)),
    "source and destination, each twice": Case(
        keys("src", "dst", "source", "destination"), at=("/properties/source", "/properties/destination")
    ),
}
QUIET: dict[str, Any] = {
    "ends of one stretch": keys("start", "stop", "min_x", "max_x", "start_index", "end_index"),
    "coordinates": keys("x", "y", "z", "x1", "x2", "y1", "y2"),
    "a numbered set": keys("address1", "address2", "line_1", "line_2", "a1", "a2"),
    "words that are near and mean other things": keys("from", "form", "to", "type", "title", "tile"),
    "opposites": keys("include_domains", "exclude_domains", "latitude", "longitude", "upload", "download"),
    "what was done and what to do": keys("start", "started", "limit", "limited"),
    "one name in two objects": obj({"a": keys("cmd"), "b": keys("command")}),
    "a part of a longer name": keys("user", "user_id", "user_name", "name"),
    "source and destination": keys("src", "dst"),
}
