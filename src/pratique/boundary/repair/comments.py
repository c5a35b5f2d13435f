"""Comments and ellipses: delete what is no JSON and holds no value.

A comment may quote an older unit; deleting it is what its writer meant. An ellipsis is deleted too, but it
says that something was left out, so the unit keeps the finding ``scan.elided`` and is never clean.
"""

from __future__ import annotations

from pratique.boundary.grammar import RE_COMMENT, RE_ELLIPSIS
from pratique.boundary.repair.edit import EditKind, Replacement
from pratique.errors import Code

__all__ = ["COMMENT_DELETED", "ELLIPSIS_DELETED"]


def _comment(text: str, at: int, next_key: object) -> Replacement | None:  # noqa: ARG001  # every edit has this shape
    found = RE_COMMENT.match(text, at)
    return Replacement("repair.comment_deleted", at, found.end(), "", found.end()) if found else None


def _ellipsis(text: str, at: int, next_key: object) -> Replacement | None:  # noqa: ARG001  # every edit has this shape
    found = RE_ELLIPSIS.match(text, at)
    return Replacement("repair.ellipsis_deleted", at, found.end(), "", found.end()) if found else None


COMMENT_DELETED = EditKind(
    Code(
        "repair.comment_deleted", "a comment was deleted",
        "JSON has no comments; no value stands in one.", "nothing to do",
        '{"rank": 1 /* top */, "why": "x"}', '{"rank": 1, "why": "see /* here */"}',
    ),
    on=True, sites="/#", apply=_comment,
)  # fmt: skip

ELLIPSIS_DELETED = EditKind(
    Code(
        "repair.ellipsis_deleted", "an ellipsis between members was deleted",
        "It holds no value; that something may be left out is told by scan.elided.", "ask for all members",
        '{"rank": 1, "why": "x", ...}', '{"rank": 1, "why": "and so on ..."}',
    ),
    on=True, sites=".…", apply=_ellipsis,
)  # fmt: skip
