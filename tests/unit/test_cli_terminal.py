"""Width and colour of what is printed."""

from __future__ import annotations

import io

import pytest

from pratique.cli.terminal import MAX_LINE_CELLS, Terminal, terminal_of


class Tty(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.mark.parametrize(
    ("tty", "environ", "no_color", "expected"),
    [
        (True, {}, False, True),
        (False, {}, False, False),
        (True, {"TERM": "dumb"}, False, False),
        (True, {"NO_COLOR": "1"}, False, False),
        (True, {"NO_COLOR": ""}, False, True),
        (False, {"FORCE_COLOR": "1"}, False, True),
        (False, {"FORCE_COLOR": ""}, False, False),
        (True, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
        (True, {"FORCE_COLOR": "1"}, True, False),
        (True, {}, True, False),
    ],
)
def test_colour_follows_the_option_then_no_color_then_force_color_then_the_terminal(
    tty: bool, environ: dict[str, str], no_color: bool, expected: bool
) -> None:
    stream = Tty() if tty else io.StringIO()
    assert terminal_of(stream, no_color=no_color, environ=environ).colour is expected


def test_what_is_no_terminal_gets_the_same_width_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert terminal_of(io.StringIO(), no_color=False).max_cells == MAX_LINE_CELLS


@pytest.mark.parametrize(("columns", "expected"), [("80", 80), ("500", MAX_LINE_CELLS), ("3", 30)])
def test_a_terminal_gets_its_own_width_within_bounds(
    columns: str, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert terminal_of(Tty(), no_color=False).max_cells == expected


def test_paint_adds_nothing_without_colour() -> None:
    assert Terminal().paint("x", "refuse") == "x"
    assert Terminal(colour=True).paint("x", "refuse") == "\x1b[1;31mx\x1b[0m"
