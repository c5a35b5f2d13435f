"""Write kept records as a pytest file: a delivery that went wrong once becomes a test that it still does.

The file is self-contained: the deliveries stand in it, as escaped literals, and it imports the contract.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from keyword import iskeyword
from operator import attrgetter

from pratique.contract import Contract, allow_lists
from pratique.errors import Misuse, Reason
from pratique.quarantine.record import Detail, KeptDelivery
from pratique.show import show

__all__ = ["pytest_case"]

_HEAD = '''"""Deliveries that were quarantined, and why. Written by ``pratique quarantine export``; edit it freely."""

from importlib import import_module
from operator import attrgetter

import pytest

from pratique import Delivery, ToolCall  # noqa: F401  # not every delivery has calls

CONTRACT = attrgetter({name!r})(import_module({module!r}))
REFERENCES = {references}
'''
_TAIL = '''

@pytest.mark.parametrize(("delivery", "index", "reason", "code"), UNITS.values(), ids=UNITS)
def test_the_unit_is_refused_as_it_was(delivery, index, reason, code):
    """A change of the contract that admits it, or refuses it for another reason, is seen."""
    missing = CONTRACT.terms.declared_references - (REFERENCES or {}).keys()
    assert not missing, f"REFERENCES has no allow-list for {sorted(missing)}"
    admission = CONTRACT.admit(DELIVERIES[delivery], references=REFERENCES)
    if index is None:
        assert not admission.quarantined
        found = admission.refusing_findings
        assert admission.status not in ("clean", "empty")
    else:
        unit = next((unit for unit in admission.quarantined if unit.index == index), None)
        assert unit is not None, f"unit {index} of {delivery} is admitted today, or the contract sees other units"
        assert unit.reason == reason
        found = unit.findings
    assert not found or code in [finding.code for finding in found]'''


def pytest_case(
    details: Iterable[Detail], *, contract: str | None, references: Mapping[str, Iterable[str]] | None
) -> Iterator[str]:
    """Return the lines of a test file.

    Errors: Misuse without a contract, when an allow-list is missing or is none, or when no record has a delivery
        that was kept whole.
    Not checked: what a contract declares whose module is not imported yet; the file that is written says so.
    """
    module, name = _target(contract)
    lists = _lists(module, name, references)
    deliveries: dict[str, KeptDelivery] = {}
    units: list[str] = []
    without: list[str] = []
    for detail in details:
        record = detail.record
        if not detail.delivery.whole:
            without.append(f"# {record.id} is left out: only the head of its delivery was kept")
            continue
        if record.reason == Reason.ALLOW_LIST and not lists:
            raise _no_list(f"{record.id} was refused for a name, and no allow-list came", "NAME")
        deliveries[detail.delivery.id] = detail.delivery
        units.append(
            f"    {record.id!r}: ({detail.delivery.id!r}, {record.index!r}, {record.reason!r}, {record.code!a}),"
        )
    if not units:
        raise Misuse("no record that is meant has a delivery that was kept whole", remedy="name other records")
    head = _HEAD.format(name=name, module=module, references=ascii(lists) if lists else "None")
    kept = [line for delivery in deliveries.values() for line in _delivery(delivery)]
    text = "\n".join([head, "DELIVERIES = {", *kept, "}", "UNITS = {", *units, "}", *without, _TAIL])
    return iter(text.split("\n"))


def _target(contract: str | None) -> tuple[str, str]:
    """Return the module and the name; they become code, so each part must be a name of Python."""
    module, colon, name = contract.partition(":") if isinstance(contract, str) else ("", "", "")
    parts = (*module.split("."), *name.split("."))
    if not colon or not all(part.isidentifier() and not iskeyword(part) for part in parts):
        raise Misuse(
            f"a pytest file needs the contract's name, not {show(contract)}",
            remedy='say contract="app.contracts:triage"',
        )
    return module, name


def _lists(module: str, name: str, references: Mapping[str, Iterable[str]] | None) -> dict[str, list[str]]:
    """Read the allow-lists, against what the contract declares when its module is here; it is not imported for it."""
    for one, names in (references or {}).items():
        if isinstance(names, (str, bytes)):
            raise _no_list(f"the allow-list of {show(one)} is a text, not a list of names", one)
    known = {one: frozenset(names) for one, names in (references or {}).items()}
    try:
        found = attrgetter(name)(sys.modules[module])
    except (KeyError, AttributeError):
        found = None
    if isinstance(found, Contract):
        allow_lists(found.terms, known)
        for missing in sorted(found.terms.declared_references - known.keys()):
            told = f"the contract {show(found.name)} declares a reference {show(missing)}, and no allow-list came"
            raise _no_list(told, missing)
    return {one: sorted(names) for one, names in known.items()}


def _no_list(told: str, name: str) -> Misuse:
    return Misuse(told, remedy=f"give references={{{name!r}: [...]}}, the names that exist")


def _delivery(kept: KeptDelivery) -> Iterator[str]:
    """Write one delivery; ``ascii`` escapes whatever could end the literal or hide in it."""
    calls = "".join(f"ToolCall({call.name!a}, {call.arguments!a}, {call.id!a}), " for call in kept.tool_calls)
    yield f"    {kept.id!r}: Delivery("
    yield f"        text={kept.text!a},"
    yield f"        tool_calls=({calls}),"
    yield f"        finish_reason={kept.finish_reason!a},"
    yield f"        producer={kept.producer.value!r},"
    yield "    ),"
