"""Compile a Python type into a shape: strict, closed and finite, whatever its own configuration says.

A model written for lenient use (``extra="ignore"``, ``strict=False``, ``OnErrorOmit``) would let the
validator change or drop what a producer wrote. So the type's core schema is rewritten, not trusted:
every object is closed, nothing is coerced, no float is infinite, no string is longer than the limit,
no default hides an error. Validators that the author wrote stay: they are the contract's own rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
from operator import attrgetter
from types import UnionType
from typing import Annotated, Any, Union, cast, get_args, get_origin

from pydantic import PydanticUserError, TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic_core import CoreConfig, CoreSchema, PydanticCustomError, SchemaError, SchemaValidator, core_schema
from typing_extensions import TypeAliasType

from pratique.errors import Misuse
from pratique.limits import Limits
from pratique.terms.fingerprint import name_of
from pratique.terms.markers import METADATA_KEY
from pratique.terms.shape import KeyCounter, Shape, Validator

__all__ = ["arms_of", "compile_type", "strict_validator"]

_OBJECTS = {"model-fields": "fields", "typed-dict": "fields", "dataclass-args": "fields"}
_CONFIGURED = {"model", "typed-dict", "dataclass"}
_OPAQUE = {"cls", "metadata", "serialization", "expected", "default", "members", "config", "ref", "lookup"}
_NAMED = {"fields", "choices"}
# Nodes whose values have no strings, no nesting and no numbers that the validator does not bound itself.
_HALF_SHOWN = {"decimal", "date", "time", "datetime", "timedelta", "url", "multi-host-url"}
_NOT_SHOWN = {"complex", "is-instance", "is-subclass", "callable"}
_RULES = {
    "ge", "gt", "le", "lt", "multiple_of", "max_digits", "decimal_places", "tz_constraint", "now_op", "now_utc_offset",
    "microseconds_precision", "allowed_schemes", "host_required", "default_host", "default_port",
}  # fmt: skip
_BOUNDED = {
    "none", "bool", "int", "float", "str", "date", "time", "datetime", "timedelta", "literal", "enum", "uuid",
    "list", "tuple", "set", "frozenset", "default", "nullable", "union", "tagged-union", "function-after",
    "typed-dict", "typed-dict-field", "model-fields", "model-field", "model", "definitions", "lax-or-strict",
    "function-before", "dataclass", "dataclass-args", "dataclass-field", "chain", "json-or-python", "custom-error",
}  # fmt: skip


def _config(limits: Limits) -> CoreConfig:
    # Values of free text hardly repeat, so caching them costs more than it saves; keys always repeat.
    return CoreConfig(
        strict=True,
        extra_fields_behavior="forbid",
        allow_inf_nan=False,
        str_max_length=limits.max_string_chars,
        str_strip_whitespace=False,
        str_to_lower=False,
        str_to_upper=False,
        cache_strings="keys",
    )


def strict_validator(core: CoreSchema, limits: Limits) -> SchemaValidator:
    """Build a validator that uses nothing but ``core``.

    pydantic-core would swap a nested model for the validator its class already has, and with it for the
    class's own lenient configuration; ``_use_prebuilt=False`` says no (``test_strict`` proves it).
    """
    return SchemaValidator(core, _config(limits), _use_prebuilt=False)


def _tighten(node: Any, limits: Limits) -> Any:
    """Rewrite a core schema: closed, strict, finite, bounded."""
    if isinstance(node, list):
        return [_tighten(part, limits) for part in node]
    if isinstance(node, tuple):
        return tuple(_tighten(part, limits) for part in node)
    if not isinstance(node, dict):
        return node
    _refuse_lossy(node)
    tight = {name: _tightened(name, part, limits) for name, part in node.items()}
    kind = tight.get("type")
    if kind in _CONFIGURED:
        tight["config"] = {**(tight.get("config") or {}), **_config(limits)}
    if kind in _OBJECTS:
        tight["extra_behavior"] = "forbid"
        tight.pop("extras_schema", None)
    if kind in ("model", "dataclass", *_OBJECTS) or tight.get("strict") is False:
        tight.pop("strict", None)
    if kind in ("float", "decimal"):
        tight["allow_inf_nan"] = False
    if kind in ("str", "url", "multi-host-url"):
        tight["max_length"] = min(tight.get("max_length") or limits.max_string_chars, limits.max_string_chars)
    if kind == "str":
        for rewriting in ("strip_whitespace", "to_lower", "to_upper"):
            tight.pop(rewriting, None)
    if kind == "default" and tight.get("on_error") in ("default", "omit"):
        tight["on_error"] = "raise"
    if kind in ("literal", "enum"):
        return _keeping_ref(tight, _typed_choice(tight))
    if kind in ("set", "frozenset"):
        return _keeping_ref(tight, _exact_set(tight))
    return tight


def _keeping_ref(node: dict[str, Any], rewritten: Any) -> Any:
    """Let what stands in the place of a definition be found under its name."""
    return rewritten if "ref" not in node else {**rewritten, "ref": node["ref"]}


def _tightened(name: str, part: Any, limits: Limits) -> Any:
    """Rewrite one member of a core schema; in a map of fields or arms, the keys are the author's, not pydantic's."""
    if name in _OPAQUE:
        return part
    if name in _NAMED and isinstance(part, dict):
        return {key: _tighten(inner, limits) for key, inner in part.items()}
    return _tighten(part, limits)


def _typed_choice(node: dict[str, Any]) -> Any:
    """Hold an enumerated number or boolean to its type: in Python 1, 1.0 and True are equal."""
    name = "expected" if node["type"] == "literal" else "members"
    of_type: dict[str, list[Any]] = {}
    for choice in node[name]:
        value = choice.value if isinstance(choice, Enum) else choice
        of_type.setdefault(type(value).__name__ if type(value) in (bool, int, float) else "", []).append(choice)
    if of_type.keys() <= {""}:
        return node
    exact: dict[str, Any] = {
        "bool": core_schema.bool_schema(strict=True),
        "int": core_schema.int_schema(strict=True),
        "float": core_schema.float_schema(strict=True),
    }
    arms: list[Any] = []
    for kind, choices in of_type.items():
        arm = {rule: value for rule, value in node.items() if rule != "ref"} | {name: choices}
        first = exact.get(kind)
        if name == "members":
            arm["strict"] = False  # the step before made it a Python value, which is no member yet
            first = first or core_schema.literal_schema([choice.value for choice in choices])
        arms.append(core_schema.chain_schema([first, cast(CoreSchema, arm)]) if first else arm)
    return arms[0] if len(arms) == 1 else core_schema.union_schema(arms)


def _exact_set(node: dict[str, Any]) -> Any:
    """Read a set as a list first: an element that was written twice would be dropped without a word."""
    made = set if node["type"] == "set" else frozenset
    bounds = {name: node[name] for name in ("min_length", "max_length") if node.get(name) is not None}

    def collect(values: list[Any]) -> Any:
        collected = made(values)
        if len(collected) != len(values):
            raise PydanticCustomError("pratique_twice", "expected each element once")
        return collected

    listed = core_schema.list_schema(node.get("items_schema"), **bounds)
    return core_schema.no_info_after_validator_function(collect, listed)


def _refuse_lossy(node: Any) -> None:
    """Refuse what drops or hides a part of what was written, and say what to write instead."""
    kind = node.get("type")
    if kind == "generator":
        raise Misuse("an Iterable is not validated until somebody iterates it", remedy="write list[...]")
    if kind == "json":
        raise Misuse(
            "the text inside a Json field cannot be held to limits",
            remedy="write the inner type itself: a string that wholly encodes it is decoded once",
        )
    alias = node.get("validation_alias")
    paths = [] if not isinstance(alias, list) else alias if isinstance(alias[0], list) else [alias]
    if any(len(path) > 1 for path in paths):
        raise Misuse("an AliasPath reads a part of a value and drops the rest", remedy="describe the whole value")


@dataclass(slots=True)
class _Profile:
    """What one walk over a tightened schema learns."""

    definitions: dict[str, Any] = field(default_factory=dict)
    root_keys: set[str] = field(default_factory=set)
    all_keys: set[str] = field(default_factory=set)
    in_lists: set[str] = field(default_factory=set)
    objects_of_any: bool = False
    bounded: bool = True
    choices: dict[str, set[str]] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    references: set[str] = field(default_factory=set)
    audit_only: list[str] = field(default_factory=list)
    dataclasses: bool = False
    beyond: set[str] = field(default_factory=set)
    roots: set[type] = field(default_factory=set)
    nested: dict[type, tuple[str, ...]] = field(default_factory=dict)

    def inner(self, node: Any) -> Iterator[tuple[str, Any]]:
        """Yield (field name or "", child schema)."""
        kind = node.get("type")
        if kind in _OBJECTS:
            parts = node["fields"]
            named = parts.items() if isinstance(parts, dict) else ((part["name"], part) for part in parts)
            for name, part in named:
                yield name, part["schema"]
            return
        for name in ("schema", "items_schema", "keys_schema", "values_schema", "json_schema", "strict_schema"):
            child = node.get(name)
            if isinstance(child, dict) and "type" in child:
                yield "", child
            elif isinstance(child, list):
                yield from (("", part) for part in child)
        choices = node.get("choices")
        if isinstance(choices, dict):
            yield from (("", part) for part in choices.values())
        elif isinstance(choices, list):
            yield from (("", part[0] if isinstance(part, tuple) else part) for part in choices)
        yield from (("", part) for part in node.get("steps", ()))

    def walk(self, node: Any, path: str, in_list: bool, depth: int, seen: tuple[str, ...]) -> int:
        """Learn from one node; return the deepest nesting below it, or a very large number on recursion."""
        kind = node.get("type")
        if kind == "definitions":
            for part in node["definitions"]:
                self.definitions[part["ref"]] = part
            return self.walk(node["schema"], path, in_list, depth, seen)
        if kind == "definition-ref":
            ref = node["schema_ref"]
            if ref in seen:
                self.bounded = False
                self.in_lists |= self.all_keys  # a unit inside a unit: every key may come again
                return 0
            return self.walk(self.definitions[ref], path, in_list, depth, (*seen, ref))
        mark = (node.get("metadata") or {}).get(METADATA_KEY, {})
        self._beyond(node, path)
        if "reference" in mark:
            self.references.add(mark["reference"])
            self.beyond.add(f"{path} refers to {mark['reference']}")
        if "audit_only" in mark:
            self.audit_only.append(path)
            self.beyond.add(f"{path} is for audit only")
        if kind not in _BOUNDED:
            self.bounded = False
            self.objects_of_any |= kind in ("any", "dict", "json", "function-plain", "is-instance")
        if kind in ("literal", "enum"):
            values = node.get("expected") or node.get("members") or ()
            for value in (member.value if isinstance(member, Enum) else member for member in values):
                if isinstance(value, str):
                    self.choices.setdefault(value.casefold(), set()).add(value)
        if kind in ("dataclass", "dataclass-args"):
            self.dataclasses = True
        if kind in ("dict", "counter") and not self._is_text(node.get("keys_schema") or {"type": "str"}):
            raise Misuse("a dict whose keys are read as numbers may merge two keys", remedy="write dict[str, ...]")
        opens = kind in _OBJECTS or kind in ("list", "tuple", "set", "frozenset", "dict", "any", "json")
        if kind in _OBJECTS:
            self._object(node, in_list, depth)
        if kind == "model":
            fields = node["schema"]
            while "fields" not in fields and isinstance(fields.get("schema"), dict):
                fields = fields["schema"]
            self.nested[node["cls"]] = tuple(fields.get("fields", ()))
            if node.get("root_model"):
                self.roots.add(node["cls"])
        below = 0
        for name, child in self.inner(node):
            child_in_list = kind in ("list", "tuple", "set", "frozenset") or (in_list and kind not in _OBJECTS)
            child_path = f"{path}/{name}" if name else f"{path}/*" if opens else path
            below = max(below, self.walk(child, child_path, child_in_list, depth + opens, seen))
        return below + opens

    def _is_text(self, node: Any) -> bool:
        """Say whether a dict's keys stay the text they were written as."""
        while True:
            kind = node["type"]
            if kind == "definition-ref":
                node = self.definitions[node["schema_ref"]]
            elif kind.startswith("function-") and "schema" in node:
                node = node["schema"]
            else:
                break
        if kind in ("literal", "enum"):
            choices = node.get("expected") or node.get("members") or ()
            return all(isinstance(choice.value if isinstance(choice, Enum) else choice, str) for choice in choices)
        return kind in ("str", "any")

    def _beyond(self, node: Any, path: str) -> None:
        """Note the rules of a node that its JSON Schema does not show."""
        kind = node["type"]
        if kind.startswith("function-"):
            self.beyond.add(f"{path} {kind} {name_of(node['function']['function'])}")
        if callable(node.get("default_factory")):
            self.beyond.add(f"{path} default {name_of(node['default_factory'])}")
        if kind in _NOT_SHOWN:
            self.beyond.add(f"{path} {kind}")
        if kind in _HALF_SHOWN:
            for rule in sorted(node.keys() & _RULES):
                self.beyond.add(f"{path} {kind} {rule} {node[rule]}")

    def _object(self, node: Any, in_list: bool, depth: int) -> None:
        keys: set[str] = set()
        parts = node["fields"]
        named = parts.items() if isinstance(parts, dict) else ((part["name"], part) for part in parts)
        for name, part in named:
            spellings = _spellings(part, name)
            if spellings != {name}:
                self.beyond.add(f"{name} is spelled {sorted(spellings)}")
            keys |= spellings
        self.all_keys |= keys
        if depth == 0:
            self.root_keys |= keys
        elif in_list:
            self.in_lists |= keys


