"""``pratique explain``."""

from __future__ import annotations

import json

import pytest

from pratique.cli import main
from pratique.cli.explain import all_codes, printable


def test_explain_prints_title_why_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "delivery.too_large"]) == 0
    assert capsys.readouterr().out == (
        "delivery.too_large: the delivery is larger than limits.max_bytes\n"
        "\n"
        "Memory and time grow with the delivery; past the limit it is not read at all.\n"
        "\n"
        "help: raise limits.max_bytes, or ask for less\n"
    )


@pytest.mark.parametrize("code", all_codes())
def test_every_code_can_be_explained(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    known = all_codes()[code]
    assert main(["explain", code]) == 0
    page = capsys.readouterr().out
    assert page.startswith(f"{code}: {known.title}\n")
    assert ("\nrefused:\n" in page) is bool(known.refused)
    assert ("\npasses:\n" in page) is bool(known.passes)


def test_explain_alone_lists_all_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == sorted(all_codes())


def test_explain_as_json_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "delivery.too_large", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told.keys() == {"id", "title", "why", "help", "refused", "passes", "reason"}


def test_explain_alone_as_json_is_a_list_of_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--json"]) == 0
    assert [code["id"] for code in json.loads(capsys.readouterr().out)] == sorted(all_codes())


def test_an_unknown_code_gets_the_nearest_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "delivery.to_large"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert 'no code is called "delivery.to_large"' in printed.err
    assert "did you mean delivery.too_large?" in printed.err


def test_a_code_like_no_other_gets_no_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "0000"]) == 2
    assert "did you mean" not in capsys.readouterr().err


def test_an_example_keeps_its_lines_and_nothing_else_a_terminal_obeys() -> None:
    assert printable("a\n\x1b[31mb\tc\n") == "a\n\\x1b[31mb\\tc"
