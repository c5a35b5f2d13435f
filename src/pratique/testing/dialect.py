"""The conformance kit of a dialect: what every target must do, as tests that anybody can run on their own.

Subclass ``DialectConformance`` in a test file, name the dialect, and let pytest collect it::

    class TestMyTarget(DialectConformance):
        dialect = DIALECT

The kit uses plain ``assert``. It needs the packages llguidance, which judges schemas, and jsonschema-rs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from random import Random
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from pratique.boundary.admission import Status
from pratique.boundary.delivery import Delivery, ToolCall
from pratique.contract import Contract
from pratique.dialects.compiling import Compiled
from pratique.dialects.dialect import Dialect, WireSchema, WireTool
from pratique.dialects.nodes.constraint import OF_THE_LENS, Fate
from pratique.dialects.plan import Form
from pratique.dialects.profile import Known, Support
from pratique.errors import Misuse
from pratique.testing.oracle import Grammar

__all__ = ["DialectConformance"]

SAMPLES = 10
"""Texts sampled from each schema."""


class _Bump(BaseModel):
    """A plan."""

    kind: Literal["dep_bump"]
    manifest: Annotated[str, Field(max_length=200)]
    to: Annotated[str, Field(pattern=r"^[0-9]+(\.[0-9]+)*$")]


class _Rewrite(BaseModel):
    """A plan whose tag does not come first."""

    files: Annotated[list[str], Field(min_length=1, max_length=3)]
    kind: Literal["rewrite"]
    note: str | None = None


class _Refuse(BaseModel):
    """A plan that declines."""

    kind: Literal["refuse"]
    reason: Literal["unknown", "unsafe"]


class _Corners(BaseModel):
    """One field for each thing that a dialect may not have."""

    counts: dict[str, int]
    pair: tuple[int, str]
    marks: set[Literal["a", "b", "c"]] = set()
    level: Literal[1, 2, 3] = 2
    mixed: Literal["x", 1, None] = None
    note: str | None = "none"
    ratio: Annotated[float, Field(ge=0, lt=1)] = 0.5
    either: dict[str, int] | list[int] = []
    loose: Any = None


class _Tree(BaseModel):
    """A value that is part of itself."""

    name: str
    below: list[_Tree] = []


_PLANS = Annotated[_Bump | _Rewrite | _Refuse, Field(discriminator="kind")]


@dataclass(frozen=True, slots=True)
class _Case:
    contract: Contract[Any]
    documents: tuple[Any, ...]


def _cases() -> Iterator[_Case]:
    bump = {"kind": "dep_bump", "manifest": "package.json", "to": "1.2"}
    rewrite = {"files": ["a", "ü\n"], "kind": "rewrite"}
    refuse = {"kind": "refuse", "reason": "unsafe"}
    corners = {"counts": {"a": 1, "": -2}, "pair": [3, "x"]}
    full = {
        **corners, "marks": ["b", "a"], "level": 3, "mixed": 1, "note": None, "ratio": 0.25, "either": {"k": 1},
        "loose": [{"deep": None}, "text"],
    }  # fmt: skip
    leaf = {"name": "leaf"}
    deep: dict[str, Any] = {"name": "0"}
    for number in range(3):
        deep = {"name": str(number + 1), "below": [deep, leaf]}
    yield _Case(Contract.one(_PLANS, name="plan"), (bump, rewrite, refuse, {**rewrite, "note": "n"}))
    yield _Case(Contract.items(_PLANS, at="plans", name="plans"), ({"plans": [bump, refuse]}, {"plans": [rewrite]}))
    yield _Case(Contract.batch(_Corners, name="corners"), ([corners, full], [full]))
    yield _Case(Contract.one(_Tree, name="tree"), (leaf, deep))


class DialectConformance:
    """Hold one dialect to what every dialect must do. Set ``dialect``."""

    dialect: Dialect

    @property
    def forms(self) -> tuple[Form, ...]:
        """The forms in which the dialect can ask, but for words."""
        found: list[Form] = []
        if self.dialect.schema_request is not None:
            found.append("schema")
        if self.dialect.tool is not None and self.dialect.tool_request is not None:
            found.append("tools")
        return tuple(found)

    def _compiled(self) -> Iterator[tuple[_Case, Compiled]]:
        for form in self.forms:
            for case in _cases():
                yield case, case.contract.compile(self.dialect, form=form)

    def test_each_cell_says_how_it_is_known(self) -> None:
        """A table that nobody can check is no table."""
        for name, cell in self.dialect.profile.cells.items():
            assert cell.source, name
            assert isinstance(cell.support, Support), name
            assert isinstance(cell.known, Known), name
        assert date.fromisoformat(self.dialect.profile.read_on)

    def test_requests_are_plain_json(self) -> None:
        """No provider's package is needed to send one."""
        schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
        if self.dialect.schema_request is not None:
            json.dumps(self.dialect.schema_request(WireSchema("name", "", schema)))
        if self.dialect.tool is not None and self.dialect.tool_request is not None:
            json.dumps(self.dialect.tool_request([self.dialect.tool(WireTool("name", "", schema))]))

    def test_names_are_within_the_endpoints_rule(self) -> None:
        """A name that the endpoint refuses costs the request."""
        for _, compiled in self._compiled():
            for name in compiled.schema if len(compiled.tools) > 1 else ():
                assert re.fullmatch(self.dialect.profile.tool_name, name)

    def test_each_valid_document_is_accepted_and_admitted(self) -> None:
        """Nothing is over-constrained, and what is led out comes back."""
        for case, compiled in self._compiled():
            for document in case.documents:
                plain = case.contract.admit(json.dumps(document))
                assert plain.status is Status.CLEAN
                admission = case.contract.admit(_delivered(compiled, document), compiled=compiled)
                assert admission.status is Status.CLEAN, (document, admission.findings)
                assert admission.values == plain.values

    def test_what_is_enforced_is_kept(self) -> None:
        """A text that the schema lets through keeps all that was told as enforced."""
        for case, compiled in self._compiled():
            if compiled.form == "tools" or case.contract.terms.locality.value != "one":
                continue
            judge = _judge(compiled.promised())
            rng = Random(case.contract.name)
            grammar = Grammar(compiled.schema)
            for _ in range(SAMPLES):
                text = grammar.sample(rng)
                if text is None:
                    continue
                try:
                    back = compiled.lens.back(json.loads(text))
                except ValueError:  # what only the wire's shape has was broken
                    assert any(row.pointer in OF_THE_LENS for row in compiled.residue), text
                else:
                    assert judge.is_valid(back), text

    def test_nothing_is_told_as_enforced_that_the_profile_does_not_keep(self) -> None:
        """The report of a constraint follows the table."""
        for _, compiled in self._compiled():
            for row in compiled.constraints:
                if row.fate is Fate.ENFORCED and row.keyword in ("pattern", "format", "multipleOf", "uniqueItems"):
                    assert self.dialect.profile.keeps(row.keyword), row


