"""The mark stands under the exact place, in terminal cells, whatever the producer wrote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pratique.cli.excerpt import Excerpt, excerpt, goes_on
from pratique.show import escape, width
from pratique.text import Lines, Span


def look(text: str, marked: str, *, max_cells: int = 80) -> Excerpt:
    """Make the excerpt for the only place where ``marked`` stands in ``text``."""
    start = text.index(marked)
    return excerpt(Lines(text), Span(start, start + len(marked)), max_cells=max_cells)


def above(shown: Excerpt) -> str:
    """Return the printed characters that stand over the mark."""
    found = ""
    cell = 0
    over = False
    for char in shown.source:
        wide = width(char)
        if wide:  # what takes no cell stands with the character before it
            over = shown.indent <= cell < shown.indent + shown.mark
        found += char if over else ""
        cell += wide
    return found


def test_the_mark_stands_under_plain_text() -> None:
    shown = look('{"rank": oops, "why": "x"}', "oops")
    assert shown.marker == "         ^^^^"
    assert shown.source == '{"rank": oops, "why": "x"}'


def test_a_wide_character_before_the_mark_takes_two_cells() -> None:
    shown = look('{"名前": oops}', "oops")
    assert shown.indent == len('{"": ') + 4


def test_a_wide_character_under_the_mark_gets_two_carets() -> None:
    assert look('{"a": 猫}', "猫").mark == 2


def test_a_combining_mark_before_the_place_takes_no_cell() -> None:
    assert look('{"cafe\u0301": oops}', "oops").indent == len('{"cafe": ')


def test_a_place_on_a_combining_mark_is_shown_under_its_base() -> None:
    shown = look("cafe\u0301 x", "\u0301")
    assert (shown.indent, shown.mark) == (3, 1)


def test_a_tab_in_the_indentation_is_four_cells() -> None:
    shown = look("\t\t{oops}", "oops")
    assert shown.source == "        {oops}"
    assert shown.indent == 9


def test_a_tab_inside_the_line_is_printed_as_an_escape() -> None:
    shown = look('{"why": "a\tb" oops}', "oops")
    assert shown.source == '{"why": "a\\tb" oops}'
    assert above(shown) == "oops"


@pytest.mark.parametrize("char", ["\x1b", "\x00", "\u202e", "\u200b", "\ufeff", "\udc80", "\u2028", "\U000e0041"])
def test_an_unsafe_character_is_escaped_and_the_mark_still_fits(char: str) -> None:
    shown = look(f'{{"a": "x{char}y", oops}}', "oops")
    assert char not in shown.source
    assert escape(char) in shown.source
    assert above(shown) == "oops"


def test_the_mark_covers_all_of_an_escape() -> None:
    shown = look("a\x1bb", "\x1b")
    assert above(shown) == "\\x1b"


def test_an_escape_of_ours_is_told_from_one_that_was_written() -> None:
    written = look('"a\\x1b" oops', "oops").pieces
    ours = look('"a\x1b" oops', "oops").pieces
    assert "".join(text for text, _ in written) == "".join(text for text, _ in ours)
    assert [escaped for _, escaped in written] == [False]
    assert ("\\x1b", True) in ours


def test_a_place_behind_the_last_character_is_marked_behind_it() -> None:
    shown = excerpt(Lines("ab\ncd"), Span(2, 3), max_cells=80)
    assert (shown.source, shown.marker) == ("ab", "  ^")


def test_the_end_of_the_text_is_a_place() -> None:
    shown = excerpt(Lines("ab\ncd"), Span(5, 5), max_cells=80)
    assert (shown.line, shown.source, shown.marker) == (2, "cd", "  ^")


def test_a_place_behind_the_text_is_shown_at_its_end() -> None:
    shown = excerpt(Lines("ab"), Span(9, 12), max_cells=80)
    assert (shown.line, shown.marker) == (1, "  ^")


def test_an_empty_text_has_a_place() -> None:
    shown = excerpt(Lines(""), Span(0, 0), max_cells=80)
    assert (shown.line, shown.source, shown.marker) == (1, "", "^")


def test_a_crlf_is_not_part_of_the_line() -> None:
    shown = look('{\r\n  "a": oops\r\n}', "oops")
    assert (shown.line, shown.source) == (2, '  "a": oops')


def test_a_span_over_several_lines_is_marked_at_its_start_only() -> None:
    shown = look('[\n  {"a": 1,\n   "b": 2}\n]', '{"a": 1,\n   "b": 2}')
    assert (shown.line, shown.marker) == (2, "  ^")
    assert goes_on(Lines("ab\ncd"), Span(0, 4))


def test_a_span_that_ends_with_its_line_does_not_go_on() -> None:
    assert not goes_on(Lines("ab\ncd"), Span(0, 3))


def test_a_long_line_is_cut_on_both_sides() -> None:
    shown = look("a" * 500 + "oops" + "b" * 500, "oops", max_cells=60)
    assert shown.source.startswith("…a")
    assert shown.source.endswith("b…")
    assert width(shown.source) <= 60
    assert above(shown) == "oops"


def test_a_long_line_is_not_cut_on_the_left_when_the_place_is_near_its_start() -> None:
    shown = look("ab oops" + "b" * 500, "oops", max_cells=60)
    assert shown.source.startswith("ab oops")
    assert width(shown.source) <= 60


def test_the_end_of_a_long_line_uses_the_whole_window() -> None:
    text = "a" * 500
    shown = excerpt(Lines(text), Span(500, 500), max_cells=60)
    assert shown.source.startswith("…a")
    assert shown.source.endswith("a")
    assert 57 <= shown.indent < 60


def test_a_window_does_not_begin_with_a_combining_mark() -> None:
    shown = look("e\u0301" * 300 + "oops" + "b" * 300, "oops", max_cells=60)
    assert shown.source[:2] == "…e"
    assert above(shown) == "oops"


def test_a_window_does_not_cut_a_wide_character_in_half() -> None:
    for max_cells in range(30, 50):
        shown = look("猫" * 100 + "oops" + "猫" * 100, "oops", max_cells=max_cells)
        assert width(shown.source) <= max_cells
        assert above(shown) == "oops"


def test_a_mark_longer_than_the_window_ends_with_it() -> None:
    shown = look("ab " + "x" * 500, "x" * 500, max_cells=60)
    assert shown.indent + shown.mark <= 60
    assert shown.source.endswith("…")


def test_the_work_is_bounded_by_the_window() -> None:
    """A line of combining marks takes no cells at all; it is cut by count."""
    shown = look("a" + "\u0301" * 100_000 + "oops", "oops", max_cells=60)
    assert len(shown.source) < 1_000


_LINE = st.text(
    st.one_of(
        st.characters(exclude_characters="\r\n"),
        st.sampled_from('\t\x1b\u202e\u0301\u0308猫😀\udc80{}":, ab'),
    ),
    max_size=200,
)


@given(_LINE, st.integers(0, 200), st.integers(0, 12), st.integers(30, 120))
def test_the_text_above_the_mark_is_the_escaped_text_of_the_span(line: str, at: int, size: int, max_cells: int) -> None:
    start = min(at, len(line))
    end = min(start + size, len(line))
    while start < end < len(line) and not width(escape(line[end])):
        end += 1
    shown = excerpt(Lines(line), Span(start, end), max_cells=max_cells)
    assert width(shown.source) <= max_cells
    assert shown.indent + shown.mark <= max_cells
    assert shown.mark >= 1
    assert escape(shown.source) == shown.source
    inside = line[start:end]
    if inside and width(escape(inside[0])) and "\t" not in inside:
        marked = above(shown)
        assert marked == escape(inside) or escape(inside).startswith(marked.removesuffix("…"))
        assert len(marked.removesuffix("…")) >= 1
