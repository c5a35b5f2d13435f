"""Every rule fires on what it must, is quiet on what it must not, and says what it is about."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

from lint.case import Case, example_target, found_by
from pratique.lint.book import rules
from pratique.lint.rule import Rule

MIN_CASES = 3
"""Targets on which a rule must fire, and as many on which it must not."""
FILES = {
    Path(str(importlib.import_module(rule.check.__module__).__file__)).stem: rule for rule in rules()
}  # fmt: skip


def cases(kind: str) -> list[Any]:
    """Return (rule, claim, case) of every case file."""
    found = []
    for file, rule in FILES.items():
        listed = getattr(importlib.import_module(f"lint.cases.{file}"), kind)
        found += [pytest.param(rule, case, id=f"{rule.code}-{claim}") for claim, case in listed.items()]
    return found


@pytest.mark.parametrize(("rule", "case"), cases("FIRES"))
def test_a_rule_fires_where_it_must(rule: Rule, case: Any) -> None:
    """With the pointers and the level that the case names."""
    found = found_by(rule, case)
    assert found
    assert {finding.code for finding in found} == {rule.code}
    if isinstance(case, Case) and case.at is not None:
        assert sorted(finding.pointer for finding in found) == sorted(case.at)
    if isinstance(case, Case) and case.level is not None:
        assert {finding.level for finding in found} == {case.level}


@pytest.mark.parametrize(("rule", "case"), cases("QUIET"))
def test_a_rule_is_quiet_where_it_must_be(rule: Rule, case: Any) -> None:
    """A linter that cries wolf is switched off."""
    assert [str(finding) for finding in found_by(rule, case)] == []


@pytest.mark.parametrize("file", FILES)
def test_a_rule_has_cases_of_both_kinds(file: str) -> None:
    """And its file is named by its code and its name."""
    rule = FILES[file]
    listed = importlib.import_module(f"lint.cases.{file}")
    assert len(listed.FIRES) >= MIN_CASES
    assert len(listed.QUIET) >= MIN_CASES
    assert file == f"{rule.code}_{rule.name}".lower().replace("-", "_")


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.code)
def test_the_examples_of_a_rule_are_what_they_say(rule: Rule) -> None:
    """They are printed by ``pratique explain`` and in the docs."""
    bad, good = (Case(example_target(example), rule.thresholds) for example in (rule.bad, rule.good))
    assert found_by(rule, bad)
    assert [str(finding) for finding in found_by(rule, good)] == []


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.code)
def test_a_rule_says_what_why_and_how(rule: Rule) -> None:
    """A rule without a source is somebody's taste."""
    assert rule.title[:1].islower() or rule.title.split()[0].isupper()
    assert not rule.title.endswith(".")
    assert len(rule.why) > 40
    assert rule.help
    assert rule.evidence
    assert all(len(each) > 10 for each in rule.evidence)


def test_codes_and_names_are_there_once() -> None:
    """A code is stable API."""
    assert len({rule.code for rule in rules()}) == len(rules())
    assert len({rule.name for rule in rules()}) == len(rules())
    assert all(re.fullmatch("L[SP][0-9]{3}", rule.code) for rule in rules())
