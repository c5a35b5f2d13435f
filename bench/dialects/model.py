"""A spec made into the Pydantic type that a user would have written."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from enum import Enum, IntEnum, StrEnum
from typing import Annotated, Any, ForwardRef, Literal, Optional, Union
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, create_model

from bench.dialects.spec import Default, EnumClass, Model, Node, Spec
from bench.dialects.spec import Field as FieldSpec

__all__ = ["RESULT", "is_wrapped", "model_of", "wrapped"]

MODULE = "contracts"
"""The module that the classes say they are from; there is none, so that no name of ours stands for theirs."""

RESULT = "result"
"""The key under which a union stands for those that take nothing but a model."""
_FORMATS: dict[str, Any] = {
    "date": date,
    "date-time": datetime,
    "time": time,
    "duration": timedelta,
    "uuid": UUID,
}
_FACTORIES: dict[str, Any] = {"list": list, "dict": dict, "set": set}
_NUMBER_RULES = ("ge", "gt", "le", "lt", "multiple_of")


def model_of(spec: Spec) -> Any:
    """Build the type of a spec's root: a model class, or a union of such for a ``TypeAdapter``.

    Shape: each call makes new classes.
    """
    maker = _Maker(spec)
    for name in spec["models"]:
        maker.model(name)
    for model in maker.models.values():
        model.model_rebuild(force=True, _types_namespace={**maker.models})
    return maker.resolved(spec["root"])


def is_wrapped(spec: Spec) -> bool:
    """Say whether a spec's root is a union, and so no class."""
    return spec["root"]["kind"] != "model"


def wrapped(spec: Spec, kind: Any) -> Any:
    """Return a model class for a spec's type: itself, or a model with the union as its only field.

    That is what a user does for a library that takes nothing but a class.
    """
    fields: dict[str, Any] = {RESULT: (kind, ...)}
    return create_model("Result", __module__=MODULE, **fields) if is_wrapped(spec) else kind


class _Maker:
    """Make the classes of one spec; a model that is still being made stands as a forward reference."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._enums = {name: _enum(enum) for name, enum in spec["enums"].items()}
        self.models: dict[str, type[BaseModel]] = {}
        self._in_work: set[str] = set()

    def model(self, name: str) -> Any:
        """Return a model's class, or its forward reference."""
        if name in self.models:
            return self.models[name]
        if name in self._in_work:
            return ForwardRef(name)
        self._in_work.add(name)
        spec = self._spec["models"][name]
        base = self.model(spec["base"]) if "base" in spec else None
        fields: dict[str, Any] = {field["name"]: self._field(field) for field in spec["fields"]}
        self.models[name] = _class(spec, base, fields)
        self._in_work.remove(name)
        return self.models[name]

    def resolved(self, node: Node) -> Any:
        """Return the type of a node when all models are made."""
        return self._type(node)

    def _field(self, field: FieldSpec) -> tuple[Any, Any]:
        rules: dict[str, Any] = {}
        if "alias" in field:
            rules["alias"] = field["alias"]
        if "description" in field:
            rules["description"] = field["description"]
        if "examples" in field:
            rules["examples"] = field["examples"]
        if "default" in field:
            rules |= self._default(field["default"], field["of"])
        if field["of"]["kind"] == "tagged":  # as users write it: the discriminator on the field itself
            rules["discriminator"] = field["of"]["tag"]
            return self._union(field["of"]["arms"]), Field(**rules)
        return self._type(field["of"]), Field(**rules) if rules else ...

    def _default(self, default: Default, node: Node) -> dict[str, Any]:
        if "factory" in default:
            return {"default_factory": _FACTORIES[default["factory"]]}
        value = default["value"]
        inner = node["of"] if node["kind"] == "nullable" else node
        if inner["kind"] == "enum" and value is not None:
            value = self._enums[inner["name"]](value)
        return {"default": value}

    def _type(self, node: Node) -> Any:
        match node["kind"]:
            case "str":
                return _constrained(
                    str, min_length=node.get("min"), max_length=node.get("max"), pattern=node.get("pattern")
                )
            case "format":
                return _FORMATS[node["format"]]
            case "int":
                return _constrained(int, **{rule: node.get(rule) for rule in _NUMBER_RULES})
            case "float":
                return _constrained(float, **{rule: node.get(rule) for rule in _NUMBER_RULES})
            case "bool":
                return bool
            case "null":
                return None
            case "any":
                return Any
            case "literal":
                return Literal[tuple(node["values"])]
            case "enum":
                enum = self._enums[node["name"]]
                return Literal[enum(node["value"])] if "value" in node else enum
            case "nullable":
                return Optional[self._type(node["of"])]  # noqa: UP045  # a forward reference has no |
            case "list" | "set":
                made: Any = list if node["kind"] == "list" else set
                return _constrained(
                    made[self._type(node["of"])], min_length=node.get("min"), max_length=node.get("max")
                )
            case "tuple":
                parts = [self._type(part) for part in node["of"]]
                return tuple[self._type(node["rest"]), ...] if "rest" in node else tuple[tuple(parts)]  # type: ignore[misc]  # built at run time
            case "map":
                keys = self._type(node["keys"]) if "keys" in node else str
                made = dict
                return _constrained(
                    made[keys, self._type(node["of"])], min_length=node.get("min"), max_length=node.get("max")
                )
            case "union":
                return self._union(node["arms"])
            case "tagged":
                return Annotated[self._union(node["arms"]), Field(discriminator=node["tag"])]
            case "model":
                return self.model(node["name"])

    def _union(self, arms: list[Node]) -> Any:
        return Union[tuple(self._type(arm) for arm in arms)]  # noqa: UP007  # built at run time


def _class(spec: Model, base: Any, fields: dict[str, Any]) -> type[BaseModel]:
    extra = spec.get("extra")
    made: type[BaseModel] = create_model(
        spec["name"],
        __config__=ConfigDict(extra=extra) if extra is not None and base is None else None,
        __base__=base,
        __doc__=spec.get("doc"),
        __module__=MODULE,
        **fields,
    )
    return made


def _enum(spec: EnumClass) -> Any:
    members: list[tuple[str, Any]] = [(f"V{at}", value) for at, value in enumerate(spec["values"])]
    base: Any = {"str": StrEnum, "int": IntEnum}.get(spec.get("mixin", ""), Enum)
    return base(spec["name"], members)


def _constrained(kind: Any, **rules: Any) -> Any:
    given = {name: value for name, value in rules.items() if value is not None}
    return Annotated[kind, Field(**given)] if given else kind
