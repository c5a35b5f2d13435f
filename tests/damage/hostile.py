"""Hostile deliveries of any size: each is a function from a size to a text whose length grows with it.

Shape: ``Trap(make, least)``; ``least`` is how many units must come out whatever the size: those that stand
undamaged around the trap.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from random import Random
from types import FrameType
from typing import Any, NamedTuple

from damage.report import Report, Style, make_report

__all__ = ["TRAPS", "Trap", "counted_steps"]

TraceFunction = Callable[[FrameType, str, Any], Any]


class Trap(NamedTuple):
    """One way to make a careless reader work too hard."""

    make: Callable[[int], str]
    least: int = 0


_REPORT: Report = make_report(Random(11), units=6, style=Style.SPACED)
_UNIT = _REPORT.unit_texts[0]


def _alone(part: str) -> Callable[[int], str]:
    return lambda size: part * size


def _then_report(part: str) -> Callable[[int], str]:
    return lambda size: part * size + "\n" + _REPORT.text


def _in_list(part: str) -> Callable[[int], str]:
    return lambda size: _REPORT.head + part * size


def _among(part: str) -> Callable[[int], str]:
    """Put the trap in unit position between six sound units."""

    def make(size: int) -> str:
        texts = _REPORT.unit_texts
        return _REPORT.join([*texts[:3], part * size, *texts[3:]])

    return make


def _value(raw: Callable[[int], str]) -> Callable[[int], str]:
    """Put the trap in the place of one unit's ``owner``; five sound units stand around it."""

    def make(size: int) -> str:
        texts = _REPORT.unit_texts
        key = '"owner": '
        at = texts[2].index(key) + len(key)
        end = texts[2].index(', "wsjf"', at)
        texts[2] = texts[2][:at] + raw(size) + texts[2][end:]
        return _REPORT.join(texts)

    return make


def _inside(part: str) -> Callable[[int], str]:
    """Put the trap between two members of one unit; five sound units stand around it."""

    def make(size: int) -> str:
        texts = _REPORT.unit_texts
        texts[2] = texts[2].replace(', "action"', f', {part * size}, "action"', 1)
        return _REPORT.join(texts)

    return make


def _cut_behind(part: str) -> Callable[[int], str]:
    """Put the trap at the end of a text that was cut inside its fourth unit."""
    return lambda size: _REPORT.text[: _REPORT.spans[3].start] + '{"rank": 4, "why": "x"' + part * size


def _duplicates(size: int) -> str:
    return "{" + ", ".join(f'"k": {at}' for at in range(size)) + "}"


def _keys(size: int) -> str:
    return "{" + ", ".join(f'"k{at}": 1' for at in range(size)) + "}"


def _every_unit(change: Callable[[str], str]) -> Callable[[int], str]:
    def make(size: int) -> str:
        return _REPORT.join([change(_REPORT.unit_text({**_REPORT.units[0], "rank": at + 1})) for at in range(size)])

    return make


def _lines(change: Callable[[str], str]) -> Callable[[int], str]:
    def make(size: int) -> str:
        return "\n".join(change(_REPORT.unit_text({**_REPORT.units[0], "rank": at + 1})) for at in range(size))

    return make


def _repeated_wrappers(size: int) -> str:
    return '{"a":' * size + "1" + "}" * size


_LONG_STRING = _value(lambda n: json.dumps("x" * n))

