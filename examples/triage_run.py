"""Two reconstructions of the run of 2026-06-26: the daily report that one lost delimiter threw away.

Known of that run: sixteen workstreams, one pretty-printed recommendation each; the validator said
``Expecting ',' delimiter: line 136 column 22 (char 5268)``; the kept preview of 4,000 characters held
seven whole items; ``max_tokens`` was small enough to cut the reply just there. The raw text itself was
never recovered, so which of the two happened is not known. Here are both, built so that the numbers fit:

- ``lost_comma()``: the comma at character 5268 is lost with its line break, and the text goes on to its end;
- ``cut_off()``: the text ends at character 5268, and the provider says so.

``of_that_day`` is the contract of that day: it asked for one recommendation for each of the sixteen. The cap
of seven, which ``pratique.apps.triage.triage`` has, came afterwards.

All names, texts and estimates are made up. Nothing here is random.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from pratique.apps.triage import triage_contract

__all__ = ["BREAK", "WORKSTREAMS", "Reply", "cut_off", "lost_comma", "of_that_day", "sound_run"]

of_that_day = triage_contract(max_items=16)

BREAK = 5268
"""Where the text breaks, in characters from 0."""

SUMMARY = "Sixteen active workstreams; two are past their date, one needs a person before anything moves."


class _Row(NamedTuple):
    """One recommendation: what that producer wrote, without rank and score."""

    slug: str
    action: str
    confidence: str
    estimate: tuple[int, int, int, int, int]
    """Strategic value, time criticality, risk reduction, opportunity enablement, job size."""
    why: str


# In the order of the score. The texts of ranks 8 and 9 are long: they put the break at the job size of rank 9
# and the eighth item's end behind the preview.
_ROWS = (
    _Row(
        "run-streak", "work-next", "high", (13, 20, 8, 5, 2),
        "Three clean scheduled runs are the gate for everything behind it, and the count still stands"
        " at two. One small fix is all that holds it up, and it has been waiting for a review since "
        "the morning of the second clean run.",
    ),
    _Row(
        "secret-rotation", "needs-human", "high", (8, 20, 13, 1, 2),
        "Two keys expire on Monday. The steps are written down and rehearsed, but rotation touches "
        "the production secrets, so a person has to say yes before anybody starts.",
    ),
    _Row(
        "inbox-dedupe", "work-next", "high", (8, 8, 5, 3, 2),
        "Every retry files the same task again. Eleven doubles came in this week, two of those were "
        "worked on twice, and the fix is half a day.",
    ),
    _Row(
        "schedule-catchup", "work-next", "medium", (8, 13, 8, 2, 3),
        "Two fires went missing without a trace because the schedule has no catch-up window. The next"
        " quiet loss would reset the streak, and nobody would see why.",
    ),
    _Row(
        "hub-sync", "needs-consistency-sync", "medium", (5, 8, 5, 2, 2),
        "The hub shows four workstreams as open that their own files call done. Each report ranks "
        "them again, and each time somebody has to look them up by hand and set them aside again.",
    ),
    _Row(
        "review-queue", "work-next", "medium", (13, 5, 8, 8, 5),
        "Refused items have nowhere to go. Until there is a queue, somebody greps the log every "
        "morning, and on two days this month nobody looked at all.",
    ),
    _Row(
        "sink-idempotence", "work-next", "medium", (5, 5, 8, 1, 3),
        "The sink has no idempotency key, so a replay would emit its tasks twice. That is safe only "
        "as long as the dry run stays switched on, and it is the last thing between us and real "
        "tasks.",
    ),
    _Row(
        "cost-report", "revisit", "low", (8, 3, 5, 2, 3),
        "The monthly numbers disagree with the invoice by a few per cent. The likely cause is that "
        "cached tokens are counted at the full price, but the difference has grown since the price "
        "list changed in April, which that would not explain. Worth another look after the next "
        "invoice, when there are three months to compare, and not before: nobody decides anything by "
        "these numbers yet.",
    ),
    _Row(
        "token-headroom", "work-next", "medium", (5, 5, 5, 2, 3),
        "The reply budget is sized for seven items, and sixteen are asked for, one for each active "
        "workstream. The longer the list, the likelier it is that the reply ends inside an item, and "
        "then the whole report is thrown away, the sound items with it. Either the list gets a cap or"
        " the budget gets room; the cap is the smaller change, and readers stop at seven anyway.",
    ),
    _Row(
        "docs-drift", "park", "medium", (3, 2, 2, 3, 2),
        "Three pages still describe the old report. Nobody was misled so far, and the next release "
        "changes two of them in any case.",
    ),
    _Row(
        "canary-runs", "revisit", "low", (5, 3, 3, 2, 3),
        "Manual runs count as scheduled ones in one chart. The gate itself is right, so this only "
        "confuses.",
    ),
    _Row(
        "model-profile", "split", "medium", (8, 3, 5, 5, 5),
        "Two changes in one: the profile and the prompt. Apart, each can be measured and rolled back.",
    ),
    _Row(
        "archive-notes", "close-out", "high", (2, 1, 1, 1, 2),
        "All tasks are done since May; only the flag is still set.",
    ),
    _Row(
        "graph-view", "park", "low", (5, 1, 1, 5, 5),
        "Nice to have. No reader has asked for it since March, and the table says the same.",
    ),
    _Row(
        "import-legacy", "needs-human", "low", (5, 2, 2, 3, 8),
        "Whether the old notes may be published is a legal question that nobody here can answer.",
    ),
    _Row(
        "rewrite-parser", "park", "medium", (3, 1, 3, 1, 13),
        "Large, and most of what it would bring is there already.",
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reply:
    """A raw reply and what its provider said about how it ended."""

    text: str
    finish_reason: str


def _workstream(slug: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"workstream/{slug}"))


WORKSTREAMS: Mapping[str, str] = MappingProxyType({row.slug: _workstream(row.slug) for row in _ROWS})
"""The identifier of each of the sixteen workstreams, by its short name."""


def _item(rank: int, row: _Row) -> dict[str, Any]:
    """Return one recommendation, its keys in the order in which that producer wrote them."""
    value, time, risk, opportunity, size = row.estimate
    return {
        "rank": rank,
        "candidate": WORKSTREAMS[row.slug],
        "action": row.action,
        "why": row.why,
        "confidence": row.confidence,
        "wsjf": {
            "strategic_value": value,
            "time_criticality": time,
            "risk_reduction": risk,
            "opportunity_enablement": opportunity,
            "job_size": size,
            "score": round((value + time + risk + opportunity) / size, 2),
        },
    }


def sound_run() -> str:
    """Return the report as it was meant: sound JSON, after a line break as many replies begin with."""
    report = {
        "summary": SUMMARY,
        "recommendations": [_item(rank, row) for rank, row in enumerate(_ROWS, start=1)],
    }
    return "\n" + json.dumps(report, indent=2) + "\n"


def lost_comma() -> Reply:
    """Return the report without the comma at ``BREAK`` and the line break after it."""
    text = sound_run()
    assert text[BREAK] == ",", "test_triage_run: the comma stands where the real run broke"
    return Reply(text[:BREAK] + text[BREAK + 1 :].lstrip(), "stop")


def cut_off() -> Reply:
    """Return the report up to ``BREAK``, as a provider that ran out of tokens delivers it."""
    return Reply(sound_run()[:BREAK], "length")
