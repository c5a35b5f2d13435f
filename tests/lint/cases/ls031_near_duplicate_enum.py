"""LS031: values that are nearly the same, and values that only look so."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from lint.case import Case, obj, tool
from pratique.lint.rule import Level


def listing(*values: Any) -> Any:
    """Make an object with one list of values."""
    return obj({"a": {"enum": list(values)}})


class Ticket(BaseModel):
    """A state that was renamed, and both names stayed."""

    state: Literal["open", "in_progress", "in-progress", "done"]


FIRES: dict[str, Any] = {
    "another case": Case(listing("open", "closed", "Closed"), at=("/properties/a",), level=Level.WARN),
    "both cases of every value": listing("asc", "desc", "ASC", "DESC"),
    "one and several": listing("day", "days", "week", "weeks"),
    "one and several of a word in y": listing("category", "categories"),
    "a plural in es": listing("box", "status", "boxes"),
    "the last of two words is several": listing("pull_request", "pull_requests"),
    "another separator, in a type": Case(Ticket, at=("/properties/state",)),
    "a separator and none": listing("in progress", "inProgress"),
    "an action and its state": listing("close", "closed", "reopen"),
    "two spellings": listing("canceled", "cancelled"),
    "two spellings with u": listing("color", "colour"),
    "two spellings with z": listing("organize", "organise"),
    "two spellings of a colour": listing("gray", "grey", "white"),
    "one letter of a long word": listing("separator", "seperator"),
    "one letter more in a long word": listing("recommend", "recommmend"),
    "one letter less, in the other order": listing("recommmend", "recommend"),
    "constants of a union, in a tool": [tool(obj({"a": {"anyOf": [{"const": "user"}, {"const": "Users"}]}}))],
    "only the near pair of many": Case(
        listing(*(f"w{index}" for index in range(50)), "alpha", "Alpha"), at=("/properties/a",)
    ),
    "a bound of the caller's own counts": Case(listing("county", "country"), {"min_chars_alike": 6}),
}
QUIET: dict[str, Any] = {
    "codes of languages": listing("en", "es", "et", "el", "de", "da"),
    "numbers": listing(1, 2, 10, 11),
    "numbers as texts": listing("1", "2", "10", "11", "1.0"),
    "units": listing("m", "mm", "cm", "km", "Mm", "M", "mb", "Mb", "MB", "mHz", "MHz"),
    "codes of states": listing("BC", "BCS", "MO", "MOS"),
    "genotypes": listing("AA", "Aa", "aa"),
    "versions": listing("v1", "v2", "v10", "v1.0", "1.0", "gpt-4-1", "gpt-41"),
    "orders": listing("asc", "desc"),
    "a sign makes another value": listing("date", "-date", "name", "-name"),
    "signs alone": listing("+1", "-1", "<", "<=", ">", ">=", "=", "=="),
    "grades and blood groups": listing("A", "A+", "A-", "B", "B+", "AB", "AB+"),
    "languages with signs": listing("c", "c++", "c#", "objective-c"),
    "protocols over TLS": listing("http", "https", "ftp", "ftps", "ldap", "ldaps", "ws", "wss", "imap", "imaps"),
    "opposites": listing("include", "exclude", "import", "export", "inner", "outer", "valid", "invalid"),
    "an a in front is an opposite": listing("synchronous", "asynchronous", "sync", "async", "symmetric", "asymmetric"),
    "short words that differ in one letter": listing("light", "right", "night", "county", "country", "form", "from"),
    "names of countries": listing("Ireland", "Iceland", "Gambia", "Zambia", "Austria", "Australia", "Iran", "Iraq"),
    "points of the compass": listing("northeast", "northwest", "southeast", "southwest"),
    "sizes in bytes": listing("megabytes", "mebibytes", "gigabytes", "gibibytes", "terabytes", "petabytes"),
    "regions": listing("us-east-1", "us-east-2", "us-west-1", "us-west-2"),
    "how many of a unit": listing("1 day", "7 days", "30 days"),
    "axes and sides": listing("rotate-x", "rotate-y", "rotate-z", "side-a", "side-b"),
    "media types": listing("text/csv", "text/css", "application/json", "application/ld+json"),
    "words in ss, us and is": listing("pass", "pas", "status", "statu", "basis", "basi"),
    "values that are no texts": listing(True, False, 1.5, None),
    "one list for each field": obj({"a": {"enum": ["day", "week"]}, "b": {"enum": ["days", "weeks"]}}),
    "prefixes": listing("hypotension", "hypertension", "increment", "decrement", "encrypted", "decrypted"),
}
