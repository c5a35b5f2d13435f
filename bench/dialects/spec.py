"""What a contract of the family is: plain JSON, so that it can be sent to a peer's process and kept in a file.

``model`` turns a spec into Pydantic classes, ``instance`` writes sound instances of it, ``family`` makes
specs at random. Refuses nothing: a spec is ours, never a stranger's.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

__all__ = [
    "Alternatives",
    "Anything",
    "Choice",
    "Default",
    "EnumClass",
    "Field",
    "Flag",
    "Listing",
    "Mapped",
    "Member",
    "Model",
    "ModelRef",
    "Moment",
    "Node",
    "Nothing",
    "Nullable",
    "Number",
    "Spec",
    "Tagged",
    "Text",
    "Tuple",
    "Whole",
    "fields_of",
    "nodes_of",
    "size_of",
]


class Text(TypedDict):
    """``str``; bounds in code points. ``pattern`` is one of ``instance.PATTERNS``."""

    kind: Literal["str"]
    min: NotRequired[int]
    max: NotRequired[int]
    pattern: NotRequired[str]


class Moment(TypedDict):
    """A string with a format: ``date``, ``datetime``, ``time``, ``timedelta``, ``UUID``."""

    kind: Literal["format"]
    format: Literal["date", "date-time", "time", "duration", "uuid"]


class Whole(TypedDict):
    """``int`` with any of Pydantic's bounds."""

    kind: Literal["int"]
    ge: NotRequired[int]
    gt: NotRequired[int]
    le: NotRequired[int]
    lt: NotRequired[int]
    multiple_of: NotRequired[int]


class Number(TypedDict):
    """``float`` with any of Pydantic's bounds."""

    kind: Literal["float"]
    ge: NotRequired[float]
    gt: NotRequired[float]
    le: NotRequired[float]
    lt: NotRequired[float]
    multiple_of: NotRequired[float]


class Flag(TypedDict):
    """``bool``."""

    kind: Literal["bool"]


class Nothing(TypedDict):
    """``None``."""

    kind: Literal["null"]


class Anything(TypedDict):
    """``Any``."""

    kind: Literal["any"]


class Choice(TypedDict):
    """``Literal[...]`` of strings, integers, booleans, None, or a mixture."""

    kind: Literal["literal"]
    values: list[Any]


class Member(TypedDict):
    """An ``Enum`` of ``Spec.enums``, or with ``value`` the ``Literal`` of that one member."""

    kind: Literal["enum"]
    name: str
    value: NotRequired[str | int]


class Nullable(TypedDict):
    """``X | None``."""

    kind: Literal["nullable"]
    of: Node


class Listing(TypedDict):
    """``list[X]`` or ``set[X]`` with bounds."""

    kind: Literal["list", "set"]
    of: Node
    min: NotRequired[int]
    max: NotRequired[int]


class Tuple(TypedDict):
    """``tuple[A, B]``; with ``rest`` and no ``of`` it is ``tuple[X, ...]``."""

    kind: Literal["tuple"]
    of: list[Node]
    rest: NotRequired[Node]


class Mapped(TypedDict):
    """``dict[str, X]``, with bounds of its length; ``keys`` bounds the keys."""

    kind: Literal["map"]
    of: Node
    keys: NotRequired[Text]
    min: NotRequired[int]
    max: NotRequired[int]


class Alternatives(TypedDict):
    """A union without a discriminator."""

    kind: Literal["union"]
    arms: list[Node]


class Tagged(TypedDict):
    """A union of models, or of such unions, that the field ``tag`` tells apart."""

    kind: Literal["tagged"]
    tag: str
    arms: list[Node]


class ModelRef(TypedDict):
    """A model of ``Spec.models``."""

    kind: Literal["model"]
    name: str


Node: TypeAlias = (
    Text | Moment | Whole | Number | Flag | Nothing | Anything | Choice | Member | Nullable | Listing | Tuple | Mapped
    | Alternatives | Tagged | ModelRef
)  # fmt: skip
"""One type; ``kind`` says which."""


class Default(TypedDict):
    """What an absent field is read as: a JSON value, or a factory that the schema does not show."""

    value: NotRequired[Any]
    factory: NotRequired[Literal["list", "dict", "set"]]


class Field(TypedDict):
    """One field of a model; required unless it has a default."""

    name: str
    of: Node
    default: NotRequired[Default]
    alias: NotRequired[str]
    description: NotRequired[str]
    examples: NotRequired[list[Any]]


class Model(TypedDict):
    """One class; the fields of ``base`` come before its own."""

    name: str
    fields: list[Field]
    base: NotRequired[str]
    doc: NotRequired[str]
    extra: NotRequired[Literal["ignore", "forbid", "allow"]]


class EnumClass(TypedDict):
    """One ``Enum``; ``mixin`` makes it a ``str`` or an ``int`` too."""

    name: str
    values: list[str] | list[int]
    mixin: NotRequired[Literal["str", "int"]]


class Spec(TypedDict):
    """One contract: the unit's type, and the classes it is made of, each before those that derive from it.

    The root is a model or a union of models: a unit is a JSON object.
    """

    name: str
    root: Node
    models: dict[str, Model]
    enums: dict[str, EnumClass]


def fields_of(spec: Spec, name: str) -> list[Field]:
    """Return the fields of a model in the order in which its schema has them: inherited ones first."""
    model = spec["models"][name]
    fields = {field["name"]: field for field in fields_of(spec, model["base"])} if "base" in model else {}
    fields.update({field["name"]: field for field in model["fields"]})
    return list(fields.values())


def nodes_of(spec: Spec) -> list[Node]:
    """Return every node of a spec, each written once: references are not followed."""
    found: list[Node] = []
    pending: list[Node] = [spec["root"]]
    pending += [field["of"] for model in spec["models"].values() for field in model["fields"]]
    while pending:
        node = pending.pop()
        found.append(node)
        pending += _below(node)
    return found


def size_of(spec: Spec) -> int:
    """Return the number of nodes."""
    return len(nodes_of(spec))


def _below(node: Node) -> list[Node]:
    match node["kind"]:
        case "nullable" | "list" | "set" | "map":
            return [node["of"]]
        case "tuple":
            return [*node["of"], *([node["rest"]] if "rest" in node else [])]
        case "union" | "tagged":
            return list(node["arms"])
        case _:
            return []