TRAPS: dict[str, Trap] = {
    # nesting
    "open brackets": Trap(_alone("[")),
    "open braces": Trap(_alone("{")),
    "open objects": Trap(_alone('{"a":')),
    "open lists of objects": Trap(_alone('[{"a":')),
    "balanced objects": Trap(_repeated_wrappers),
    "open braces, then a report": Trap(_then_report("{ ")),
    "open lists of strings": Trap(_alone('["')),
    "open lists of strings, closed": Trap(_alone('["a"],')),
    "open units": Trap(_in_list('{"rank":')),
    "open units in units": Trap(_in_list('{"rank":{"rank":')),
    "deep list in one unit": Trap(_value(lambda n: "[" * n + "]" * n), 5),
    "deep object in one unit": Trap(_value(lambda n: '{"a":' * n + "1" + "}" * n), 5),
    "deep list cut in one unit": Trap(lambda n: _REPORT.text[: _REPORT.spans[2].end - 2] + ', "x": ' + "[" * n),
    # one character, many times
    "commas": Trap(_alone(",")),
    "commas in the list": Trap(_among(", ,"), 6),
    "quotes": Trap(_alone('"')),
    "quotes in the list": Trap(_in_list('"')),
    "alternating quotes": Trap(_alone("\"'")),
    "backslashes in an open string": Trap(lambda n: _REPORT.head + '{"rank": 1, "why": "' + "\\" * n),
    "closing brackets": Trap(_alone("]")),
    "closing brackets in the list": Trap(_among("]"), 6),
    "closing braces in the list": Trap(_among("}"), 6),
    "closing braces in one string": Trap(_value(lambda n: '"' + "}" * n + '"'), 5),
    "colons in one string": Trap(_value(lambda n: '"' + '\\":' * n + '"'), 5),
    "digits": Trap(_value(lambda n: "7" * n), 5),
    "digits with a trailing comma": Trap(_value(lambda n: "7" * n + ","), 5),
    "fraction digits": Trap(_value(lambda n: "0." + "7" * n), 5),
    "exponent digits": Trap(_value(lambda n: "1e" + "9" * n), 5),
    "minus signs": Trap(_value(lambda n: "-" * n), 5),
    "blanks": Trap(_among(" "), 6),
    "line ends": Trap(_among("\n"), 6),
    "blanks before a key": Trap(lambda n: _REPORT.head + "{" + " " * n + '"rank"' + " " * n + ": 1"),
    # strings
    "long string": Trap(_LONG_STRING, 5),
    "long string never closed": Trap(
        lambda n: _REPORT.text[: _REPORT.spans[3].start] + '{"rank": 4, "why": "' + "x" * n, 3
    ),
    "long string and a missing comma": Trap(lambda n: _LONG_STRING(n).replace(', "action"', ' "action"', 1), 5),
    "string of escapes": Trap(_value(lambda n: '"' + "\\u0041" * n + '"'), 5),
    # marks of other things
    "fences": Trap(_then_report("```json\n")),
    "half fences": Trap(_then_report("``json")),
    "reasoning opened": Trap(_alone("<think>")),
    "reasoning opened, then a report": Trap(_then_report("<think>")),
    "reasoning closed, then a report": Trap(_then_report("</think>"), 6),
    "reasoning opened and closed": Trap(_then_report("<think></think>"), 6),
    "comments opened": Trap(_alone("/*")),
    "comments opened in the list": Trap(_in_list("/*")),
    "comments": Trap(_among("/**/"), 6),
    "ellipses": Trap(_among("... "), 6),
    "slashes": Trap(_in_list("/")),
    "byte order marks": Trap(_then_report("\ufeff")),
    "prose with quotes": Trap(_alone('he said "yes", and she said "no". ')),
    "prose with braces": Trap(_then_report("see {this} and [that] "), 6),
    "list key": Trap(_alone('"recommendations": [ ')),
    "heads": Trap(_alone('{"summary": "s", "recommendations": [')),
    "encoded heads": Trap(_alone('"{\\"summary\\": ')),
    "calls": Trap(_alone('{"name": "triage", "arguments": ')),
    "list of calls": Trap(lambda n: "[" + ", ".join(['{"name": "x", "arguments": {}}'] * n) + "]"),
    "list of calls, nested": Trap(_alone('[{"name": "x", "arguments": ')),
    # inside one unit
    "blanks in one unit": Trap(_inside(" "), 5),
    "blanks before a colon in one unit": Trap(lambda n: _inside("")(n).replace('"value":', f'"value"{" " * n}:', 1), 5),
    "commas in one unit": Trap(_inside(", "), 5),
    "comments in one unit": Trap(_inside("/**/ "), 5),
    "comments and commas in one unit": Trap(_inside("/**/ , "), 5),
    "comments opened in one unit": Trap(_inside("/*")),
    "hashes in one unit": Trap(_inside("# \n"), 5),
    "ellipses in one unit": Trap(_inside("... "), 5),
    "python words in one unit": Trap(_inside("None, "), 5),
    "closers in one unit": Trap(_inside("} ] ")),
    "openers in one unit": Trap(_inside("{ [ ")),
    "strings in one unit": Trap(_inside('"a" '), 5),
    "single quotes in one unit": Trap(_inside("' ")),
    "backslashes in one unit": Trap(_inside("\\"), 5),
    "keys in one unit": Trap(_inside('"value": 1 '), 5),
    "bad escapes in one string": Trap(_value(lambda n: '"' + "\\x" * n + '"'), 5),
    "raw line ends in one string": Trap(_value(lambda n: '"' + "\n" * n + '"'), 5),
    "raw quotes in one string": Trap(_value(lambda n: '"' + ' "x' * n + '"')),
    "smart quotes in one unit": Trap(_inside("“ "), 5),
    # at the cut
    "blanks at the cut": Trap(_cut_behind(" "), 3),
    "commas at the cut": Trap(_cut_behind(", "), 3),
    "strings at the cut": Trap(_cut_behind(' , "a"'), 3),
    "keys at the cut": Trap(_cut_behind(', "a": '), 3),
    "openers at the cut": Trap(_cut_behind(', "a": ['), 3),
    "quotes at the cut": Trap(_cut_behind('"'), 3),
    "blanks and a key at the cut": Trap(lambda n: _cut_behind(" ")(n) + '"a"' + " " * n + ": 1", 3),
    # keys
    "duplicate keys": Trap(_value(_duplicates), 5),
    "many keys": Trap(_value(_keys), 5),
    "unknown keys in a unit": Trap(_value(lambda n: "1, " + ", ".join(f'"u{at}": 1' for at in range(n))), 5),
    # borders of units (boundary rules, section 4)
    "border and comment": Trap(_in_list('},{"rank":/*')),
    "closer and comment": Trap(_in_list("}/* ")),
    "broken units": Trap(_in_list('{"rank":a},')),
    "border and quote": Trap(_in_list('},{"rank":"')),
    "border and key": Trap(_in_list('},{"rank":1,"candidate":"')),
    "borders alone": Trap(_in_list('},{"rank":')),
    "unit starts in one string": Trap(_value(lambda n: json.dumps('}, {"rank": 1' * n)), 5),
    "unit starts in one broken string": Trap(_value(lambda n: '"' + '}, {"rank": 1' * n)),
    "list ends in one string": Trap(_value(lambda n: '"x' + '], \\"complete\\": ' * n + '"'), 5),
    "list ends": Trap(_in_list('], "complete": true, ')),
    # every unit damaged
    "a comma missing in every unit": Trap(_every_unit(lambda text: text.replace(', "action"', ' "action"'))),
    "a trailing comma in every unit": Trap(_every_unit(lambda text: text[:-1] + ",}")),
    "a quote missing in every unit": Trap(_every_unit(lambda text: text.replace('"action"', 'action"'))),
    "a brace missing in every unit": Trap(_every_unit(lambda text: text[:-1])),
    "single quotes in every unit": Trap(_every_unit(lambda text: text.replace("'", "").replace('"', "'"))),
    "python in every unit": Trap(_every_unit(lambda text: text.replace("true", "True").replace("false", "False"))),
    "a wrong type in every unit": Trap(_every_unit(lambda text: text.replace('"rank": ', '"rank": "x", "r": '))),
    "a stray closer behind every unit": Trap(_every_unit(lambda text: text + "}")),
    "a line broken at every other unit": Trap(_lines(lambda text: text[:60] + "\n" + text)),
    "lines": Trap(_lines(lambda text: text)),
    "many reports": Trap(lambda n: "\n".join([_REPORT.text] * n), 6),
    "many lists": Trap(lambda n: "\n\n".join(f"see [{_UNIT}]" for _ in range(n))),
}


def counted_steps(work: Callable[[], object]) -> int:
    """Return how many lines of Python ran and how many C functions were called while ``work`` ran.

    Deterministic, so a test may compare two sizes. Not seen: what one C call does inside, a pattern's own
    steps above all; ``bench/damage.py --hostile`` prints processor time for that.
    """
    steps = 0

    def line(_frame: FrameType, _event: str, _arg: object) -> TraceFunction:
        nonlocal steps
        steps += 1
        return line

    def call(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal steps
        steps += event == "c_call"

    traced, profiled = sys.gettrace(), sys.getprofile()
    sys.settrace(line)
    sys.setprofile(call)
    try:
        work()
    finally:
        sys.setprofile(profiled)
        sys.settrace(traced)
    return steps