def _spellings(part: dict[str, Any], name: str) -> set[str]:
    """Return the JSON keys under which one field may come."""
    alias = part.get("validation_alias")
    if alias is None:
        return {name}
    if isinstance(alias, str):
        return {alias, name}
    paths = alias if isinstance(alias[0], list) else [alias]
    return {str(path[0]) for path in paths} | {name}


def _root_arms(node: Any, definitions: dict[str, Any]) -> Iterator[Any]:
    """Yield the nodes that a unit itself may be, through unions, wrappers and definitions."""
    kind = node.get("type")
    if kind == "definitions":
        found = {**definitions, **{part["ref"]: part for part in node["definitions"]}}
        yield from _root_arms(node["schema"], found)
    elif kind == "definition-ref":
        yield from _root_arms(definitions[node["schema_ref"]], definitions)
    elif kind in ("union", "tagged-union"):
        choices = node["choices"]
        for part in choices.values() if isinstance(choices, dict) else choices:
            yield from _root_arms(part[0] if isinstance(part, tuple) else part, definitions)
    elif kind in ("default", "function-after", "function-before", "function-wrap", "chain", "custom-error"):
        yield from _root_arms(node["steps"][0] if kind == "chain" else node["schema"], definitions)
    else:
        yield node


def _tags(node: Any, definitions: dict[str, Any]) -> dict[str, str]:
    """Return tag value -> tag key of a tagged union, nested ones included."""
    kind = node.get("type")
    if kind == "definitions":
        return _tags(node["schema"], {**definitions, **{part["ref"]: part for part in node["definitions"]}})
    if kind == "definition-ref":
        return _tags(definitions[node["schema_ref"]], definitions)
    tags: dict[str, str] = {}
    if kind == "tagged-union" and isinstance(node["discriminator"], str):
        for value in node["choices"]:
            tags[value.value if isinstance(value, Enum) else str(value)] = node["discriminator"]
    if kind in ("union", "tagged-union"):
        choices = node["choices"]
        for part in choices.values() if isinstance(choices, dict) else choices:
            tags.update(_tags(part[0] if isinstance(part, tuple) else part, definitions))
    elif kind in ("function-after", "function-before", "function-wrap", "default"):
        tags.update(_tags(node["schema"], definitions))
    return tags


