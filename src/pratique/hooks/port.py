"""The port of entry of one contract: what a framework brings is judged here, and what was refused is kept.

Neighbours: each hook makes a ``Delivery`` of its framework's reply and admits it through a port.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from blake3 import blake3
from pydantic_core import to_jsonable_python

from pratique.boundary.admission import Admission, Status
from pratique.boundary.delivery import Delivery
from pratique.contract import Contract
from pratique.errors import CODES, Misuse
from pratique.events import EventSink
from pratique.terms import Locality, Shape, Terms

if TYPE_CHECKING:
    from pratique.dialects.compiling import Compiled
    from pratique.quarantine.store import QuarantineStore

__all__ = ["NOTHING_THERE", "Port", "References", "require_tools"]

T = TypeVar("T")

MAX_TOLD_FINDINGS = 20
"""Findings in one feedback: a producer mends a handful at a time, and each costs tokens of the next request."""

NOTHING_THERE = "Nothing of it was admitted, and nothing in it is to be mended: it has no unit of what was asked for."
"""What is told where a call is refused without a finding: an empty list for one unit, or a refusal in-band."""

MAX_RUN_ID_CHARS = 200
"""Of the name under which a delivery is kept: ids of calls and messages are the producer's, of any length."""

_STEP = re.compile(r"\.(\w+)|\[\d+\]")

