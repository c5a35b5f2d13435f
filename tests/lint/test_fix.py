"""What ``--fix`` prints: the unified type takes all that the union took, and the tag can be told from it again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import jsonschema_rs
import pytest

from lint.case import Case, found_by
from lint.cases.ls001_derivable_discriminator import FIRES, STEP
from pratique.lint.book import rule_of
from pratique.lint.finding import LintFinding
from pratique.lint.fixing.schema_text import schema_of
from pratique.lint.sources.objects import subject_of
from pratique.testing.oracle import Grammar

SAMPLES = 40
"""Payloads of one union: each arm is drawn several times."""
SEED = 20_261_122
WILD = {"type": "pipeline", "commands": [{"program": "grep", "args": ["-r", "x"]}]}
"""The payload of source 001 that a model wrote, and that the union refused."""


def closed(schema: Any) -> Any:
    """Close every object, so that no other key is drawn."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    more = {"additionalProperties": False} if schema.get("type") == "object" else {}
    return {key: closed(part) for key, part in schema.items()} | more


def union_in(target: Any) -> tuple[Any, LintFinding]:
    """Return the schema of the one union of a case, standing alone, and what was found."""
    (finding,) = found_by(rule_of("LS001"), target)
    subject = subject_of(target.target if isinstance(target, Case) else target)
    (spot,) = [spot for spot in subject.main.view.unions if spot.place == tuple(finding.pointer.split("/")[1:])]
    return closed(schema_of(spot.node)), finding


def named(finding: LintFinding) -> dict[str, Any]:
    """Run the source of a fix; return what it defines."""
    assert finding.fix is not None
    names: dict[str, Any] = {"__name__": "fix"}
    exec(compile(finding.fix.python, "fix", "exec"), names)
    return names


@pytest.mark.parametrize("claim", FIRES)
def test_what_the_union_took_the_unified_type_takes_and_the_tag_is_derived(claim: str) -> None:
    """For payloads drawn from the union's own grammar."""
    schema, finding = union_in(FIRES[claim])
    assert finding.fix is not None
    names = named(finding)
    model = names[finding.fix.title.partition(":")[0]]
    model.model_rebuild(_types_namespace=names)
    tag = finding.message.split('"')[1]
    judge = jsonschema_rs.validator_for(dict(finding.fix.schema))
    grammar, rng, drawn = Grammar(schema), Random(SEED), set()
    for _ in range(SAMPLES):
        text = grammar.sample(rng)
        if text is None or json.loads(text) is None:
            continue
        payload = json.loads(text)
        converted = names["without_tag"](payload)
        assert judge.is_valid(converted), (payload, converted)
        model.model_validate_json(json.dumps(converted))
        assert tag not in converted
        if "tagged either way" not in finding.message:
            assert names["tag_of"](converted) == payload[tag], payload
        assert names["without_tag"](converted) == converted
        drawn.add(payload[tag])
    assert len(drawn) > 1, "the law was not tried on every arm"


def test_the_payload_of_the_source_is_taken_by_the_unified_type_alone() -> None:
    """The union refuses it for its tag; nothing else is wrong with it."""
    _, finding = union_in(STEP)
    names = named(finding)
    assert finding.fix is not None
    assert not jsonschema_rs.is_valid(STEP, WILD)
    converted = names["without_tag"](WILD)
    assert jsonschema_rs.is_valid(dict(finding.fix.schema), converted)
    assert names["tag_of"](converted) == "command"


@pytest.mark.slow
def test_the_source_of_every_fix_type_checks(tmp_path: Path) -> None:
    """What is printed is pasted into somebody's strict code base."""
    for number, target in enumerate(FIRES.values()):
        (finding,) = found_by(rule_of("LS001"), target)
        assert finding.fix is not None
        (tmp_path / f"fix_{number}.py").write_text(finding.fix.python, encoding="utf-8")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    done = subprocess.run(
        [*mypy, *map(str, tmp_path.glob("*.py"))],
        capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
