"""Three contracts for the seven tasks of the field report: each holds what its prompt says, and no more.

Small models were asked for seven ranked recommendations in seven ways (``docs/field-report.md``). Three
prompts say in words what an item is: ``examples.portfolio`` judges those. Two more kinds need their own:

- ``shown``: the prompt only shows an example. It names no list of actions and no scale for ``confidence``,
  so neither is held against the reply; ranks are 1 to 7, since seven were asked for.
- ``wrapped``: the prompt wants an object, and can be read so that ``summary`` belongs to each item as well
  as to the whole. Both readings pass.

``careful`` is ``shown`` and ``stated`` with two checks on what an item says, as a person who read the
replies would write them afterwards: it may not be the prompt's own example, and its title may not be
the name of another workstream.

    $ pratique check reply.txt --contract examples.field.contracts:shown --finish-reason stop
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import BaseModel, Field

from examples.portfolio import WORKSTREAMS, Envelope, Recommendation, portfolio
from pratique import Contract, Finding, Limits, Reference, refuse

__all__ = ["CAREFUL", "CONTRACTS", "NAMES", "careful", "shown", "stated", "wrapped"]


class Shown(BaseModel):
    """One recommendation, as far as an example tells."""

    rank: Annotated[int, Field(ge=1, le=7)]
    workstream_id: Annotated[str, Reference("workstream")]
    action: Annotated[str, Field(min_length=1, max_length=200)]
    title: Annotated[str, Field(min_length=1, max_length=200)]
    rationale: Annotated[str, Field(min_length=1, max_length=1_000)]
    confidence: float


class Summarised(Recommendation):
    """One recommendation of the wrapper task, with the summary that its prompt may be read to ask for."""

    summary: Annotated[str, Field(max_length=2_000)] | None = None


def _items(unit: Any, name: str, **terms: Any) -> Contract[Any]:
    return Contract.items(unit, name=name, limits=Limits(max_items=7), unique=("rank",), order_by="rank", **terms)


stated = portfolio
shown = _items(Shown, "shown")
wrapped = _items(Summarised, "wrapped", at="recommendations", envelope=Envelope)

CONTRACTS: Mapping[str, Contract[Any]] = MappingProxyType(
    {
        "array_plain": stated,
        "array_strict": stated,
        "ndjson": stated,
        "wrapper": wrapped,
        "array_example": shown,
        "ndjson_example": shown,
        "array_fewshot": shown,
        "ndjson_fewshot": shown,
    }
)
"""The contract of each task."""

# ------------------------------------------------------------------ what a person would add afterwards

NAMES: Mapping[str, str] = MappingProxyType(
    dict(
        zip(
            (name for names in WORKSTREAMS.values() for name in names),
            (
                "Billing migration", "Mobile onboarding", "Data warehouse", "SSO rollout",
                "Search relevance", "Incident tooling", "Partner API", "Docs refresh",
                'Warehouse robotics "pick-2"', "Cold-chain sensors", "Returns portal", "Customs automation",
                "Driver app", "Carbon reporting", "Dock scheduling",
                "Wind siting study", "Grid interconnect", "Community outreach", "Turbine procurement",
                "Battery pilot", "Permitting", "Finance close",
            ),
            strict=True,
        )
    )
)  # fmt: skip
"""What each workstream is called in the prompts."""

EXAMPLES = frozenset(
    {
        "Hire a second reviewer",
        "Stop the payroll cut-over",
        "Give badge vendor calls to Ana",
        "Watch HR portal adoption",
    }
)
"""The titles of the items that the prompts show."""


def is_no_example(item: Recommendation | Shown) -> Iterator[Finding]:
    """Refuse an item that has the title of the prompt's example."""
    if item.title in EXAMPLES:
        yield refuse("the title is that of the prompt's example", path="title", help="say what is to be done here")


def names_one_workstream(item: Recommendation | Shown) -> Iterable[Finding]:
    """Refuse an item that is called like another workstream than the one it names."""
    others = {name for key, name in NAMES.items() if key != item.workstream_id}
    for field, text in (("title", item.title), ("action", item.action)):
        if text.casefold() in {name.casefold() for name in others}:
            yield refuse(f"the {field} is the name of another workstream", path=field, help="name one workstream")


def careful(contract: Contract[Any]) -> Contract[Any]:
    """Return ``stated`` or ``shown`` with the two checks."""
    checks = [is_no_example, names_one_workstream]
    if contract is shown:
        return _items(Shown, "shown-careful", checks=checks)
    unit = Summarised if contract is wrapped else Recommendation
    return _items(unit, f"{contract.name}-careful", at="recommendations", envelope=Envelope, checks=checks)


CAREFUL: Mapping[str, Contract[Any]] = MappingProxyType(
    {task: careful(contract) for task, contract in CONTRACTS.items()}
)
"""The contract of each task, with the two checks."""
