"""Write kept records as a pytest file: a delivery that went wrong once becomes a test that it still does.

The file is self-contained: the deliveries stand in it, as escaped literals, and it imports the contract.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from pratique.errors import Misuse
from pratique.quarantine.record import Detail, KeptDelivery
from pratique.show import show

__all__ = ["pytest_case"]

_TARGET = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")

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
    admission = CONTRACT.admit(DELIVERIES[delivery], references=REFERENCES)
    if index is None:
        assert not admission.quarantined
        found = admission.refusing_findings
        assert admission.status not in ("clean", "empty")
    else:
        unit = next(unit for unit in admission.quarantined if unit.index == index)
        assert unit.reason == reason
        found = unit.findings
    assert not found or code in [finding.code for finding in found]'''


def pytest_case(
    details: Iterable[Detail], *, contract: str | None, references: Mapping[str, Iterable[str]] | None
) -> Iterator[str]:
    """Return the lines of a test file.

    Errors: Misuse without a contract, or when no record has a delivery that was kept whole.
    """
    if contract is None or not _TARGET.fullmatch(contract):
        raise Misuse(
            f"a pytest file needs the contract's name, not {show(contract)}",
            remedy='say contract="app.contracts:triage"',
        )
    deliveries: dict[str, KeptDelivery] = {}
    units: list[str] = []
    without: list[str] = []
    for detail in details:
        record = detail.record
        if not detail.delivery.whole:
            without.append(f"# {record.id} is left out: only the head of its delivery was kept")
            continue
        deliveries[detail.delivery.id] = detail.delivery
        units.append(
            f"    {record.id!r}: ({detail.delivery.id!r}, {record.index!r}, {record.reason!r}, {record.code!a}),"
        )
    if not units:
        raise Misuse("no record that is meant has a delivery that was kept whole", remedy="name other records")
    module, _, name = contract.partition(":")
    lists = {one: sorted(names) for one, names in (references or {}).items()}
    head = _HEAD.format(name=name, module=module, references=ascii(lists) if lists else "None")
    kept = [line for delivery in deliveries.values() for line in _delivery(delivery)]
    text = "\n".join([head, "DELIVERIES = {", *kept, "}", "UNITS = {", *units, "}", *without, _TAIL])
    return iter(text.split("\n"))


def _delivery(kept: KeptDelivery) -> Iterator[str]:
    """Write one delivery; ``ascii`` escapes whatever could end the literal or hide in it."""
    calls = "".join(f"ToolCall({call.name!a}, {call.arguments!a}, {call.id!a}), " for call in kept.tool_calls)
    yield f"    {kept.id!r}: Delivery("
    yield f"        text={kept.text!a},"
    yield f"        tool_calls=({calls}),"
    yield f"        finish_reason={kept.finish_reason!a},"
    yield f"        producer={kept.producer.value!r},"
    yield "    ),"
