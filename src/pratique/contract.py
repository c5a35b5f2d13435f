"""The contract: what a producer may emit, and the gate that holds it to that.

One object joins the terms (what is accepted) with the boundary (how it is judged). Three constructors
name the three localities: ``items`` (one bad unit costs one unit), ``one``, ``batch`` (all or nothing).
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from typing_extensions import TypeForm

from pratique.boundary.admission import Admission
from pratique.boundary.admit import admit
from pratique.boundary.chunk import Chunk
from pratique.boundary.delivery import Delivery, Producer, delivery_of
from pratique.boundary.release import Release, release_of
from pratique.boundary.repair import DEFAULT_EDITS, EDITS
from pratique.boundary.stream import Stream
from pratique.errors import Finding, Misuse
from pratique.events import EventSink
from pratique.limits import MAX_RECURSION, Limits
from pratique.show import show
from pratique.terms import (
    Check,
    Frames,
    Keep,
    Locality,
    Shape,
    Terms,
    arms_of,
    compile_type,
    fingerprint_of,
    name_of,
)

if TYPE_CHECKING:  # compiling is imported by those who compile: judging does not wait for it
    from pratique.dialects.compiling import Compiled
    from pratique.dialects.dialect import Dialect
    from pratique.dialects.plan import Form
    from pratique.dialects.words.framing import Framing
    from pratique.dialects.words.size import Size
    from pratique.dialects.words.told import Told

__all__ = ["Contract", "allow_lists"]

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Contract(Generic[T]):
    """Say what a producer may emit; judge what it did emit.

    Make one with ``Contract.items``, ``Contract.one``, ``Contract.batch`` or ``Contract.from_json_schema``,
    once, at import time: compiling costs milliseconds, judging does not. A contract is immutable and safe
    to share between threads.
    """

    terms: Terms[T]

    def __repr__(self) -> str:
        terms = self.terms
        return f"<Contract {terms.name}@{terms.version} {terms.locality} {terms.fingerprint}>"

    # ------------------------------------------------------------------ making one

    @staticmethod
    def items(
        unit: TypeForm[U],
        *,
        at: str = "",
        envelope: Any = None,
        name: str = "",
        version: str = "1",
        limits: Limits | None = None,
        unique: Sequence[str | tuple[str, ...]] = (),
        order_by: str | Callable[[U], Any] | None = None,
        checks: Sequence[Callable[[U], Iterable[Finding]]] = (),
        edits: Iterable[str] = DEFAULT_EDITS,
        frames: Frames = "only",
        keep: Keep = "none",
        references: Literal["partial", "refuse"] = "partial",
    ) -> Contract[U]:
        """Make a contract for a list of units, where one bad unit costs one unit.

        Shape: ``at`` is the key or JSON Pointer of the list inside its envelope; empty for a bare list.
            ``envelope`` is the type of all that stands around the list; None: nothing may.
            ``unique`` names fields (or tuples of fields) that may not come twice.
            ``order_by`` is a field, ``-field`` for highest first, or a function giving a sort key; values
            come in that order, and the first ``limits.max_items`` of them are kept.
            ``checks`` are functions from a unit to findings (see ``pratique.note`` and ``pratique.refuse``).
            ``edits`` are the codes of the lossless edits that may be made.
            ``frames`` says what to do with several payloads: ``only`` refuses, ``first``/``last``/``all`` take.
            ``keep`` says which claimant of a ``unique`` identity stays: ``none``, or the ``first``.
        Errors: Misuse when it makes no sense, with the remedy.
        """
        return _make(
            Locality.ITEM, unit, at=at, envelope=envelope, name=name, version=version, limits=limits,
            unique=unique, order_by=order_by, checks=checks, refusal=None, edits=edits, frames=frames, keep=keep,
            references=references,
        )  # fmt: skip

    @staticmethod
    def one(
        unit: TypeForm[U],
        *,
        refusal: Any = None,
        name: str = "",
        version: str = "1",
        limits: Limits | None = None,
        checks: Sequence[Callable[[U], Iterable[Finding]]] = (),
        edits: Iterable[str] = DEFAULT_EDITS,
        frames: Frames = "only",
        references: Literal["partial", "refuse"] = "refuse",
    ) -> Contract[U]:
        """Make a contract for exactly one unit: a plan, an answer.

        Shape: ``refusal`` is the variant of a closed union by which the producer declines in-band.
        Errors: Misuse when it makes no sense, with the remedy.
        """
        return _make(
            Locality.ONE, unit, at="", envelope=None, name=name, version=version, limits=limits, unique=(),
            order_by=None, checks=checks, refusal=refusal, edits=edits, frames=frames, keep="none",
            references=references,
        )  # fmt: skip

    @staticmethod
    def batch(
        unit: TypeForm[U],
        *,
        at: str = "",
        envelope: Any = None,
        name: str = "",
        version: str = "1",
        limits: Limits | None = None,
        unique: Sequence[str | tuple[str, ...]] = (),
        checks: Sequence[Callable[[U], Iterable[Finding]]] = (),
        edits: Iterable[str] = DEFAULT_EDITS,
        frames: Frames = "only",
        references: Literal["partial", "refuse"] = "refuse",
    ) -> Contract[U]:
        """Make a contract for commands that belong together: one bad unit, or a cut, costs them all.

        Errors: Misuse when it makes no sense, with the remedy.
        """
        return _make(
            Locality.BATCH, unit, at=at, envelope=envelope, name=name, version=version, limits=limits,
            unique=unique, order_by=None, checks=checks, refusal=None, edits=edits, frames=frames, keep="none",
            references=references,
        )  # fmt: skip

    @staticmethod
    def from_json_schema(
        schema: Mapping[str, Any] | bool,
        *,
        at: str = "",
        locality: Locality | str = Locality.ITEM,
        name: str = "",
        version: str = "1",
        limits: Limits | None = None,
        unique: Sequence[str | tuple[str, ...]] = (),
        order_by: str | Callable[[dict[str, Any]], Any] | None = None,
        checks: Sequence[Callable[[dict[str, Any]], Iterable[Finding]]] = (),
        edits: Iterable[str] = DEFAULT_EDITS,
        frames: Frames = "only",
        keep: Keep = "none",
        references: Literal["partial", "refuse"] = "partial",
        reference_fields: Mapping[str, str] | None = None,
    ) -> Contract[dict[str, Any]]:
        """Make a contract from a JSON Schema (draft 04 to 2020-12, formats asserted); values are plain dicts.

        Shape: ``at`` is the key or JSON Pointer of the list of units; ``maxItems`` of that list becomes
            ``limits.max_items``; all other keywords outside the units judge the envelope only.
            ``reference_fields`` maps a pointer inside the unit to the name of a reference.
        Errors: Misuse when the schema is none, has no list at ``at``, or the ``schema`` extra is missing.
        """
        from pratique.terms.json_schema import compile_json_schema

        try:
            locality = Locality(locality)
        except ValueError as error:
            raise Misuse(f"no locality is called {locality!r}", remedy="use Locality.ITEM, ONE or BATCH") from error

        compiled = compile_json_schema(
            schema, at=_pointer(at), one=locality is Locality.ONE, limits=limits, references=reference_fields or {}
        )
        return _make(
            locality, compiled.unit, list_rules=compiled.list_rules, at=at, envelope=compiled.envelope,
            name=name or compiled.title, version=version,
            limits=compiled.limits, unique=unique, order_by=order_by, checks=checks, refusal=None, edits=edits,
            frames=frames, keep=keep, references=references,
        )  # fmt: skip

    # ------------------------------------------------------------------ using it

    def admit(
        self,
        source: str | bytes | Delivery,
        *,
        compiled: Compiled | None = None,
        references: Mapping[str, Iterable[str]] | None = None,
        finish_reason: str | None = None,
        producer: Producer | str | None = None,
        events: EventSink | None = None,
    ) -> Admission[T]:
        """Judge one delivery: which units are sound, which are not and why.

        Shape: text, UTF-8 bytes, or a ``Delivery``; ``references`` maps a reference's name to what exists.
            ``compiled`` is what the producer was asked with: its lens leads each unit back before it is judged.
        Limits: ``terms.limits``; linear time in the input.
        Errors: raises nothing on account of what the producer wrote; Misuse for an unknown reference name.
        Not checked: whether what an admitted unit says is true.
        """
        known = allow_lists(self.terms, references)
        return admit(self._on_the_wire(compiled), delivery_of(source, finish_reason, producer), known, events)

    def compile(
        self,
        target: str | Dialect,
        *,
        form: Form | None = None,
        docstrings: bool = False,
        open_objects: Literal["keep", "close"] = "keep",
        max_recursion: int = MAX_RECURSION,
        examples: Sequence[Any] = (),
    ) -> Compiled:
        """Compile the contract for a provider's schema dialect: what to ask with, and what that leaves to check.

        Shape: ``target`` names an endpoint, ``anthropic/messages``; ``pratique.targets()`` lists them. A ``Dialect``
            of the caller's own does as well.
            ``form`` asks by a ``schema``, by ``tools`` or in ``words``; None: as the target usually is.
            ``docstrings`` tells the docstrings of classes as descriptions.
            ``open_objects`` says what becomes of keys that an open object does not name, where the endpoint wants
            every object closed: ``keep`` writes them as a list of pairs, ``close`` leaves no place for them.
            ``max_recursion`` is how many levels of a recursive type are written out where the endpoint keeps none.
            ``examples`` are plain JSON values in the contract's shape, for tools that have a place for them: units
            where each variant is a tool, else whole documents.
        Limits: linear in the size of the schema; the profile's own bounds are counted before anything is sent.
        Errors: Misuse for an unknown target, for a schema that the target would refuse, and for an example that the
            contract refuses, with the remedy.
        """
        from pratique.dialects.compiling import compile_terms
        from pratique.dialects.plan import Options

        options = Options(form=form, docstrings=docstrings, open_objects=open_objects, max_recursion=max_recursion)
        return compile_terms(self.terms, target, options, examples)

    def via(self, compiled: Compiled) -> Contract[T]:
        """Return the contract in the shape that a producer was asked for: for streams, quarantine and replay.

        Errors: Misuse when ``compiled`` was made of another contract.
        """
        return Contract(self._on_the_wire(compiled))

    def _on_the_wire(self, compiled: Compiled | None) -> Terms[T]:
        if compiled is None:
            return self.terms
        if not hasattr(compiled, "terms_for"):
            raise Misuse(f"{show(compiled)} was not compiled", remedy="pass what contract.compile(target) returned")
        if compiled.fingerprint != self.terms.fingerprint:
            raise Misuse(
                f"what was compiled is contract {compiled.fingerprint}, and this one is {self.terms.fingerprint}",
                remedy="compile this contract, and admit with what came of it",
            )
        return compiled.terms_for(self.terms)

    def stream(
        self,
        chunks: Iterable[str | bytes | Chunk] | AsyncIterable[str | bytes | Chunk] | None = None,
        *,
        references: Mapping[str, Iterable[str]] | None = None,
        producer: Producer | str | None = None,
        ids: Mapping[str, str] | None = None,
        provisional: bool = False,
        retain: bool = True,
        events: EventSink | None = None,
    ) -> Stream[T]:
        """Judge a delivery while it is still coming: units go out as soon as nothing can change them.

        Iterate over the result (``for``, or ``async for`` over async chunks) and read its ``admission``; or
        push: ``feed(chunk)`` returns units, ``close()`` the admission.

        Shape: chunks are text, UTF-8 bytes cut anywhere, or ``Chunk``s (``anthropic_chunks``, ``openai_chunks``).
            ``release`` says when units come: early, or at close and by which rule.
            ``provisional`` hands units out early although a rule holds them, as ``Provisional``: to be shown.
            ``retain=False`` keeps neither the text nor the units that were handed out: for endless streams.
        Limits: ``terms.limits``; linear time whatever the size of the chunks.
        Errors: raises nothing on account of what the producer wrote; Misuse for what makes no sense.
        Not checked: whether what a unit says is true.
        """
        told = replace(delivery_of("", None, producer), ids=dict(ids or {}))
        return Stream(
            self.terms, chunks, references=allow_lists(self.terms, references), delivery=told,
            provisional=provisional, retain=retain, events=events,
        )  # fmt: skip

    def told(
        self,
        *,
        framing: Framing = "document",
        references: Mapping[str, Iterable[str]] | None = None,
        example: str | None = None,
        docstrings: bool = False,
    ) -> Told:
        """Tell the contract in words, for a prompt: what to write, each field with its bounds, one worked example.

        Shape: ``framing`` is one ``document``, or a line for each unit, ``ndjson``. ``example`` is the author's own,
            where none can be made; it must pass. ``docstrings`` tells the docstrings of classes too.
        Errors: Misuse for a framing that the boundary could not read, and an example that the contract refuses.
        """
        from pratique.dialects.words.told import told

        known = None if references is None else allow_lists(self.terms, references)
        return told(self.terms, framing=framing, references=known, example=example, docstrings=docstrings)

    def worst_size(self, *, framing: Framing = "document") -> Size:
        """Compute how long the longest delivery can be that the contract admits: an upper bound.

        Errors: Misuse for a framing that the boundary could not read. What is unbounded is told in the size.
        """
        from pratique.dialects.words.size import worst_size

        return worst_size(self.terms, framing=framing)

    def max_tokens(self, *, framing: Framing = "document", headroom: float | None = None) -> int:
        """Compute the ``max_tokens`` to ask for, so that the longest delivery is not cut off.

        Units: tokens; an estimate times ``headroom`` (1.25 unless said), never more than one a byte.
        Errors: Misuse when nothing bounds a delivery, with what has to be bounded.
        """
        from pratique.dialects.words.size import HEADROOM, max_tokens_for

        return max_tokens_for(self.worst_size(framing=framing), headroom=HEADROOM if headroom is None else headroom)

    @property
    def release(self) -> Release:
        """When a stream of this contract hands units out: early, or at close and by which rule."""
        return release_of(self.terms)

    @property
    def fingerprint(self) -> str:
        """The stable digest of what this contract accepts."""
        return self.terms.fingerprint

    @property
    def name(self) -> str:
        """The contract's name: given, or the unit's."""
        return self.terms.name

    @property
    def version(self) -> str:
        """The caller's own version of the contract."""
        return self.terms.version


