"""LS041: a description names a parameter, a field or a value that is nowhere in the schema.

Only what a text calls by its kind counts: a parameter, ``use x=1``, ``if `x` is``, a key in JSON, one of the listed
values. In a tool's text a field or a property is mostly one of its answer; the names of other tools, and what is said
beside them, are theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pratique.dialects.nodes.node import Choice, Listing, Loose, Node, Record
from pratique.lint.inscribed import inscribed
from pratique.lint.mentions import MAX_DESCRIBED_CHARS, Run, is_example, runs
from pratique.lint.names import listed, words_of
from pratique.lint.nearness import stem
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Part, Subject
from pratique.lint.vocabulary import bare
from pratique.show import show
from pratique.terms.schema_document import Place

__all__ = ["RULE"]

MAX_NAMES = 100
"""Names of one kind that are looked at in one description."""

_PLAIN = r"(?<![\w.`\"'-])([a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+)(?![\w.(`\"'-])"
"""Two words at least, written as one name: nobody writes so by chance."""
_QUOTED = r"`([A-Za-z_]\w*)`|[\"']([A-Za-z_]+(?:_|[a-z](?=[A-Z]))\w*)[\"']"
_ANY = rf"(?:{_QUOTED}|\"([A-Za-z_]\w*)\"|'([A-Za-z_]\w*)'|{_PLAIN})"
_ARGUMENT = r"(?:parameters?|params?|arguments?|args?)\b"
_OF_TOOL = (re.compile(rf"{_ANY}\s+{_ARGUMENT}"), re.compile(rf"\b{_ARGUMENT}\s+{_ANY}"))
_FIELD = r"(?:fields?|propert(?:y|ies)|parameters?)\b"
_OWN = rf"(?:{_QUOTED}|{_PLAIN})"
_OF_ANSWER = (
    re.compile(rf"{_OWN}\s+{_FIELD}"),
    re.compile(rf"\b{_FIELD}\s+{_OWN}"),
    re.compile(r"\b(?:[Ii]f|[Ww]hen|[Uu]nless)\s+`([A-Za-z_]\w*)`\s+(?:is|are)\b"),
)
_SET = re.compile(
    r"\b(?:[Uu]se|[Ss]et|[Pp]ass|[Ss]pecify|[Pp]rovide)\s+[`\"'(]?([a-z_]\w*)=(?:true|false|True|False|[0-9]|\"\w|'\w)"
)
_BREAK = re.compile(r"[.!?;]\s|\n\s*(?:\n|[-*•]|[0-9]+[.)])")
_OTHERS = re.compile(
    r"\b(no|not|never|without|n't|removed|deprecated|unlike|formerly|former|renamed|replaces|instead|endpoint|https?|"
    r"url|query string|query param\w*|header|command.line|cli|environment|env|sql|api|sdk|function|method|response|"
    r"returns?|returned|output|root|parent|other|another|tools?|each|every|present|ignored by|equation|template|"
    r"upstream|database|table|column)\b|\w\(|<\w|--\w",
    re.I,
)
"""Words that make a name that of something else: of an answer, a command line, another tool."""
_COMMON = frozenset({
    "any", "array", "boolean", "bool", "body", "default", "dict", "false", "float", "input", "int", "integer", "items",
    "json", "list", "none", "null", "number", "object", "optional", "required", "str", "string", "true", "undefined",
})  # fmt: skip
_DEFAULT = re.compile(r"\bdefaults?(?:\s+(?:is|to|value)|:)*\s*[\"'`]([\w-]+)[\"'`]", re.I)


@dataclass(frozen=True, slots=True)
class _Known:
    """What a schema names, and what stands beside it."""

    names: Mapping[str, str]
    """Each field, by its words."""
    texts: frozenset[str]
    others: tuple[str, ...]
    """Names of the other tools."""


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    del settings
    for part in subject.parts:
        known = _known(subject)
        if known.names:
            yield from _names(subject, part, known)
        yield from _values(part, known)
        yield from _keys(subject, part)


def _known(subject: Subject) -> _Known:
    names: set[str] = set()
    texts: set[str] = set()
    for part in subject.parts:
        for place, schema in part.view.document.schemas():
            said = [schema.get(keyword) for keyword in ("properties", "required", "enum")]
            properties, required, listed_values = (part if isinstance(part, (dict, list)) else () for part in said)
            names.update(name for name in (*properties, *required, *place[-1:]) if isinstance(name, str))
            values = [*listed_values, schema.get("const"), schema.get("title")]
            texts.update(value for value in values if isinstance(value, str))
    terms = subject.terms
    own = {subject.name.removeprefix("tools/"), *(terms.at if terms else ()), *_COMMON}
    others = tuple(name for name in subject.offered_with if name not in own)
    spelled = {_folded(name): name for name in sorted(names, reverse=True)}
    return _Known(spelled, frozenset(names | texts | own | set(others)), others)


# ---------------------------------------------------------------------- names of fields


def _names(subject: Subject, part: Part, known: _Known) -> Iterator[Remark]:
    patterns = (*(_OF_TOOL if subject.kind is Kind.TOOL else _OF_ANSWER), _SET)
    for place, said in _descriptions(subject, part):
        found: dict[str, None] = {}
        for pattern in patterns:
            for match in islice(pattern.finditer(said, 0, MAX_DESCRIBED_CHARS), MAX_NAMES):
                name = next(group for group in match.groups() if group)
                if (
                    name not in known.texts
                    and name.lower() not in known.texts
                    and not _is_of_others(said, match, known)
                ):
                    found.setdefault(name)
        for name in found:
            near = known.names.get(_folded(name))
            help_ = f"the field is called {show(near)}" if near else ""
            yield Remark(part, place, f"the description names {show(name)}, which is nowhere in the schema", help_)


def _descriptions(subject: Subject, part: Part) -> Iterator[tuple[Place, str]]:
    """Yield what is told of the whole and of each part; what a field that takes anything holds is not known."""
    if part is subject.main and subject.described:
        yield (), subject.described
    free = {field.place for field in part.view.fields if _is_free(field.node)}
    for place, schema in part.view.document.schemas():
        said = schema.get("description")
        if isinstance(said, str) and place not in free and (place or said != subject.described):
            yield place, said


def _is_free(node: Node) -> bool:
    node = bare(node)
    if isinstance(node.form, Listing) and node.form.items is not None:
        node = bare(node.form.items)
    return isinstance(node.form, Loose) or (isinstance(node.form, Record) and not node.form.fields)


def _is_of_others(said: str, match: re.Match[str], known: _Known) -> bool:
    """Say whether the sentence around a name is about something else."""
    before = [found.end() for found in _BREAK.finditer(said, max(0, match.start() - 200), match.start())]
    after = _BREAK.search(said, match.end(), match.end() + 200)
    around = said[max(before, default=max(0, match.start() - 200)) : after.start() if after else match.end() + 200]
    return _OTHERS.search(around) is not None or any(name in around for name in known.others)


def _folded(name: str) -> str:
    return " ".join(map(stem, words_of(name)))


# ---------------------------------------------------------------------- values


def _values(part: Part, known: _Known) -> Iterator[Remark]:
    """Compare the values that a description lists with those that the schema lists."""
    for field in part.view.fields:
        node = bare(field.node)
        if isinstance(node.form, Listing) and node.form.items is not None:
            node = bare(node.form.items)
        said = field.entry.described or part.view.said(field.place).get("description") or ""
        if not isinstance(node.form, Choice) or not said or len(node.form.values) < 2:
            continue
        values = {str(value).lower() for value in node.form.values}
        missing = dict.fromkeys(text for run in runs(said) for text in _missing(run, values, known))
        missing.update(dict.fromkeys(name for name in _DEFAULT.findall(said) if _is_new(name, values, known)))
        if missing:
            told = f"the description of {field.path} names {listed(list(missing))}, which the schema does not list"
            yield Remark(part, field.place, told)


def _missing(run: Run, values: set[str], known: _Known) -> Iterator[str]:
    """Yield the values of a run that are not listed, where most of it is."""
    known_ones = sum(text.lower() in values for text in run.texts)
    if len(run.texts) > 2 and known_ones * 2 > len(run.texts) and not (is_example(run) or _OTHERS.search(run.before)):
        yield from (text for text in run.texts if _is_new(text, values, known))


def _is_new(text: str, values: set[str], known: _Known) -> bool:
    return text.lower() not in values and text not in known.texts and text.lower() not in _COMMON


# ---------------------------------------------------------------------- keys of JSON


def _keys(subject: Subject, part: Part) -> Iterator[Remark]:
    """Look for keys that an object of the schema does not name, and would take: a closed one is told as LS040."""
    for found in inscribed(subject, part):
        if len(found.candidates) == 1:
            unknown = list(dict.fromkeys(_unnamed(found.value, found.candidates[0].node)))
            if unknown:
                told = f"the JSON in the description has {listed(unknown)}, which the schema does not name"
                yield Remark(part, found.place, told)


def _unnamed(value: Any, node: Node, levels: int = 8) -> Iterator[str]:
    form = bare(node).form
    if levels and isinstance(form, Record) and isinstance(value, dict) and form.fields:
        for key, inner in value.items():
            if key in form.fields:
                yield from _unnamed(inner, form.fields[key].node, levels - 1)
            elif isinstance(form.rest, Loose | Node) and not form.rest_sources:
                yield key
    if levels and isinstance(form, Listing) and isinstance(value, list) and form.items is not None:
        for element in value:
            yield from _unnamed(element, form.items, levels - 1)


def _search(description: str) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {"result_filter": {"type": "string", "description": description}},
        "required": ["result_filter"],
        "additionalProperties": False,
    }


RULE = Rule(
    code="LS041",
    name="description-drift",
    level=Level.WARN,
    title="a description names what is nowhere in the schema",
    why="The producer believes the words, and writes a field that is refused, or one that is silently dropped.",
    help="name the field or the value as the schema does, or take it out of the description",
    evidence=(
        "mcp-exec after source 001: the description and the README went on naming the old type: command",
        "measured: brave-search's web search tells of results_filter, and its schema has result_filter",
    ),
    bad=_search("Which kinds. When the `results_filter` parameter is empty, all of them."),
    good=_search("Which kinds. When the `result_filter` parameter is empty, all of them."),
    check=_check,
    judgement="Which names in a text are meant as this schema's own.",
)
