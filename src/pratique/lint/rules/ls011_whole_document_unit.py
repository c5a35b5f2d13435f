"""LS011: a list of objects is read as one document."""

from __future__ import annotations

from collections.abc import Iterator

from pratique.lint.items import main_lists
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Subject
from pratique.terms.terms import Locality

__all__ = ["RULE"]


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Look at types, schemas and contracts of one unit.

    A contract of items reads them one by one, and a batch says that they stand or fall together; a tool's call is one
    unit, which the model can make again.
    """
    if subject.terms is not None and subject.terms.locality is not Locality.ONE:
        return
    for items in main_lists(subject):
        most = None if items.listing is None else items.listing.max_items
        if most is not None and most <= settings.thresholds.max_joint_items:
            continue
        all_of = "all of them" if most is None else f"all {most}"
        message = f"the objects at {items.path} are read as one document: one that is broken costs {all_of}"
        yield Remark(items.part, items.place, message, _help(subject, items.path))


def _help(subject: Subject, path: str) -> str:
    keys = path.removeprefix("$").removesuffix("[]").removeprefix(".")
    at = f', at="{keys}"' if keys and "." not in keys else ""
    made = f"Contract.from_json_schema(schema{at})" if subject.kind is Kind.SCHEMA else f"Contract.items(Item{at})"
    return f"read the items one by one, {made}; or say Contract.batch where they stand or fall together"


_HEAD = """\
from pydantic import BaseModel
from pratique import Contract

class Recommendation(BaseModel):
    rank: int
    why: str
"""

RULE = Rule(
    code="LS011",
    name="whole-document-unit",
    level=Level.WARN,
    title="a list of objects is read as one document",
    why="The list fails as a whole: one missing comma, one wrong value or a reply that is cut off throws away every "
    "sound item before it.",
    help='read the items one by one, Contract.items(Item, at="items"); or ask for one object a line (NDJSON)',
    evidence=(
        "source 004, principle 2: one bad recommendation must cost one recommendation; one delimiter cost a whole run",
        "asked for since 2019: pydantic #402 and #8222, instructor #602, json_repair #179, vercel/ai #2265",
    ),
    bad=_HEAD + "\ntarget = list[Recommendation]\n",
    good=_HEAD + "\ntarget = Contract.items(Recommendation)\n",
    check=_check,
    judgement="How many items may be lost together, and that the items of a list stand for themselves: lines of an "
    "invoice may not.",
)