# ---------------------------------------------------------------------- building terms


def allow_lists(terms: Terms[Any], references: Mapping[str, Iterable[str]] | None) -> dict[str, frozenset[str]]:
    """Read the allow-lists of a call.

    Errors: Misuse for a reference that the contract does not declare, or a list that is none.
    """
    known = {name: _names(name, values) for name, values in (references or {}).items()}
    strange = known.keys() - terms.declared_references
    if strange:
        raise Misuse(
            f"no field of {terms.name} is a Reference({sorted(strange)[0]!r})",
            remedy="declare it with Annotated[str, Reference(…)], or leave the allow-list out; declared: "
            + (", ".join(sorted(terms.declared_references)) or "none"),
        )
    return known


def _names(reference: str, values: Iterable[str] | None) -> frozenset[str]:
    """Read one allow-list."""
    if isinstance(values, (str, bytes)) or values is None:
        raise Misuse(
            f"the allow-list of {reference!r} must be a set of names, not {values!r}",
            remedy=f"write references={{{reference!r}: [...]}}, or leave it out when there is none",
        )
    return frozenset(values)


def _pointer(at: str) -> tuple[str, ...]:
    """Read a key or a JSON Pointer (RFC 6901) as a path of keys."""
    if not isinstance(at, str):
        raise Misuse(f"at must be a key or a JSON Pointer, not {at!r}", remedy='write at="recommendations"')
    if not at:
        return ()
    if not at.startswith("/"):
        return (at,)
    if re.search(r"~(?![01])", at):
        raise Misuse(f"{at!r} is no JSON Pointer", remedy="write ~0 for ~ and ~1 for / inside a key")
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in at[1:].split("/"))


