"""Contracts of real-world schemas judge as their labels say; what differs is known one by one, with its cause.

All schemas are judged in each way of asking, not a sample: about half a minute on one core.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from bench import schemas

from pratique import Contract, Locality, Misuse

pytestmark = pytest.mark.slow

MUTATIONS = 2_000
"""Schemas with one place changed at random; about five seconds."""


@pytest.fixture(autouse=True, scope="module")
def data_is_there() -> None:
    """Skip by name on a developer's machine without the data; in CI that fails."""
    if not schemas.DATA.exists():
        reason = f"the schemas are not there: {schemas.DATA.name} belongs into shared/data beside this clone"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.mark.parametrize("way", schemas.WAYS)
def test_every_verdict_equals_its_label_but_for_the_exceptions_that_are_told(way: str) -> None:
    """Both ways round: an exception that goes away is to be taken out of the record.

    A schema is refused only for a format that nobody asserts, and is taken when it is mended as the refusal says.
    """
    found = schemas.run(way)
    assert len(found.judged) == len(schemas.entries()) > 3_000
    assert len(found.verdicts()) == sum(len(entry.tests) for entry in schemas.entries()), "an instance was not judged"
    assert schemas.unexplained(found) == []
    if way == "value":  # formats asserted, no edits, no framing to do: draft 04 with a keyword of draft 07 is left
        assert [verdict.instance for verdict in found.differing()] == ["Github_medium---o39097.json#0"]
    refused = [one for one in found.judged if one.refused]
    assert refused
    for one in refused:
        assert one.formats, one.refused
        assert f"/format: Unknown format: '{one.formats[0]}'" in one.refused
    assert way == "default" or not any(verdict.edits for verdict in found.verdicts())


def exceptions(cause: str) -> Iterator[tuple[schemas.Entry, Any, dict[str, schemas.Verdict]]]:
    """Yield each instance that a cause is given for: its schema, its value, its verdicts by way of asking."""
    known = {entry.id: entry for entry in schemas.entries()}
    for instance in schemas.CAUSES[cause].instances:
        id, _, place = instance.partition("#")
        judged = {way: schemas.judge(known[id], way) for way in schemas.WAYS}
        by_way = {way: found.verdicts[int(place)] for way, found in judged.items()}
        yield known[id], known[id].tests[int(place)][1], by_way


def test_the_cause_case_is_the_cause() -> None:
    """Letter case was restored, and nothing else; without that edit the instance is refused."""
    for _, _, verdicts in exceptions("case"):
        assert set(verdicts["default"].edits) == {"repair.case_restored"}
        assert not verdicts["root"].admitted
        assert not verdicts["default"].label


def test_the_cause_later_is_the_cause() -> None:
    """The judge of the draft that is named agrees with the label, that of a draft with the keyword with the verdict."""
    import jsonschema_rs

    for entry, value, verdicts in exceptions("later"):
        assert entry.schema["$schema"] == "http://json-schema.org/draft-04/schema#"
        assert verdicts["value"].label is jsonschema_rs.Draft4Validator(entry.schema).is_valid(value) is True
        today = {**entry.schema, "$schema": "http://json-schema.org/draft-07/schema#"}
        assert verdicts["value"].admitted is jsonschema_rs.Draft7Validator(today).is_valid(value) is False


# ------------------------------------------------------------------ schemas that are broken

JUNK: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 10**400, "", "#", "#/", "#/$defs/a", "http://[", "/properties", "\ud800", "$ref", [],
    {}, [{}], [None], {"": {}}, {"type": "object"}, {"$ref": "#"}, {"$ref": "#/properties"}, {"a": ["b"]}, {"a": "b"},
)  # fmt: skip
KEYWORDS = """
    $anchor $defs $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $ref $schema additionalItems
    additionalProperties allOf anyOf const contains definitions dependencies dependentRequired dependentSchemas else
    enum exclusiveMaximum exclusiveMinimum format id if items maxItems maximum minItems multipleOf not oneOf pattern
    patternProperties prefixItems properties propertyNames required then type unevaluatedItems unevaluatedProperties
    uniqueItems
"""


def objects_in(part: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in a schema, whatever it stands for."""
    if isinstance(part, dict):
        yield part
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from objects_in(inner)


def mutated(schema: dict[str, Any], random: Random) -> dict[str, Any]:
    """Change one place of a schema: another value, a keyword more, or one moved in from elsewhere."""
    schema = copy.deepcopy(schema)
    objects = list(objects_in(schema))
    chosen = random.choice(objects)
    key = random.choice([*KEYWORDS.split(), *chosen])
    chosen[key] = copy.deepcopy(random.choice([*JUNK, *(part for part in objects if part is not schema)]))
    return schema


def outcome(schema: dict[str, Any], values: list[Any], at: str) -> Misuse | None:
    """Make a contract of a schema and admit values; return why it is refused."""
    try:
        contract = Contract.from_json_schema(schema, at=at, locality=Locality.ITEM if at else Locality.ONE)
    except Misuse as misuse:
        return misuse
    for value in values:
        contract.admit(json.dumps(value))
    return None


def test_a_broken_schema_is_taken_or_refused_and_nothing_else_is_raised() -> None:
    """What is refused names the remedy; what is taken judges: two outcomes, whatever stands where."""
    random = Random(4)
    taken = 0
    for _ in range(MUTATIONS):
        entry = random.choice(schemas.entries())
        at = random.choice(["", "", *(name for name in entry.schema.get("properties", ()) if "/" not in name)])
        refused = outcome(mutated(entry.schema, random), [value for _, value in entry.tests], at)
        taken += refused is None
        if refused is not None:
            assert refused.remedy
            assert str(refused).isprintable()
    assert MUTATIONS // 10 < taken < MUTATIONS, "the mutations are all harmless, or all fatal"
