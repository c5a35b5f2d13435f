"""LS057: two keys of one object are nearly the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pratique.lint.names import words_of
from pratique.lint.nearness import near_pairs
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Subject
from pratique.lint.view import Field, View
from pratique.show import show

__all__ = ["RULE"]

MAX_DESCRIBED_CHARS = 4_000
"""Characters of one description that are read."""

_DEPRECATED = re.compile(r"(?<!not )\bdeprecated\b", re.IGNORECASE)

_SPELLED_OUT = {
    "addr": "address", "arg": "argument", "args": "arguments", "attr": "attribute", "attrs": "attributes",
    "auth": "authentication", "cfg": "configuration", "cmd": "command", "cmds": "commands", "col": "column",
    "cols": "columns", "conf": "configuration", "config": "configuration", "ctx": "context", "desc": "description",
    "dest": "destination", "dir": "directory", "dst": "destination", "env": "environment", "err": "error",
    "exec": "execute", "ext": "extension", "fmt": "format", "fn": "function", "func": "function", "idx": "index",
    "img": "image", "info": "information", "lang": "language", "len": "length", "loc": "location", "msg": "message",
    "msgs": "messages", "num": "number", "opt": "option", "opts": "options", "org": "organization",
    "param": "parameter", "params": "parameters", "pkg": "package", "proc": "process", "prop": "property",
    "props": "properties", "pwd": "password", "qty": "quantity", "ref": "reference", "refs": "references",
    "repo": "repository", "repos": "repositories", "res": "result", "src": "source", "str": "string",
    "tbl": "table", "txt": "text", "usr": "user", "val": "value", "vals": "values", "var": "variable",
    "vars": "variables", "ws": "workspace",
}  # fmt: skip


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    for part in subject.parts:
        for spot in part.view.records:
            fields = {field.name: field for field in part.view.fields_of(spot)}
            for one, other in _pairs(list(fields), settings.thresholds.min_chars_alike):
                told = f"{show(other)} is nearly {show(one)}, in one object"
                if any(_is_kept_for_old(part.view, fields[name]) for name in (one, other)):
                    yield Remark(
                        part, fields[other].place, told, "take out the old one when nobody sends it", Level.INFO
                    )
                else:
                    yield Remark(part, fields[other].place, told)


def _is_kept_for_old(view: View, field: Field) -> bool:
    """Say whether a key is marked as one that nobody should write."""
    said = view.said(field.place).get("deprecated") is True
    return said or _DEPRECATED.search(view.described(field)[:MAX_DESCRIBED_CHARS]) is not None


def _pairs(names: Sequence[str], min_chars_alike: int) -> Iterator[tuple[str, str]]:
    """Yield the pairs of names that are the same when abbreviations are spelled out, or nearly the same."""
    spelled: dict[str, str] = {}
    found: dict[tuple[str, str], None] = {}
    for name in names:
        full = " ".join(_SPELLED_OUT.get(word, word) for word in words_of(name))
        if full in spelled:
            found.setdefault((spelled[full], name))
        elif full:
            spelled[full] = name
    near = near_pairs(list(spelled), min_chars_alike)
    plural = [(one, f"{one}s") for one in spelled if len(one) > 1 and f"{one}s" in spelled]  # id and ids, too
    near += [pair for pair in plural if pair[::-1] not in near]
    found.update(dict.fromkeys((spelled[one], spelled[other]) for one, other in near if not _is_state(one, other)))
    yield from found


def _is_state(one: str, other: str) -> bool:
    """Say whether one is what has become of the other: ``start`` and ``started``."""
    return any(
        mine != its and its.removesuffix("ed") in (mine, mine.removesuffix("e"))
        for pair in ((one, other), (other, one))
        for mine, its in zip(*(name.split() for name in pair), strict=False)
    )


RULE = Rule(
    code="LS057",
    name="confusable-names",
    level=Level.WARN,
    title="two keys of one object are nearly the same",
    why="A model takes the one for the other, and the value is sound at the wrong key.",
    help="keep one of them, or give the other a name that says what is different",
    evidence=(
        "openclaw issue 20229: cmd taken for command",
        "cline issues 12047 and 13336: the whole command under one key, and no args",
    ),
    bad={
        "type": "object",
        "properties": {"cmd": {"type": "string"}, "command": {"type": "string"}},
        "required": ["cmd", "command"],
        "additionalProperties": False,
    },
    good={
        "type": "object",
        "properties": {"program": {"type": "string"}, "command_line": {"type": "string"}},
        "required": ["program", "command_line"],
        "additionalProperties": False,
    },
    check=_check,
    judgement="What is nearly the same: letters' case, a separator, one or several, an abbreviation, one letter of a "
    "long word. Where one is marked as deprecated, it is only worth knowing.",
)
