"""The type checker is part of the interface: what it must say, and what it must not let pass.

Each line of ``must_fail`` that has to fail says so with ``# expect: code``. A line that passes though it
should not, or fails though it should pass, or fails with another code, fails this suite.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from pratique import Admission, Admitted, Contract, Misuse, Span, Status

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXPECT = re.compile(r"# expect: ([a-z-]+)$", re.MULTILINE)


def expected_in(file: Path) -> set[tuple[str, int, str]]:
    """Read what a file says of its own lines."""
    return {
        (file.relative_to(ROOT).as_posix(), number, found[1])
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if (found := EXPECT.search(line))
    }


def said_of(*files: Path) -> set[tuple[str, int, str]]:
    """Ask mypy: (file, line, code) of every error."""
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--output=json", *map(str, files)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode in (0, 1), run.stderr + run.stdout
    told = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    return {(one["file"], one["line"], one["code"]) for one in told if one["severity"] == "error"}


@pytest.mark.slow
def test_the_type_checker_says_what_each_line_expects_of_it() -> None:
    """must_pass passes whole; in must_fail exactly the marked lines fail, each with its code."""
    failing = sorted((HERE / "must_fail").glob("*.py"))
    assert failing
    expected: set[tuple[str, int, str]] = set()
    for file in failing:
        marked = expected_in(file)
        assert marked, f"{file.name} expects nothing: it would pass without proving anything"
        expected |= marked
    got = said_of(HERE / "must_pass.py", *failing)
    assert got == expected


def test_the_lines_that_must_pass_also_run() -> None:
    """What type-checks there is true at run time too."""
    runpy.run_path(str(HERE / "must_pass.py"))


class Unit(BaseModel):
    a: int


def admission_of(text: str = '[{"a": 1}, {"a": "x"}]') -> Admission[Unit]:
    return Contract.items(Unit).admit(text)


def test_nobody_else_makes_an_admitted_unit_or_an_admission() -> None:
    """Only the boundary holds the key; a copy with another value is not made either."""
    with pytest.raises(Misuse, match="made by admit"):
        Admitted(Unit(a=1), 0, Span(0, 8), '{"a": 1}', (), (), (), object())
    unit = admission_of().units[0]
    values: dict[str, Any] = {name.name: getattr(unit, name.name) for name in dataclasses.fields(unit) if name.init}
    with pytest.raises(Misuse, match="made by admit"):
        Admitted(**{**values, "key": object()})
    admission = admission_of()
    held: dict[str, Any] = {name.name: getattr(admission, name.name) for name in dataclasses.fields(admission)}
    with pytest.raises(Misuse, match="made by admit"):
        Admission(**{**held, "key": None})


@pytest.mark.parametrize(
    "make",
    [
        lambda admission: dataclasses.replace(admission, status=Status.CLEAN),
        lambda admission: dataclasses.replace(admission),
        lambda admission: dataclasses.replace(admission.units[0], value=Unit(a=9)),
    ],
)
def test_no_changed_copy_of_a_verdict_can_be_made(make: Any) -> None:
    """``replace`` is the short way to forge one; it asks for the key, and only the boundary holds it."""
    with pytest.raises(ValueError, match="'key' must be specified"):
        make(admission_of())


def test_a_copy_with_another_key_is_no_verdict() -> None:
    """To give a key is not enough."""
    admission = admission_of()
    with pytest.raises(Misuse, match="made by admit"):
        dataclasses.replace(admission, status=Status.CLEAN, key=object())
    with pytest.raises(Misuse, match="made by admit"):
        dataclasses.replace(admission.units[0], value=Unit(a=9), key=object())


@pytest.mark.parametrize("copied", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_verdict_cannot_be_pickled_or_copied(copied: Any) -> None:
    """What comes back from a pickle would not have been judged; the message says what to do instead."""
    admission = admission_of()
    for verdict in (admission, admission.units[0]):
        with pytest.raises(TypeError, match=r"cannot be pickled.*use to_dict\(\)"):
            copied(verdict)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (lambda admission: admission, "status"),
        (lambda admission: admission, "values"),
        (lambda admission: admission.units[0], "value"),
        (lambda admission: admission.quarantined[0], "raw"),
        (lambda admission: admission.quarantined[0].findings[0], "code"),
    ],
)
def test_a_verdict_is_frozen_at_run_time(target: Any, name: str) -> None:
    """What the type checker says holds for those who do not ask it."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(target(admission_of()), name, None)


def test_a_contract_is_frozen_at_run_time() -> None:
    """A contract is shared between threads; its terms cannot be exchanged under it."""
    contract = Contract.items(Unit)
    with pytest.raises(AttributeError):
        contract.terms = Contract.items(Unit, keep="first").terms  # type: ignore[misc]  # that is the point


def test_a_check_for_another_unit_costs_every_unit_and_says_so() -> None:
    """Who does not ask the type checker learns it from the findings: nothing is admitted unchecked."""

    def check_other(unit: Any) -> Any:
        return [unit.name.upper()]

    admission = Contract.items(Unit, checks=[check_other]).admit('[{"a": 1}]')
    assert admission.values == ()
    assert admission.status is Status.LOST
