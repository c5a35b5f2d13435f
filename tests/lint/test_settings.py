"""A project's own settings, ignores with their reasons, and the assertion for a test suite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lint.case import obj, tool
from pratique import Misuse
from pratique.lint import Configuration, Ignore, Level, Thresholds, lint
from pratique.testing import require_lint_clean

DEEP = obj({"a": obj({"b": obj({"c": obj({"d": {"type": "boolean"}})})})})
NOT_SO_DEEP = obj({"a": obj({"b": {"type": "boolean"}})})


def test_a_project_without_settings_gets_the_defaults(tmp_path: Path) -> None:
    """The table may be missing, or the file hold other things alone."""
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    assert Configuration.read(tmp_path / "pyproject.toml") == Configuration()
    assert Configuration().fail_on is Level.ERROR


def test_every_key_is_read(tmp_path: Path) -> None:
    """As the module's docstring shows them."""
    (tmp_path / "p.toml").write_text(
        '[tool.pratique.lint]\ntarget = ["anthropic/messages"]\nfail-on = "never"\nlevel = "info"\nmax-tokens = 4096\n'
        'same-behaviour = [["a", "b"]]\nthresholds = { warn_depth = 4 }\n'
        '[[tool.pratique.lint.ignore]]\ncode = "LS022"\npath = "x#*"\nreason = "because"\n',
        encoding="utf-8",
    )
    assert Configuration.read(tmp_path / "p.toml") == Configuration(
        target=("anthropic/messages",), fail_on=None, level=Level.INFO, same_behaviour=(("a", "b"),),
        thresholds=Thresholds(warn_depth=4, max_tokens=4096), ignore=(Ignore("LS022", "x#*", "because"),),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"targets": []}, 'no key "targets"'),
        ({"fail-on": "lost"}, "fail-on cannot be"),
        ({"level": "never"}, "level cannot be"),
        ({"thresholds": {"depth": 3}}, 'cannot hold "depth"'),
        ({"thresholds": {"warn_depth": "3"}}, "warn_depth must be a number"),
        ({"thresholds": {"warn_depth": -1}}, "warn_depth must be a number"),
        ({"ignore": {"code": "LS001"}}, "where a list is due"),
        ({"ignore": [{"code": "LS001", "path": "*"}]}, "an ignore needs a reason"),
        ({"ignore": [{"code": "LS001", "path": "*", "why": "x"}]}, "ignore cannot hold"),
        ({"same-behaviour": ["a"]}, "where a list is due"),
        ({"same-behaviour": [[1]]}, "same-behaviour cannot hold"),
        ({"target": 3}, "where a list is due"),
    ],
)
def test_a_setting_that_cannot_be_is_told(said: dict[str, Any], told: str) -> None:
    """A misspelt key that is passed over would be a rule switched off unseen."""
    with pytest.raises(Misuse, match=told):
        Configuration.of(said)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """Missing, or no TOML."""
    with pytest.raises(Misuse, match="cannot be read"):
        Configuration.read(tmp_path / "gone.toml")
    (tmp_path / "bad.toml").write_text("a = [", encoding="utf-8")
    with pytest.raises(Misuse, match="cannot be read"):
        Configuration.read(tmp_path / "bad.toml")


@pytest.mark.parametrize(
    ("path", "matches"),
    [
        ("*", True),
        ("tools/search#*", True),
        ("tools/s*#/properties/a/*", True),
        ("tools/search#/properties/a/properties/b/properties/c", True),
        ("tools/searches#*", False),
        ("search", False),
        ("TOOLS/*", False),
    ],
)
def test_an_ignore_matches_by_subject_and_pointer(path: str, matches: bool) -> None:
    """What it leaves out stays in the report, with the reason."""
    report = lint([tool(DEEP)], only=["LS020"], ignore=[Ignore("LS020", path, "upstream")])
    assert bool(report.ignored) is matches
    assert bool(report.findings) is not matches
    assert bool(report.unused) is not matches
    assert [finding.ignored for finding in report.ignored] == ["upstream"] * len(report.ignored)


def test_an_ignore_is_for_one_rule() -> None:
    """Another rule's findings at the same place stay."""
    report = lint([tool(DEEP)], only=["LS020"], ignore=[Ignore("LS022", "*", "breadth is fine")])
    assert report.findings
    assert [ignore.code for ignore in report.unused] == ["LS022"]


def test_the_assertion_passes_what_is_clean_and_lists_what_is_not() -> None:
    """Every finding, and every ignore that is out of date."""
    require_lint_clean(NOT_SO_DEEP, level="error")
    with pytest.raises(AssertionError, match="LS020 warn: 4 levels"):
        require_lint_clean(DEEP, level=Level.WARN)
    require_lint_clean(DEEP, ignore=[Ignore("LS020", "*", "upstream")])
    with pytest.raises(AssertionError, match="ignore matches nothing: LS020 at"):
        require_lint_clean(NOT_SO_DEEP, ignore=[Ignore("LS020", "*", "it was deep once")])


def test_the_assertion_counts_a_providers_limits_when_one_is_named() -> None:
    """Without a target they are not looked at."""
    open_map = obj({"m": {"type": "object", "additionalProperties": {"type": "boolean"}}})
    require_lint_clean(open_map)
    with pytest.raises(AssertionError, match="LP"):
        require_lint_clean(open_map, target="openai/chat")