class _KeyCounter(KeyCounter):
    """Count the JSON keys that values account for.

    Three ways, the cheapest that the type allows: a number known beforehand when no field is optional; the
    fields that were set, gathered in C, when every nested object is a required model; else a walk.
    """

    __slots__ = ("_fixed", "_gather", "_nested", "_roots", "_single")

    def __init__(self, nested: dict[type, tuple[str, ...]], roots: set[type], plan: _Plan | None) -> None:
        self._nested = {kind: names for kind, names in nested.items() if kind not in roots}
        self._roots = roots
        self._fixed = plan.fixed if plan else None
        self._gather: Callable[[Any], Any] | None = None
        if plan is not None and plan.fixed is None:
            paths = [f"{path}.__pydantic_fields_set__".lstrip(".") for path in plan.paths]
            self._gather = attrgetter(*paths)
            self._single = len(paths) == 1

    def total(self, values: Sequence[Any]) -> int:
        """Return how many keys the producer must have written to give all of ``values``."""
        if self._fixed is not None:
            return self._fixed * len(values)
        if self._gather is None:
            return sum(map(self, values))
        sets = map(self._gather, values)
        return sum(map(len, sets if self._single else chain.from_iterable(sets)))

    def __call__(self, value: Any) -> int:
        """Return how many keys the producer must have written to give ``value``."""
        if self._fixed is not None:
            return self._fixed
        kind = type(value)
        names = self._nested.get(kind)
        if names is not None:
            given = value.__pydantic_fields_set__
            total = len(given)
            held = value.__dict__
            for name in names:
                part = held.get(name)
                if type(part) in _NO_KEYS or name not in given:
                    continue
                total += self(part)
            return total
        if kind in self._roots:
            return self(value.root)
        if kind is dict:
            return len(value) + sum(map(self, value.values()))
        if kind in (list, tuple, set, frozenset):
            return sum(map(self, value))
        return 0


