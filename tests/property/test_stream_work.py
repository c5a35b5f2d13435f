"""Law: the work of a stream is linear in its text, whatever the size of its chunks and whatever stands in it.

Work is counted, not timed, in two ways. *Characters looked at*: whatever is given to the parts that look at text more
than once (the head, the walk, the brackets of an open unit, the pattern of plain units), and every character that is
copied into the text that the list holds; at most ``MAX_LOOKS`` for each character, also when the text is sixteen times
as long. *Steps*: lines of Python and calls made. Tries after a break come at doublings, so one doubling of the text may
cost a try more than another: steps are compared over two doublings.

Not seen: what one call into C does beyond the text it is given; ``bench/stream.py`` prints processor time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from corpus.contracts import CONTRACTS
from damage.hostile import TRAPS, counted_steps
from damage.report import CONTRACT
from pratique import Contract, Limits
from pratique.boundary import list_stream, unit
from pratique.boundary.grammar import grammar_of
from pratique.boundary.head import find_start
from pratique.boundary.list_stream import ListStream
from pratique.boundary.scan import Scanner
from pratique.boundary.stream import Stream
from pratique.boundary.validate import Reader

MAX_GROWTH = 5.5
"""Work at four times the size, over work at the size: 4 is linear, 16 is quadratic."""
MAX_LOOKS = 60
"""Characters looked at for each that came; a head may be looked at ``HEAD_WORK`` times, a copy is a look."""
SURE_STEPS = 60
"""Lines and calls for each character. Up to here growth is no matter: first tries after a break cost it, once."""
SMALL_CHARS = 6_000
LARGE_CHARS = 4 * SMALL_CHARS
HUGE_CHARS = 4 * LARGE_CHARS

LISTED: Contract[Any] = Contract(
    replace(
        CONTRACTS["list"].terms,
        frames="first",
        limits=Limits(max_items=10**9, max_string_chars=10**9),
    )
)
REPORTED: Contract[Any] = Contract(replace(CONTRACT.terms, frames="first", limits=Limits(max_items=10**9)))


def _item(rank: int, why: str = "w") -> str:
    return json.dumps({"rank": rank, "action": "park", "why": why})


UNIT_CHARS = len(_item(1)) + 2
HEAD = f"[{_item(1)}, {_item(2)}"


def _units(chars: int, between: str = ", ") -> str:
    return between.join(_item(rank) for rank in range(3, 3 + max(1, chars // UNIT_CHARS)))


def _flood(before: str, part: str, after: str = "") -> Callable[[int], str]:
    return lambda chars: before + part * (chars // len(part)) + after


TEXTS: dict[str, Callable[[int], str]] = {
    "a sound list": lambda chars: f"{HEAD}, {_units(chars)}]",
    "sound lines": lambda chars: _units(chars, "\n"),
    "closing braces in one string": _flood(f'{HEAD}, {{"rank": 3, "action": "park", "why": "', "}", '"}]'),
    "closing braces in one string, never closed": _flood(f'{HEAD}, {{"rank": 3, "action": "park", "why": "', "}"),
    "closing braces and escapes in one string": _flood(f'{HEAD}, {{"rank": 3, "action": "park", "why": "', '\\"}'),
    "closing braces in the list": _flood(HEAD, "}"),
    "closing braces after the list": _flood(HEAD + "]", "}"),
    "closing brackets": _flood(HEAD, "]"),
    "closing brackets, then an open brace": _flood(HEAD + "]", " ]", " {"),
    "blanks in the list": _flood(HEAD, " ", "]"),
    "blanks and lines": _flood(HEAD, " \n"),
    "blanks after a unit that needs an edit": _flood(f'{HEAD}, {{"rank": 3 "action": "park", "why": "w"}}', " "),
    "blanks after the list's end": _flood(HEAD + "]", " ", "{"),
    "commas": _flood(HEAD, ","),
    "broken units": _flood(HEAD + ", ", '{"rank":a},'),
    "units that need an edit": _flood(HEAD, ', {"rank": 3 "action": "park", "why": "w"}'),
    "refused units": _flood(HEAD, ', {"rank": 0, "action": "stop"}'),
    "an unclosed comment": _flood(HEAD + ", /* ", "}"),
    "an unclosed line comment": _flood(HEAD + ", // ", "}"),
    "comments between units": lambda chars: f"{HEAD}, {_units(chars, ', /* c */ ')}]",
    "prose full of braces before the payload": _flood("", "see {this} and {that}; ", HEAD + "]"),
    "prose full of objects before the payload": _flood("", 'see {"a": 1} and {"b": {}}; ', HEAD + "]"),
    "prose full of lists before the payload": _flood("", "see [x] and {y}; ", HEAD + "]"),
    "reasoning full of units": _flood("<think>", f"{_item(9)} ", "</think>" + HEAD + "]"),
    "a quote missing at the start, sound units after it": lambda chars: (
        f'{HEAD}, {{"rank": 3, action": "park", "why": "w"}}, {_units(chars)}]'
    ),
    "a brace missing at the start, sound units after it": lambda chars: f"{HEAD}, {_item(3)[:-1]}, {_units(chars)}]",
    "a comment at the start, sound units after it": lambda chars: f"{HEAD}, /* c */ {_units(chars)}]",
    "a line of noise at the start, sound lines after it": lambda chars: (
        f"{_item(1)}\n{_item(2)}\nnoise and more of it\n{_units(chars, chr(10))}"
    ),
    "stray words between units": lambda chars: f"{HEAD}, {_units(chars, ', x, ')}]",
    "stray closers between units": lambda chars: f"{HEAD}, {_units(chars, '}, ')}]",
    "nested objects in one unit": _flood(f'{HEAD}, {{"rank": ', '{"a":', ""),
    "objects in one open unit": _flood(f'{HEAD}, {{"rank": [', "{},"),
    "objects that are no units": _flood(HEAD + ", ", '{"a":{}}, '),
    "open and closed": _flood(HEAD + ", ", "}{"),
}


# ---------------------------------------------------------------------- counting


class Looks:
    """Count the characters that the parts of a stream look at or copy."""

    def __init__(self) -> None:
        self.chars = 0


class _CountingPattern:
    """A pattern that tells how far its matches may have looked."""

    def __init__(self, pattern: Any, looks: Looks) -> None:
        self._pattern = pattern
        self._looks = looks

    def match(self, text: str, at: int = 0, *stop: int) -> Any:
        """Match as the pattern does; a match that fails may have looked at all that is left."""
        found = self._pattern.match(text, at, *stop)
        self._looks.chars += (found.end() if found else len(text)) - at + 1
        return found


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    """Count what streams look at from here on."""
    looks = Looks()
    step, end, look, feed_text = Scanner.step, list_stream._Balance.end, Reader.look, Stream._feed_text

    def counted_start(text: str, *rest: Any) -> Any:
        looks.chars += len(text)
        return find_start(text, *rest)

    def counted_step(self: Any, at: int) -> Any:
        done, after = step(self, at)
        looks.chars += max(1, (self.stop if done is not None or self.to_end else after) - at)
        return done, after

    def counted_end(self: Any, text: str, at: int) -> Any:
        found = end(self, text, at)
        looks.chars += (len(text) if found is None else found) - at + 1
        return found

    def counted_look(self: Any, text: str) -> None:
        looks.chars += len(text)
        look(self, text)

    def counted_text(self: Any, text: str) -> Any:
        looks.chars += len(text) + 1
        return feed_text(self, text)

    def counting_grammar(terms: Any) -> Any:
        grammar = grammar_of(terms)
        return replace(grammar, next_item=_CountingPattern(grammar.next_item, looks))  # type: ignore[arg-type]  # it counts

    def get_text(self: Any) -> str:
        held: str = self.__dict__["held"]
        return held

    def set_text(self: Any, text: str) -> None:
        looks.chars += len(text)
        self.__dict__["held"] = text

    monkeypatch.setattr("pratique.boundary.region_stream.find_start", counted_start)
    monkeypatch.setattr(Reader, "look", counted_look)
    monkeypatch.setattr(Scanner, "step", counted_step)
    monkeypatch.setattr(list_stream._Balance, "end", counted_end)
    monkeypatch.setattr(Stream, "_feed_text", counted_text)
    monkeypatch.setattr(unit, "grammar_of", counting_grammar)
    monkeypatch.setattr(ListStream, "text", property(get_text, set_text), raising=False)
    return looks


def _even(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


def _first_large(text: str) -> Iterator[str]:
    """Give half of a text at once, and the rest one character at a time."""
    half = len(text) // 2
    yield text[:half]
    yield from text[half:]


WAYS: dict[str, Callable[[str], Iterable[str]]] = {
    "one character a chunk": lambda text: _even(text, 1),
    "16 characters a chunk": lambda text: _even(text, 16),
    "1,000 characters a chunk": lambda text: _even(text, 1_000),
    "all at once": lambda text: [text],
    "a large chunk, then one character a chunk": _first_large,
}


def _fed(contract: Contract[Any], chunks: Iterable[str], *, retain: bool = True) -> Stream[Any]:
    stream = contract.stream(retain=retain)
    for chunk in chunks:
        stream.feed(chunk)
    return stream


def _is_linear(small: float, large: float) -> bool:
    """Say whether the steps for each character do not grow when the text is four times as long."""
    return large <= max(SURE_STEPS, small * MAX_GROWTH / 4)


@pytest.mark.parametrize("way", sorted(WAYS))
@pytest.mark.parametrize("name", sorted(TEXTS))
def test_each_character_is_looked_at_a_bounded_number_of_times(name: str, way: str, looks: Looks) -> None:
    """However the text comes: sixteen times the text does not make a character dearer."""
    counted = []
    for chars in (SMALL_CHARS, LARGE_CHARS, HUGE_CHARS):
        text = TEXTS[name](chars)
        looks.chars = 0
        _fed(LISTED, WAYS[way](text))
        counted.append(looks.chars / len(text))
    assert max(counted) <= MAX_LOOKS, counted


def test_counting_looks_sees_what_is_looked_at(looks: Looks) -> None:
    """The law cannot pass by counting nothing: a sound list is looked at and copied at least once."""
    text = TEXTS["a sound list"](SMALL_CHARS)
    _fed(LISTED, _even(text, 16))
    assert looks.chars >= 3 * len(text)


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_steps_grow_with_the_text(name: str) -> None:
    """One character a chunk, closed at the end: four times the text makes about four times the steps."""
    counted = []
    for chars in (SMALL_CHARS, LARGE_CHARS):
        text = TEXTS[name](chars)
        counted.append(counted_steps(lambda text=text: _fed(LISTED, text).close()) / len(text))  # type: ignore[misc]  # a default binds
    assert _is_linear(counted[0], counted[1]), counted


@pytest.mark.parametrize("name", sorted(TRAPS))
def test_steps_grow_with_a_trap(name: str) -> None:
    """The traps of the boundary, 16 characters a chunk, for a contract that releases early."""
    make = TRAPS[name].make
    growth = (len(make(60)) - len(make(20))) / 40
    counted = []
    for chars in (SMALL_CHARS, LARGE_CHARS):
        text = make(max(20, round(chars / growth)))
        counted.append(counted_steps(lambda text=text: _fed(REPORTED, _even(text, 16))) / len(text))  # type: ignore[misc]  # a default binds
    assert _is_linear(counted[0], counted[1]), counted


@pytest.mark.parametrize("name", sorted(TRAPS))
def test_each_character_of_a_trap_is_looked_at_a_bounded_number_of_times(name: str, looks: Looks) -> None:
    make = TRAPS[name].make
    growth = (len(make(60)) - len(make(20))) / 40
    counted = []
    for chars in (SMALL_CHARS, LARGE_CHARS):
        text = make(max(20, round(chars / growth)))
        for size in (1, 16):
            looks.chars = 0
            _fed(REPORTED, _even(text, size))
            counted.append(looks.chars / len(text))
    assert max(counted) <= MAX_LOOKS, counted


@pytest.mark.parametrize("name", ["a sound list", "sound lines", "refused units", "units that need an edit"])
def test_a_stream_that_keeps_nothing_works_no_more(name: str, looks: Looks) -> None:
    """It looks at as many characters as one that keeps all."""
    text = TEXTS[name](LARGE_CHARS)
    counted = []
    for retain in (True, False):
        looks.chars = 0
        _fed(LISTED, _even(text, 16), retain=retain)
        counted.append(looks.chars)
    assert counted[1] <= counted[0] * 1.1
