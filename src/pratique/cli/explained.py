"""What ``pratique explain`` prints: what a code or a lint rule means, why it exists, what to do; or the list of all."""

from __future__ import annotations

import difflib
import importlib
import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from pratique.errors import CODES, Code, Misuse
from pratique.lint.book import rules
from pratique.lint.rule import Example, Rule
from pratique.show import escape, show

__all__ = ["all_codes", "example_text", "printable", "rule_told", "run_explain"]

MAX_PROSE_CELLS = 100


def run_explain(code: str | None, *, as_json: bool) -> int:
    """Explain one code, or list all of them; return the exit code.

    Errors: Misuse for a code that there is not, with the nearest.
    """
    codes, listed = all_codes(), {rule.code: rule for rule in rules()}
    if code is None:
        every = [*map(asdict, codes.values()), *map(rule_told, listed.values())]
        print(json.dumps(every, indent=2) if as_json else "\n".join(_list(codes, listed)))
        return 0
    rule = next((rule for rule in listed.values() if code.upper() == rule.code or code == rule.name), None)
    found = codes.get(code)
    if rule is not None:
        print(json.dumps(rule_told(rule), indent=2) if as_json else "\n".join(_rule_page(rule)))
    elif found is not None:
        print(json.dumps(asdict(found), indent=2) if as_json else "\n".join(_page(found)))
    else:
        near = difflib.get_close_matches(code, [*codes, *listed, *(rule.name for rule in listed.values())], cutoff=0.4)
        meant = f"did you mean {near[0]}? " if near else ""
        raise Misuse(f"no code is called {show(code)}", remedy=f"{meant}pratique explain lists them all")
    return 0


def all_codes() -> dict[str, Code]:
    """Return every code of the library by its id, in order; importing its rooms declares them."""
    for room in ("contract", "terms.json_schema", "apps.triage.contract", "quarantine.replay"):
        importlib.import_module(f"pratique.{room}")
    return dict(sorted(CODES.items()))


def printable(example: str) -> str:
    """Return an example with its lines kept and all else that a terminal would obey escaped."""
    return "\n".join(map(escape, example.strip("\n").split("\n")))


def rule_told(rule: Rule) -> dict[str, object]:
    """Return a lint rule as plain JSON values."""
    return {
        "id": rule.code, "name": rule.name, "level": rule.level.value, "title": rule.title, "why": rule.why,
        "help": rule.help, "evidence": list(rule.evidence), "judgement": rule.judgement, "target": rule.target or None,
        "bad": rule.bad, "good": rule.good,
    }  # fmt: skip


def example_text(example: Example) -> str:
    """Write an example of a rule as it is read: Python source, or a JSON Schema."""
    return example.strip("\n") if isinstance(example, str) else "\n".join(_laid_out(example, MAX_PROSE_CELLS - 4))


def _laid_out(value: Any, cells: int) -> list[str]:
    """Write a JSON value so that what fits on a line stands on one."""
    whole = json.dumps(value, ensure_ascii=False)
    if len(whole) <= cells or not isinstance(value, (Mapping, list)) or not value:
        return [whole]
    heads = [f"{json.dumps(key)}: " for key in value] if isinstance(value, Mapping) else [""] * len(value)
    lines = []
    for head, part in zip(heads, value.values() if isinstance(value, Mapping) else value, strict=True):
        first, *more = _laid_out(part, cells - 2)
        lines += [f"  {head}{first}", *(f"  {line}" for line in more)]
        lines[-1] += ","
    lines[-1] = lines[-1][:-1]
    return ["{", *lines, "}"] if isinstance(value, Mapping) else ["[", *lines, "]"]


def _list(codes: dict[str, Code], listed: dict[str, Rule]) -> Iterator[str]:
    column = max(map(len, codes), default=0)
    for code in codes.values():
        yield f"{code.id:<{column}}  {code.title}"
    for rule in listed.values():
        yield f"{f'{rule.code} {rule.name}':<{column}}  {rule.title}"


def _rule_page(rule: Rule) -> Iterator[str]:
    yield f"{rule.code} {rule.name} ({rule.level.value}): {rule.title}"
    yield ""
    yield from textwrap.wrap(rule.why, MAX_PROSE_CELLS)
    yield ""
    yield from textwrap.wrap(f"help: {rule.help}", MAX_PROSE_CELLS, subsequent_indent="  ")
    if rule.judgement:
        yield from textwrap.wrap(f"judgement: {rule.judgement}", MAX_PROSE_CELLS, subsequent_indent="  ")
    for evidence in rule.evidence:
        yield from textwrap.wrap(f"known from: {evidence}", MAX_PROSE_CELLS, subsequent_indent="  ")
    on = f" (linted for {rule.target})" if rule.target else ""
    for title, example in ((f"fires on{on}", rule.bad), ("is quiet on", rule.good)):
        yield ""
        yield f"{title}:"
        yield textwrap.indent(printable(example_text(example)), "  ")


def _page(code: Code) -> Iterator[str]:
    yield f"{code.id}: {code.title}"
    yield ""
    yield from textwrap.wrap(code.why, MAX_PROSE_CELLS)
    yield ""
    yield from textwrap.wrap(f"help: {code.help}", MAX_PROSE_CELLS, subsequent_indent="  ")
    if code.reason is not None:
        yield f"quarantine: a unit that gets it is kept with the reason {code.reason.value}"
    for title, example in (("refused", code.refused), ("passes", code.passes)):
        if example:
            yield ""
            yield f"{title}:"
            yield textwrap.indent(printable(example), "  ")