_NO_KEYS = frozenset({str, int, float, bool, type(None)})


@dataclass(frozen=True, slots=True)
class _Plan:
    """How to count the keys of a type in which every nested object is a required model."""

    paths: tuple[str, ...]
    fixed: int | None
    """The number of keys, when no field is optional."""


def _plan(core: Any) -> _Plan | None:
    """Make the counting plan of a core schema; None when its objects are not all known and required."""
    definitions: dict[str, Any] = {}
    if core.get("type") == "definitions":
        definitions = {part["ref"]: part for part in core["definitions"]}
        core = core["schema"]
    paths: list[str] = []
    required = 0
    optional = False
    pending = [(core, "")]
    while pending:
        node, path = pending.pop()
        if len(paths) > _MAX_PLANNED:
            return None
        if node["type"] == "definition-ref":
            node = definitions[node["schema_ref"]]
        if node["type"] != "model" or node["schema"]["type"] != "model-fields":
            return None
        paths.append(path)
        for name, part in node["schema"]["fields"].items():
            schema = part["schema"]
            if schema["type"] == "definition-ref":
                schema = definitions[schema["schema_ref"]]
            if schema["type"] == "default":
                optional = True
                schema = schema["schema"]
                if schema["type"] not in _SCALARS:
                    return None
            required += 1
            if schema["type"] == "model":
                pending.append((schema, f"{path}.{name}"))
            elif not _is_scalar(schema):
                return None
    return _Plan(tuple(paths), None if optional else required)


