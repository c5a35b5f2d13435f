"""``pratique explain``."""

from __future__ import annotations

import json

import pytest

from pratique.cli import main
from pratique.cli.explained import all_codes, example_text, printable
from pratique.lint.book import rules
from pratique.lint.rule import Rule


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
    assert listed == [*sorted(all_codes()), *(rule.code for rule in rules())]


def test_explain_as_json_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "delivery.too_large", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told.keys() == {"id", "title", "why", "help", "refused", "passes", "reason"}


def test_explain_alone_as_json_is_a_list_of_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--json"]) == 0
    listed = [code["id"] for code in json.loads(capsys.readouterr().out)]
    assert listed == [*sorted(all_codes()), *(rule.code for rule in rules())]


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.code)
def test_every_lint_rule_can_be_explained_by_code_and_by_name(rule: Rule, capsys: pytest.CaptureFixture[str]) -> None:
    for word in (rule.code, rule.code.lower(), rule.name):
        assert main(["explain", word]) == 0
        page = capsys.readouterr().out
        assert page.startswith(f"{rule.code} {rule.name} ({rule.level.value}): {rule.title}\n")
        assert "\nis quiet on:\n" in page
    assert main(["explain", rule.code, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == rule.name


def test_an_example_that_fits_on_a_line_stands_on_one() -> None:
    assert example_text({"type": "string"}) == '{"type": "string"}'
    long = {"properties": {f"field_{index}": {"type": "string"} for index in range(9)}}
    written = example_text(long)
    assert json.loads(written) == long
    assert '    "field_3": {"type": "string"},' in written.splitlines()


def test_an_unknown_code_gets_the_nearest_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "delivery.to_large"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert 'no code is called "delivery.to_large"' in printed.err
    assert "did you mean delivery.too_large?" in printed.err


def test_a_code_like_no_other_gets_no_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "%%%%"]) == 2
    assert "did you mean" not in capsys.readouterr().err


def test_an_example_keeps_its_lines_and_nothing_else_a_terminal_obeys() -> None:
    assert printable("a\n\x1b[31mb\tc\n") == "a\n\\x1b[31mb\\tc"
