"""What commands print of a text, and of another command: escaped, bounded, ready for a shell."""

from __future__ import annotations

import shlex

import pytest

from pratique.cli.quarantined.difference import MAX_DIFF_LINES, MAX_SHOWN_LINES, difference
from pratique.cli.quarantined.shown import MAX_BLOCK_LINES, block, command, counted, fit, thing
from pratique.cli.terminal import Terminal
from pratique.show import width

PLAIN = Terminal()


@pytest.mark.parametrize(
    ("text", "cells", "shown"),
    [
        ("short", 10, "short"),
        ("exactly ten", 11, "exactly ten"),
        ("exactly ten", 10, "exactly t…"),
        ("語語語", 6, "語語語"),
        ("語語語", 5, "語語…"),
        ("a\x1bb", 10, "a\\x1bb"),
        ("a\x1bb", 5, "a…"),
        ("", 5, ""),
    ],
)
def test_a_text_is_cut_to_the_cells_that_there_are(text: str, cells: int, shown: str) -> None:
    assert fit(text, cells) == shown
    assert width(fit(text, cells)) <= cells


def test_a_text_of_characters_without_width_is_cut_too() -> None:
    assert len(fit("a" + "\u0301" * 10_000, 10)) <= 41


def test_a_block_keeps_its_lines_and_counts_what_it_leaves_out() -> None:
    assert list(block("a\n\x1bb", indent="> ")) == ["> a", "> \\x1bb"]
    assert list(block("abcdef", indent="", max_chars=4)) == ["abcd", "… (2 more characters; --json has them)"]
    told = ["a", "b", "… (2 more lines, 4 more characters; all of it: x)"]
    assert list(block("a\nb\nc\nd", indent="", max_lines=2, whole="all of it: x")) == told
    assert list(block("a\nb", indent="", max_lines=2)) == ["a", "b"]
    assert len(list(block("\n" * 3_000))) == MAX_BLOCK_LINES + 1


def test_a_command_can_be_pasted_into_a_shell() -> None:
    told = command("discard", "u-1", "--reason", "it's a test", db="my file.db")
    assert shlex.split(told) == [
        "pratique", "quarantine", "discard", "u-1", "--reason", "it's a test", "--db", "my file.db",
    ]  # fmt: skip
    assert command("list", db=None) == "pratique quarantine list"
    assert command("list", db="quarantine.db") == "pratique quarantine list --db quarantine.db", "it was named"


def test_a_number_is_told_with_its_noun() -> None:
    assert [counted(0, "unit"), counted(1, "unit"), counted(2_000, "unit")] == ["0 units", "1 unit", "2,000 units"]
    assert counted(2, "delivery", "deliveries") == "2 deliveries"
    assert (thing(None), thing(3)) == ("the whole delivery", "unit 3")


def test_a_difference_shows_what_stands_in_one_text_only() -> None:
    assert list(difference("a\nb\nc", "a\nB\nc", name="raw", terminal=PLAIN)) == [
        "--- raw", "+++ edit", "@@ -1,3 +1,3 @@", " a", "-b", "+B", " c",
    ]  # fmt: skip
    assert list(difference("a", "a", name="raw", terminal=PLAIN)) == ["the edit is the same as the raw"]


def test_a_difference_is_escaped_and_bounded() -> None:
    lines = list(difference("\x1b[31m", "x" * 5_000, name="raw", terminal=PLAIN))
    assert "-\\x1b[31m" in lines
    assert max(map(len, lines)) <= 1_001
    many = "\n".join(map(str, range(500)))
    assert len(list(difference("", many, name="raw", terminal=PLAIN))) == MAX_SHOWN_LINES + 1
    (only,) = difference("", "\n" * MAX_DIFF_LINES, name="raw", terminal=PLAIN)
    assert only == "1 lines became 2,001: too many to compare here"


def test_a_difference_has_colour_on_a_terminal_alone() -> None:
    assert "\x1b[" in "".join(difference("a", "b", name="raw", terminal=Terminal(colour=True)))
    assert "\x1b[" not in "".join(difference("a", "b", name="raw", terminal=PLAIN))