_MAX_PLANNED = 16
"""Nested models counted by attribute path; a type with more is walked."""

_SCALARS = frozenset({"int", "float", "str", "bool", "none", "literal", "enum", "date", "datetime", "time", "uuid",
                      "timedelta"})  # fmt: skip


def _is_scalar(schema: Any) -> bool:
    """Say whether no key can stand below a node."""
    while schema["type"] in ("nullable", "list", "function-after", "function-before", "set", "frozenset", "chain"):
        steps = schema.get("steps")
        schema = steps[0] if steps else schema.get("schema") or schema.get("items_schema")
        if schema is None:
            return False
    return schema["type"] in _SCALARS


def _defaulted(value: Any) -> tuple[str, ...]:
    """Name the fields of a model that its contract filled in."""
    given = getattr(value, "__pydantic_fields_set__", None)
    if given is None:
        return ()
    fields = type(value).__pydantic_fields__
    return () if len(given) == len(fields) else tuple(name for name in fields if name not in given)


def _unsayable(core: Any) -> str:
    """Return a JSON Pointer to the first field whose type no JSON can be held to; empty when there is none."""
    profile = _Profile()
    ahead: list[tuple[Any, str]] = [(core, "")]
    seen: set[str] = set()
    while ahead:
        node, path = ahead.pop()
        if node["type"] == "definitions":
            profile.definitions.update({part["ref"]: part for part in node["definitions"]})
            ahead.append((node["schema"], path))
        elif node["type"] == "definition-ref":
            if node["schema_ref"] not in seen:
                seen.add(node["schema_ref"])
                ahead.append((profile.definitions[node["schema_ref"]], path))
        elif node["type"] in ("is-instance", "is-subclass", "callable"):
            return path or "/"
        else:
            ahead += [(child, f"{path}/{name}" if name else path) for name, child in profile.inner(node)]
    return ""


