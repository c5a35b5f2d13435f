"""Laws that hold for every admission, whatever was delivered; each returns what breaks it, in words."""

from __future__ import annotations

import re
from typing import Any

from pratique import Admission, Effect, Finding, Status
from pratique.errors import in_order

__all__ = ["account_breaks", "broken_laws", "loss_breaks", "message_breaks", "order_breaks"]

OWNERS = {"envelope", "unit", "quarantined", "separator", "unclaimed"}
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def account_breaks(admission: Admission[Any]) -> list[str]:
    """Check that every character is claimed once, by somebody who exists, and that the counts add up."""
    body = admission.delivery.body
    breaks = []
    at = 0
    for claim in admission.account():
        if claim.span.start != at or claim.span.end <= claim.span.start:
            breaks.append(f"claim {claim} does not follow {at}")
        if claim.owner not in OWNERS:
            breaks.append(f"claim {claim} has an unknown owner")
        at = claim.span.end
    if at != len(body):
        breaks.append(f"claims end at {at} of {len(body)}")
    unclaimed = [claim.span for claim in admission.account() if claim.owner == "unclaimed"]
    if [stretch.span for stretch in admission.unclaimed] != unclaimed:
        breaks.append(f"unclaimed {[s.span for s in admission.unclaimed]} are not the unclaimed claims {unclaimed}")
    for stretch in admission.unclaimed:
        if stretch.text != body[stretch.span.start : stretch.span.end]:
            breaks.append(f"unclaimed text at {stretch.span} is not the body's")
    counts = admission.counts
    if counts["admitted"] + counts["quarantined"] != counts["seen"]:
        breaks.append(f"counts do not add up: {dict(counts)}")
    if len(admission.units) != len(admission.values) or counts["admitted"] != len(admission.values):
        breaks.append(f"{len(admission.units)} units, {len(admission.values)} values, counts {dict(counts)}")
    if len(admission.quarantined) + counts["not_kept"] != counts["quarantined"]:
        breaks.append(f"{len(admission.quarantined)} in quarantine, counts {dict(counts)}")
    held = [("unit", unit.index, unit.span, unit.raw) for unit in admission.units]
    held += [("quarantined", unit.index, unit.span, unit.raw) for unit in admission.quarantined]
    for _, index, span, raw in held:
        if raw != body[span.start : span.end]:
            breaks.append(f"raw of unit {index} is not body[{span.start}:{span.end}]")
    indices = [index for _, index, _, _ in held]
    if len(indices) != len(set(indices)):
        breaks.append(f"indices come twice: {indices}")
    claimed = {claim.unit: claim for claim in admission.account() if claim.owner in ("unit", "quarantined")}
    for owner, index, span, _ in held:
        if index in claimed and (claimed[index].owner != owner or claimed[index].span.start < span.start):
            breaks.append(f"unit {index} at {span} is claimed as {claimed[index]}")
    return breaks


def loss_breaks(admission: Admission[Any]) -> list[str]:
    """Check that every loss has a finding, and that status and flags say so."""
    breaks = []
    for unit in admission.quarantined:
        if not any(finding.effect is Effect.REFUSE for finding in unit.findings):
            breaks.append(f"quarantined unit {unit.index} has no refusing finding")
    status, refusing = admission.status, admission.refusing_findings
    lost_some = admission.counts["quarantined"] > 0 or admission.truncated
    if status in (Status.CLEAN, Status.EMPTY) and (lost_some or refusing):
        breaks.append(f"status {status} with losses: {[str(finding) for finding in refusing]}")
    if status in (Status.PARTIAL, Status.LOST) and not refusing:
        breaks.append(f"status {status} without a refusing finding")
    if status is Status.LOST and admission.values:
        breaks.append("status lost with values")
    if admission.truncated and status not in (Status.PARTIAL, Status.LOST, Status.REFUSED):
        breaks.append(f"truncated, but status {status}")
    if admission.review_required is not (status in (Status.PARTIAL, Status.LOST)):
        breaks.append(f"review_required is {admission.review_required} at status {status}")
    return breaks


def order_breaks(admission: Admission[Any]) -> list[str]:
    """Check that findings come in the order of their place, then their code."""
    groups: list[tuple[str, tuple[Finding, ...]]] = [("delivery", admission.findings)]
    groups += [(f"unit {unit.index}", unit.findings) for unit in admission.units]
    groups += [(f"quarantined {unit.index}", unit.findings) for unit in admission.quarantined]
    breaks = [f"findings of {whose} are out of order" for whose, found in groups if found != in_order(found)]
    indices = [unit.index for unit in admission.quarantined]
    if indices != sorted(indices):
        breaks.append(f"quarantined units out of order: {indices}")
    length = len(admission.delivery.body)
    for whose, found in groups:
        for finding in found:
            if finding.span is not None and not 0 <= finding.span.start <= finding.span.end <= length:
                breaks.append(f"a finding of {whose} has the span {finding.span} in a text of {length}")
    return breaks


def message_breaks(admission: Admission[Any]) -> list[str]:
    """Check that no message, path or help holds a character that a terminal or a reader obeys."""
    breaks = []
    for finding in admission.all_findings:
        for name, text in (("message", finding.message), ("path", finding.path), ("help", finding.help)):
            found = _CONTROL.search(text)
            if found is not None:
                breaks.append(f"{name} of {finding.code} holds {found[0]!r}")
            if len(text) > 2_000:
                breaks.append(f"{name} of {finding.code} has {len(text)} characters")
    return breaks


def broken_laws(admission: Admission[Any]) -> list[str]:
    """Check all of them."""
    return [
        *account_breaks(admission),
        *loss_breaks(admission),
        *order_breaks(admission),
        *message_breaks(admission),
    ]