def _identities(unique: Sequence[str | tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Read ``unique``: each entry one field, or several that count together."""
    remedy = 'write unique=("rank", ("page", "field"))'
    if isinstance(unique, str):
        raise Misuse("unique must be a sequence of field names", remedy=f"write unique=({unique!r},)")
    identities = []
    for entry in unique:
        identity = (entry,) if isinstance(entry, str) else tuple(entry) if isinstance(entry, (tuple, list)) else ()
        if not identity or not all(isinstance(name, str) for name in identity):
            raise Misuse(f"unique must name fields, not {entry!r}", remedy=remedy)
        identities.append(identity)
    return tuple(identities)


def _require_field(shape: Shape[Any], name: str) -> None:
    """Refuse a field that the unit does not have."""
    known = shape.keys
    if known and name.split(".")[0] not in known:
        raise Misuse(f"the unit has no field {name!r}", remedy="use one of: " + ", ".join(sorted(known)))
    if "." in name and shape.all_keys and not set(name.split(".")) <= shape.all_keys:
        raise Misuse(f"the unit has no field {name!r}", remedy="name fields that the type has, parent.child")


def _require_arm(unit: Any, refusal: Any) -> None:
    """Refuse a refusal that is not one variant, among others, of the union."""
    remedy = "make the unit a union, Plan | Refuse, and write refusal=Refuse"
    if not isinstance(refusal, type):
        raise Misuse("refusal must be one variant of the union, a class", remedy=remedy)
    arms = arms_of(unit)
    if refusal not in arms:
        raise Misuse(f"{refusal.__name__} is no variant of the unit", remedy=remedy)
    if len(arms) == 1:
        raise Misuse(f"{refusal.__name__} is the only variant: every answer would be a refusal", remedy=remedy)


def _make(
    locality: Locality,
    unit: Any,
    *,
    at: str,
    envelope: Any,
    name: str,
    version: str,
    limits: Limits | None,
    unique: Sequence[str | tuple[str, ...]],
    order_by: str | Callable[[Any], Any] | None,
    checks: Sequence[Check],
    refusal: Any,
    edits: Iterable[str],
    frames: Frames,
    keep: Keep,
    references: Literal["partial", "refuse"],
    list_rules: Any = None,
) -> Contract[Any]:
    limits = limits or Limits()
    if not isinstance(limits, Limits):
        raise Misuse(f"limits must be a Limits, not {limits!r}", remedy="write limits=Limits(max_items=7)")
    shape = unit if isinstance(unit, Shape) else compile_type(unit, limits, role="unit")
    around = (
        envelope if envelope is None or isinstance(envelope, Shape) else compile_type(envelope, limits, role="envelope")
    )
    path = _pointer(at)
    if around is not None and not path:
        raise Misuse("an envelope needs to know where the list stands in it", remedy='say at="items"')
    if around is not None and len(path) == 1 and path[0] in around.keys:
        raise Misuse(
            f"the envelope has a field {path[0]!r}, where the list of units stands",
            remedy="take that field out of the envelope: the units are judged one by one",
        )
    identities = _identities(unique)
    for field in (field for identity in identities for field in identity):
        _require_field(shape, field)
    if isinstance(order_by, str):
        _require_field(shape, order_by.removeprefix("-"))
    elif order_by is not None and not callable(order_by):
        raise Misuse(
            f"order_by must be a field or a function, not {order_by!r}", remedy='write order_by="rank", or "-score"'
        )
    if refusal is not None:
        _require_arm(unit, refusal)
    if callable(checks) or not isinstance(checks, (list, tuple)):
        raise Misuse("checks must be a list of functions", remedy="write checks=[my_check]")
    for check in checks:
        if not callable(check):
            raise Misuse(f"a check must be a function from a unit to findings, not {check!r}", remedy="pass a function")
    switched = frozenset(edits)
    unknown = switched - EDITS.keys()
    if unknown:
        raise Misuse(f"no edit is called {sorted(unknown)[0]!r}", remedy="use: " + ", ".join(sorted(EDITS)))
    if frames not in ("only", "first", "last", "all"):
        raise Misuse(f"frames cannot be {frames!r}", remedy='use "only", "first", "last" or "all"')
    if keep not in ("none", "first"):
        raise Misuse(f"keep cannot be {keep!r}", remedy='use "none" or "first"')
    if references not in ("partial", "refuse"):
        raise Misuse(f"references cannot be {references!r}", remedy='use "partial" or "refuse"')
    name = name or str(shape.schema.get("title") or "contract")
    rules: dict[str, Any] = {
        "name": name,
        "version": version,
        "locality": locality.value,
        "at": list(path),
        "limits": {field.name: getattr(limits, field.name) for field in fields(limits)},
        "unique": [list(identity) for identity in identities],
        "order_by": order_by if order_by is None or isinstance(order_by, str) else name_of(order_by),
        "checks": [name_of(check) for check in checks],
        "refusal": None if refusal is None else name_of(refusal),
        "references": [references, sorted(shape.references)],
        "beyond_schema": [list(shape.beyond_schema), list(around.beyond_schema) if around else []],
        "edits": sorted(switched),
        "frames": frames,
        "keep": keep,
    }
    schemas = {
        "unit": shape.schema,
        "envelope": around.schema if around else None,
        "list": list_rules.schema if list_rules else None,
    }
    try:
        fingerprint = fingerprint_of(json.loads(json.dumps(schemas)), rules)
    except (TypeError, ValueError) as error:
        raise Misuse(
            f"the contract's schema is not JSON: {error}", remedy="give the field a JSON schema of plain values"
        ) from error
    terms: Terms[Any] = Terms(
        name=name, version=version, locality=locality, unit=shape, at=path, envelope=around, limits=limits,
        unique=identities, order_by=order_by, checks=tuple(checks), refusal=refusal, edits=switched,
        frames=frames, keep=keep, list_rules=list_rules, references=references, fingerprint=fingerprint,
    )  # fmt: skip
    return Contract(terms)
