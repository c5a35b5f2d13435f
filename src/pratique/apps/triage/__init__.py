"""The daily triage report: a ranked list of recommendations, judged item by item."""

from pratique.apps.triage.contract import (
    ACTIONS,
    SCALE,
    Recommendation,
    RrOe,
    TriageSummary,
    Wsjf,
    triage,
    triage_contract,
    wsjf_score,
)

__all__ = [
    "ACTIONS",
    "SCALE",
    "Recommendation",
    "RrOe",
    "TriageSummary",
    "Wsjf",
    "triage",
    "triage_contract",
    "wsjf_score",
]