def _delivered(compiled: Compiled, document: Any) -> Delivery:
    """Write a document as the endpoint would, and hold the schema to it."""
    if compiled.form != "tools" or len(compiled.tools) == 1:
        text = json.dumps(compiled.lens.out(document), ensure_ascii=False)
        assert Grammar(compiled.schema).accepts(text), text
        call = (ToolCall(compiled.terms.tool_name, text),)
        return Delivery(tool_calls=call) if compiled.form == "tools" else Delivery(text=text)
    units = document.get("plans", [document])
    tag = next(iter(compiled.terms.unit.tags.values()))
    names = {value: name for name, value in compiled.terms.unit.tools.items()}
    calls = []
    for unit in units:
        wire = compiled.lens.out([unit])[0] if "plans" in document else compiled.lens.out(unit)
        name = names.get(unit[tag], unit[tag])
        text = json.dumps(wire, ensure_ascii=False)
        assert Grammar(compiled.schema[name]).accepts(text), text
        calls.append(ToolCall(name, text))
    return Delivery(tool_calls=tuple(calls))


def _judge(schema: dict[str, Any]) -> Any:
    try:
        import jsonschema_rs
    except ImportError as error:
        raise Misuse("the kit needs the package jsonschema-rs", remedy="pip install 'pratique[schema]'") from error
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
