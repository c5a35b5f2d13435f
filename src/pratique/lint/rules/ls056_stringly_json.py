"""LS056: a string holds JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pratique.dialects.nodes.node import Scalar
from pratique.lint.names import words_of
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Subject
from pratique.lint.view import Field, View
from pratique.lint.vocabulary import bare
from pratique.show import show

__all__ = ["RULE"]

MAX_DESCRIBED_CHARS = 4_000
"""Characters of one description that are read: what a value is stands near its beginning."""

_HOLDS = re.compile(
    r"\b(?:json[- ]?(?:encoded|formatted|seriali[sz]ed|stringified|string|text|array|object|list|dict|map|blob"
    r"|document|payload|literal|representation)s?|(?:stringified|seriali[sz]ed|escaped|valid|raw)\s+json"
    r"|(?:as|in)\s+(?:an?\s+)?(?:valid\s+)?json(?:\s+format)?)\b"
    r"(?!s?[-\s]*(?:files?|paths?|pointers?|keys?|names?|index|urls?|ids?|fields?|lines|rpc|serializable)\b)"
    r"(?!-)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.;!?]\s|\n\s*[-*•]?\s*")
_ABOUT_ANOTHER = re.compile(
    r"\b(?:expression|file(?:name|path)?s?|fetch(?:es)?|if|instead|like|link|never|not|output(?:s|ted)?|parsed?|paths?"
    r"|produces?|quer(?:y|ies)|rather|reads?|respon[sd]\w*|results?|return(?:s|ed|ing)?|saved?|selectors?|stored"
    r"|uri|urls?|when|whether|writes?)\b|\b(?:in|of|inside|within|from|to|into|for)\s+(?:the\s+|an?\s+|this\s+|your\s+)?$",
    re.IGNORECASE,
)
"""Words before it that make the JSON something else than this value."""

_FILES = frozenset({"file", "filename", "package", "path", "tsconfig", "url"})


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Look at texts alone: a value that may also be an object is one that takes JSON as text for old callers."""
    del settings
    for part in subject.parts:
        for field in part.view.fields:
            form = bare(field.node).form
            if isinstance(form, Scalar) and form.kind == "string":
                said = _said_to_hold(field, part.view)
                if said:
                    is_other = said.casefold().startswith("or ")
                    yield Remark(
                        part, field.place, f"{show(field.name)} is a text that holds JSON: {show(said)}",
                        "", Level.WARN if is_other else None,
                    )  # fmt: skip


def _said_to_hold(field: Field, view: View) -> str:
    """Return the words that say that a text holds JSON; empty when none do."""
    for place in (field.place, view.place_of(bare(field.node))):
        if view.said(place).get("contentMediaType") == "application/json":
            return "contentMediaType application/json"
    described = view.described(field)[:MAX_DESCRIBED_CHARS]
    for match in _HOLDS.finditer(described):
        before = _SENTENCE.split(described[: match.start()])[-1]
        if not _ABOUT_ANOTHER.search(before):
            found = re.search(r"\bor (?:an? )?$", before)
            return f"or {match[0]}" if found else match[0]
    words = words_of(field.name)
    if len(words) > 1 and words[-1] == "json" and not described and not _FILES & set(words):
        return field.name
    return ""


RULE = Rule(
    code="LS056",
    name="stringly-json",
    level=Level.ERROR,
    title="a string holds JSON",
    why="Every quote inside has to be escaped, no schema describes what stands in it, and one slip loses all of it. "
    "Models send such values now as text, now as an object, whatever the schema says.",
    help="describe the value itself: an object with its keys, a list with its elements",
    evidence=(
        "nested values sent as text: claude-code issues 87361, 59227, 16018, 26094; opencode 34652; n8n-mcp 605",
        "measured here: 11 of 838 tools of 33 MCP servers ask for JSON in a string, all in 2 of them",
    ),
    bad={
        "type": "object",
        "properties": {"fields": {"type": "string", "description": "JSON string of the fields to update"}},
        "required": ["fields"],
        "additionalProperties": False,
    },
    good={
        "type": "object",
        "properties": {"path": {"type": "string", "description": "Path of the JSON file to update"}},
        "required": ["path"],
        "additionalProperties": False,
    },
    check=_check,
    judgement="Which words say that this very value is JSON; a description may say it in others.",
)