def arms_of(kind: Any) -> tuple[Any, ...]:
    """Return the variants of a union, through aliases and annotations; a type that is none is its own."""
    if isinstance(kind, TypeAliasType):
        return arms_of(kind.__value__)
    origin = get_origin(kind)
    if origin is Annotated:
        return arms_of(get_args(kind)[0])
    if origin is Union or origin is UnionType:
        return tuple(arm for part in get_args(kind) for arm in arms_of(part))
    return (kind,)


def compile_type(kind: Any, limits: Limits, *, role: str) -> Shape[Any]:
    """Compile ``kind`` into a shape.

    Errors: Misuse when it is no type Pydantic knows, or a unit of it is not a JSON object.
    """
    where = ""
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(kind)
        where = _unsayable(adapter.core_schema)
        schema = adapter.json_schema()
        core = _tighten(adapter.core_schema, limits)
    except (
        PydanticUserError, PydanticInvalidForJsonSchema, SchemaError, AttributeError, KeyError, TypeError, ValueError,
    ) as error:  # fmt: skip
        raise Misuse(
            f"the {role} cannot be compiled{f', at {where}' if where else ''}: {str(error).splitlines()[0]}",
            remedy="give a Pydantic model, a dataclass, a TypedDict, or a union of them; with types that JSON has",
        ) from error
    profile = _Profile()
    depth = profile.walk(core, "", False, 0, ())
    for arm in _root_arms(core, {}):
        if not (arm["type"] in ("model", "dataclass", "typed-dict") and not arm.get("root_model")):
            raise Misuse(
                f"the {role} must be a JSON object, but one arm of it is {arm['type']!r}",
                remedy="wrap it in a model with one field",
            )
    try:
        validator = strict_validator(cast(CoreSchema, core), limits)
    except SchemaError as error:  # pragma: no cover - would be a bug of ours
        raise Misuse(f"the {role} cannot be made strict: {error}", remedy="report this with the type") from error
    recursive = not profile.bounded and profile.in_lists >= profile.all_keys
    return Shape(
        validator=cast(Validator[Any], validator),
        schema=schema,
        core=cast(CoreSchema, core),
        keys=frozenset(profile.root_keys),
        all_keys=frozenset(profile.all_keys),
        shared_keys=frozenset(profile.root_keys & profile.in_lists),
        nested_any=profile.objects_of_any or recursive,
        bounded=profile.bounded and depth <= limits.max_depth,
        depth=depth if profile.bounded else 0,
        choices={folded: frozenset(found) for folded, found in profile.choices.items()},
        tags=_tags(core, {}),
        references=frozenset(profile.references),
        audit_only=tuple(sorted(set(profile.audit_only))),
        count_keys=None if profile.dataclasses else _KeyCounter(profile.nested, profile.roots, _plan(core)),
        defaulted=_defaulted,
        beyond_schema=tuple(sorted(profile.beyond)),
        python=kind,
    )
