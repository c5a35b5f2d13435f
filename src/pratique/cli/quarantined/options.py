"""The options that several commands of ``pratique quarantine`` share.

Import weight: cyclopts alone, so that a help page does not wait for the room.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Literal, TypeAlias

from cyclopts import Parameter

__all__ = [
    "All",
    "At",
    "Author",
    "ContractName",
    "Db",
    "Filters",
    "Group",
    "Ids",
    "Json",
    "NoColor",
    "Note",
    "One",
    "References",
    "Schema",
    "StatusName",
    "Target",
]

StatusName: TypeAlias = Literal["open", "snoozed", "admitted", "discarded", "all"]

One: TypeAlias = Annotated[
    str,
    Parameter(name="ID", help="A record; the beginning of its id is enough when no other begins so."),
]
Ids: TypeAlias = Annotated[
    list[str] | None,
    Parameter(name="ID", help="A record; the beginning of its id is enough when no other begins so. May be several."),
]
Group: TypeAlias = Annotated[
    str | None,
    Parameter(metavar="GROUP", help="All records of a group; the beginning of its id is enough."),
]
Db: TypeAlias = Annotated[
    str | None,
    Parameter(
        metavar="PATH",
        env_var="PRATIQUE_QUARANTINE",
        help="The quarantine file. Default: PRATIQUE_QUARANTINE, else ./quarantine.db when it exists.",
    ),
]
Json: TypeAlias = Annotated[bool, Parameter(name="--json", negative="", help="Print one JSON object, for machines.")]
NoColor: TypeAlias = Annotated[
    bool,
    Parameter(
        negative="",
        help="Print without colour. NO_COLOR and FORCE_COLOR are respected; what is not a terminal gets none.",
    ),
]
ContractName: TypeAlias = Annotated[
    str | None,
    Parameter(
        metavar="MODULE:NAME",
        help="The contract to judge against. The current directory is searched after the installed modules.",
    ),
]
Schema: TypeAlias = Annotated[
    str | None,
    Parameter(metavar="FILE", help="A JSON Schema (draft 04 to 2020-12) in place of a contract."),
]
At: TypeAlias = Annotated[
    str,
    Parameter(metavar="NAME", help="With --schema: key or JSON Pointer of the list of units."),
]
Target: TypeAlias = Annotated[
    str | None,
    Parameter(metavar="TARGET", help="The records are in the shape that pratique compile --target TARGET asked for."),
]
References: TypeAlias = Annotated[
    list[str] | None,
    Parameter(
        metavar="NAME=FILE",
        negative="",
        help="The allow-list of one reference, as it is today: one id a line, or a JSON list. May come several times.",
    ),
]
Author: TypeAlias = Annotated[
    str | None,
    Parameter(metavar="NAME", help="Who decides; kept with the decision. Default: the name you are logged in with."),
]
Note: TypeAlias = Annotated[str, Parameter(metavar="TEXT", help="Kept with it, for whoever asks later.")]
All: TypeAlias = Annotated[
    StatusName,
    Parameter(metavar="STATUS", help="open (the default), snoozed, admitted, discarded, or all."),
]


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Say which records are meant: all that is told must fit."""

    group: Group = None
    reason: Annotated[
        str | None,
        Parameter(metavar="REASON", help="Why it was refused: schema, malformed, truncated, allow_list, …"),
    ] = None
    contract_name: Annotated[str | None, Parameter(metavar="NAME", help="The contract that refused it.")] = None
    contract_version: Annotated[str | None, Parameter(metavar="VERSION", help="The version of that contract.")] = None
    producer: Annotated[str | None, Parameter(metavar="WHO", help="model, agent or person.")] = None
    model: Annotated[str | None, Parameter(metavar="NAME", help="The model that wrote it.")] = None
    run_id: Annotated[str | None, Parameter(metavar="ID", help="The run in which it came.")] = None
    delivery: Annotated[str | None, Parameter(metavar="ID", help="The delivery in which it came.")] = None
    since: Annotated[
        str | None,
        Parameter(metavar="TIME", help="Kept then or later: 7d, 12h, 30m ago, or a date or time as 2026-01-31, UTC."),
    ] = None
    until: Annotated[str | None, Parameter(metavar="TIME", help="Kept before then, written like --since.")] = None
    text: Annotated[
        str | None,
        Parameter(metavar="TEXT", help="Stands in its raw text or in its first message; letter case counts."),
    ] = None

    @property
    def words(self) -> tuple[str, ...]:
        """The options that say so on a command line."""
        told = ((name, said) for name, said in asdict(self).items() if said is not None)
        return tuple(word for name, said in told for word in ("--" + name.replace("_", "-"), said))