References = Mapping[str, Iterable[str]] | Callable[[], Mapping[str, Iterable[str]]]
"""The allow-lists, or what reads them at each call: what exists changes while an agent runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Port(Generic[T]):
    """Judge each delivery of one contract in the same way, and keep in quarantine what was refused.

    Shape: ``compiled`` is what the producer was asked with, None where it was asked in the contract's own shape.
        ``references`` are the allow-lists, or a function that reads them at each delivery.
        ``quarantine`` keeps every admission that lost something; None: nothing is kept but in the admission.
    Errors: as ``Contract.admit``; an Outage when the quarantine cannot be written: nothing is admitted unkept.
    """

    contract: Contract[T]
    compiled: Compiled | None = None
    references: References | None = None
    quarantine: QuarantineStore | None = None
    events: EventSink | None = None

    def admit(self, delivery: Delivery, *, run_id: str | None = None, attempt: int | None = None) -> Admission[T]:
        """Judge one delivery; keep what was refused before anybody sees what was admitted.

        Shape: with ``run_id`` and ``attempt`` told, the same delivery is kept once, however often it is judged.
        Not checked: whether what an admitted unit says is true.
        """
        known = self.references() if callable(self.references) else self.references
        admission = self.contract.admit(delivery, compiled=self.compiled, references=known, events=self.events)
        if self.quarantine is not None:
            self.quarantine.keep(admission, run_id=_bounded(run_id), attempt=attempt)
        return admission

    def admit_call(
        self,
        delivery: Delivery,
        place: int,
        *,
        takes: Container[str] = (),
        run_id: str | None = None,
        attempt: int | None = None,
    ) -> tuple[Admission[T], dict[str, Any] | None]:
        """Judge one tool call of a delivery; return the verdict, and the arguments that the tool may run with.

        A call of a variant's tool is one unit of a list: it is judged together with its sisters, so that a batch is
        all or nothing. Every other call is a delivery of its own. A tool cannot be told that it gets a part of what
        was meant: after a cut it does not run. Of a list that is its own argument, the sound units go to the tool.

        Shape: ``place`` counts the calls of the delivery from 0. The arguments are plain JSON values in the
            contract's own shape, without the tag that the tool's name stands for, unless the tool ``takes`` it. None:
            the tool must not run. ``run_id`` and ``attempt`` name the delivery: each of its calls is kept once,
            however often it or a sister is judged.
        Errors: as ``admit``; Misuse for a type that writes itself otherwise than it is read.
        """
        calls = delivery.tool_calls
        if self._is_of_a_list(calls[place].name):
            sisters = [number for number, call in enumerate(calls) if self._is_of_a_list(call.name)]
        else:
            sisters = [place]
        judged = replace(delivery, text="", tool_calls=tuple(calls[number] for number in sisters))
        named = calls[sisters[0]].id or f"call {sisters[0]}"
        admission = self.admit(judged, run_id=None if run_id is None else f"{run_id}/{named}", attempt=attempt)
        return admission, self._arguments(admission, sisters.index(place), takes)

    def feedback(self, admission: Admission[T]) -> list[dict[str, str]]:
        """Tell the producer what to mend: typed findings, and not a word that the producer wrote.

        What a producer wrote may hold what somebody else wants a model to read; it does not go back into a prompt.

        Shape: each finding by its code, title, help and path; a key that the contract does not declare is ``[*]``.
        Limits: at most MAX_TOLD_FINDINGS, each once.
        """
        terms = self.contract.terms
        known = {*terms.unit.keys, *terms.unit.all_keys, *self._wire.at}
        known |= terms.envelope.all_keys | terms.envelope.keys if terms.envelope else set()
        told: list[dict[str, str]] = []
        for finding in admission.refusing_findings:
            code = CODES.get(finding.code)
            said = {"code": finding.code, "path": _declared(finding.path, known)}
            said |= {"title": code.title} if code else {}
            said |= {"help": finding.help} if finding.help else {}
            if said not in told and len(told) < MAX_TOLD_FINDINGS:
                told.append(said)
        return told

    def told(self, admission: Admission[T]) -> str:
        """Write the feedback as one JSON text, for a model; empty where nothing was refused."""
        findings = self.feedback(admission)
        return json.dumps({"refused": findings, "truncated": admission.truncated}) if findings else ""

    def is_tool(self, name: str) -> bool:
        """Say whether the producer was asked for a tool of that name."""
        return self._wire.is_tool(name)

    def takes_a_list_alone(self, name: str) -> bool:
        """Say whether the tool of that name would have to be called with a list: no call is."""
        return self._wire.locality is not Locality.ONE and not self._wire.at and not self._is_of_a_list(name)

    @property
    def schemas(self) -> dict[str, Mapping[str, Any]]:
        """What the producer is asked with: the schema of each tool by its name; nothing where it was told in words."""
        compiled = self.compiled
        if compiled is None or compiled.form == "words":
            return {}
        variants = compiled.form == "tools" and all(
            self._wire.unit.tag_of(name) is not None for name in compiled.schema
        )
        return deepcopy(dict(compiled.schema) if variants else {compiled.terms.tool_name: compiled.schema})

    def said(self, word: str) -> Any:
        """Return what the compiled request says beside its schemas, ``strict`` for one; None where it says nothing."""
        return None if self.compiled is None else _said(self.compiled.request, word)

    @property
    def _wire(self) -> Terms[T]:
        """The terms in the shape that the producer was asked in."""
        return (self.contract if self.compiled is None else self.contract.via(self.compiled)).terms

    def _is_of_a_list(self, name: str) -> bool:
        """Say whether a call of that name is one unit of several."""
        return self._wire.locality is not Locality.ONE and self._wire.unit.tag_of(name) is not None

    def _arguments(self, admission: Admission[T], place: int, takes: Container[str]) -> dict[str, Any] | None:
        """Return what the tool of one judged call runs with."""
        terms = self.contract.terms
        partly = terms.locality is Locality.ITEM and admission.status is Status.PARTIAL
        if admission.truncated or not (partly or admission.status in (Status.CLEAN, Status.EMPTY)):
            return None
        calls = admission.delivery.tool_calls
        tag = self._wire.unit.tag_of(calls[place].name)
        if terms.locality is not Locality.ONE and tag is None:
            return self._list(admission, partly=partly)
        start = sum(len(before.arguments) + 1 for before in calls[:place]) + 1
        mine = [unit for unit in admission.units if start <= unit.span.start <= start + len(calls[place].arguments)]
        if len(mine) != 1:
            return None
        dropped = terms.unit.tags.get(tag) if tag is not None else None
        arguments = self._written(terms.unit, mine[0].value)
        return {key: value for key, value in arguments.items() if key != dropped or key in takes}

    def _list(self, admission: Admission[T], *, partly: bool) -> dict[str, Any] | None:
        """Return the sound units, at their place in what stands around them; None when too much of it was lost."""
        terms = self.contract.terms
        if partly and (not admission.values or (terms.envelope is not None and admission.envelope is None)):
            return None
        whole: Any = [self._written(terms.unit, value) for value in admission.values]
        for key in reversed(self._wire.at):
            whole = {key: whole}
        if terms.envelope is None or admission.envelope is None or not isinstance(whole, dict):
            return whole if isinstance(whole, dict) else None
        return _within(self._written(terms.envelope, admission.envelope), whole)

    def _written(self, shape: Shape[Any], value: Any) -> Any:
        """Write a value as plain JSON; what it reads as again must be the value, or the tool gets something else."""
        try:
            plain = to_jsonable_python(value)
            same = shape.python is None or shape.validator.validate_json(json.dumps(plain)) == value
        except (ValueError, TypeError):
            same = False
        if not same:
            raise Misuse(
                f"what the contract {self.contract.name!r} reads does not come back from what it writes",
                remedy="leave SecretStr, serializers, excluded and computed fields, two aliases of one field and "
                "validators that change a value twice out of a tool's contract; or judge it yourself, by Port.admit",
            )
        return plain


def require_tools(ports: Mapping[str, Port[Any]], unjudged: Collection[str] = ()) -> None:
    """Refuse a port that is to judge a tool that its contract does not have, and one name for a list of names.

    Errors: Misuse, with the remedy.
    """
    if isinstance(unjudged, str):  # every part of the word would be a tool that is not judged
        raise Misuse("unsafe_unjudged must be names of tools", remedy=f"write unsafe_unjudged=({unjudged!r},)")
    for name, port in ports.items():
        if not port.is_tool(name):
            raise Misuse(
                f"the contract {port.contract.name!r} has no tool called {name!r}",
                remedy=f"name the contract as the tool, name={name!r}, or the tool as the contract",
            )
        if port.takes_a_list_alone(name):
            raise Misuse(
                f"the arguments of tool {name!r} are an object, and its contract wants a bare list",
                remedy='say at="items" in the contract, or give the port what compile(…, form="tools") returned',
            )


def _bounded(run_id: str | None) -> str | None:
    """Shorten a name; two stay two."""
    if run_id is None or len(run_id) <= MAX_RUN_ID_CHARS:
        return run_id
    return f"{run_id[:MAX_RUN_ID_CHARS]}…{blake3(run_id.encode('utf-8', 'surrogatepass')).hexdigest(length=8)}"


_SCHEMAS = frozenset({"schema", "parameters", "input_schema", "inputSchema", "parameters_json_schema"})
"""Where the targets put a schema: what stands in it is not the tool's own."""


def _said(part: Any, word: str) -> Any:
    if isinstance(part, Mapping):
        if word in part:
            return part[word]
        part = [inner for key, inner in part.items() if key not in _SCHEMAS]
    found = (_said(inner, word) for inner in part) if isinstance(part, (list, tuple)) else ()
    return next((said for said in found if said is not None), None)


def _within(around: dict[str, Any], inner: dict[str, Any]) -> dict[str, Any]:
    """Put the list into its envelope, at its own path."""
    return {
        **around,
        **{
            key: _within(around[key], value) if isinstance(value, dict) and isinstance(around.get(key), dict) else value
            for key, value in inner.items()
        },
    }


def _declared(path: str, known: Container[str]) -> str:
    """Write a path without keys that only the producer knows."""
    told, rest = "$", path.removeprefix("$")
    while step := _STEP.match(rest):
        told += step[0] if step[1] is None or step[1] in known else "[*]"
        rest = rest[step.end() :]
    return f"{told}[*]" if rest else told
