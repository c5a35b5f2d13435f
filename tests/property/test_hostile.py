"""Law: linear work and memory in the input, whatever the input; one hostile unit takes no neighbour along.

Work is counted, not timed: lines run and calls made at one size and at twice that size. What one C call does inside is
not seen that way, so every trap must also come to an end at 100,000 characters within a processor time
that only a runaway exceeds; ``bench/damage.py --hostile`` prints the real growth.
"""

from __future__ import annotations

import re
import signal
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType

import pytest

from damage.hostile import TRAPS, counted_steps
from damage.report import CONTRACT, Unit
from pratique import Admission

MAX_GROWTH = 2.5
"""Work at twice the size, over work at the size: 2 is linear, 4 is quadratic."""
SMALL_CHARS = 8_000
LARGE_CHARS = 100_000
RUNAWAY_S = 10
"""Processor time, seconds. Linear work on this many characters takes a fraction of one."""
MAX_MEMORY_PER_CHAR = 12 if sys.version_info >= (3, 11, 5) else 160
"""Bytes of Python's memory at the peak for each character of the delivery, the delivery itself apart.

Old interpreters keep a place for each round of a repeat: see ``grammar.repeat``.
"""


class Runaway(Exception):
    """The processor time of one admission went beyond any linear cost."""


@contextmanager
def _no_runaway(seconds: float = RUNAWAY_S) -> Iterator[None]:
    def stop(_number: int, _frame: FrameType | None) -> None:
        raise Runaway(f"more than {seconds} s of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _sized(name: str, chars: int) -> tuple[int, str]:
    """Make a trap of about ``chars`` characters."""
    make = TRAPS[name].make
    growth = (len(make(60)) - len(make(20))) / 40
    size = max(20, round(chars / growth))
    return size, make(size)


def _judged(text: str) -> Admission[Unit]:
    admission = CONTRACT.admit(text)
    admission.to_dict()
    admission.account()
    return admission


@pytest.mark.parametrize("name", sorted(TRAPS))
def test_work_grows_with_the_input(name: str) -> None:
    """Twice the input makes at most two and a half times the steps.

    A limit that is crossed between two sizes (``max_edits``, say) may cost a step of its own, once; what
    grows faster than the input does so at the next doubling too.
    """
    size, text = _sized(name, SMALL_CHARS)
    sizes, steps = [], []
    with _no_runaway():
        _judged(text)  # compiled patterns and other things made once are not counted
        for times in (1, 2, 4):
            sizes.append(TRAPS[name].make(times * size))
            steps.append(counted_steps(partial(_judged, sizes[-1])))
            if len(steps) > 1 and steps[-1] <= MAX_GROWTH * steps[-2]:
                return
    pytest.fail(f"{steps} steps at {[len(source) for source in sizes]} characters")


@pytest.mark.parametrize("name", sorted(TRAPS))
def test_memory_grows_with_the_input(name: str) -> None:
    """Twice the input takes at most two and a half times the memory."""
    size, text = _sized(name, 4 * SMALL_CHARS)
    double = TRAPS[name].make(2 * size)
    peaks = []
    with _no_runaway():
        for source in (text, double):
            _judged(source)  # what is made once is not counted
        for source in (text, double):
            tracemalloc.start()
            _judged(source)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    tracemalloc.stop()
    assert peaks[1] <= MAX_GROWTH * max(peaks[0], 50_000), peaks


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(TRAPS))
def test_nothing_runs_away(name: str) -> None:
    """A hundred thousand characters of it come to an end, and the units around it are there."""
    _, text = _sized(name, LARGE_CHARS)
    with _no_runaway():
        admission = _judged(text)
    assert len(admission.values) >= TRAPS[name].least, repr(admission)


@pytest.mark.parametrize(
    ("name", "size", "admitted"),
    [
        ("open brackets", 100_000, 0),
        ("open braces", 100_000, 0),
        ("commas", 1_000_000, 0),
        ("digits", 100_000, 5),
        ("deep list in one unit", 50_000, 5),
        ("deep object in one unit", 50_000, 5),
        ("duplicate keys", 100_000, 5),
        ("closing braces in one string", 100_000, 5),
        ("long string", 20_000_000, 5),
        ("long string never closed", 20_000_000, 3),
    ],
)
def test_the_traps_of_the_field(name: str, size: int, admitted: int) -> None:
    """Sizes at which others hang or die: the neighbours survive, memory is bounded, nothing recurses."""
    text = TRAPS[name].make(size)
    tracemalloc.start()
    try:
        with _no_runaway():
            admission = CONTRACT.admit(text)
            assert len(admission.values) == admitted
            assert admission.review_required
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= MAX_MEMORY_PER_CHAR * len(text), f"{peak / len(text):.1f} bytes a character"


def test_the_count_sees_quadratic_work() -> None:
    """The measure can fail: a loop in a loop makes four times the steps at twice the size."""

    def scan(text: str) -> int:
        pairs = 0
        for at in range(len(text)):
            for _ in range(at):
                pairs += 1
        return pairs

    once, twice = counted_steps(lambda: scan("x" * 60)), counted_steps(lambda: scan("x" * 120))
    assert twice > MAX_GROWTH * once


def test_a_runaway_is_stopped() -> None:
    """The guard can fire, inside a pattern too."""
    with pytest.raises(Runaway), _no_runaway(0.5):
        re.match(r"(a*)*b", "a" * 40)
