"""Marks on fields: what a field's value stands for, beyond its type.

``Reference`` names something that must exist; the allow-list comes with the call. ``AuditOnly`` is text
for people and logs that must never go back into a prompt (prompt builder and fences look for it).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from pratique.errors import Misuse

__all__ = ["AuditOnly", "Reference"]

METADATA_KEY = "pratique"
UNKNOWN_REFERENCE = "pratique_reference_unknown"
REFERENCES = "pratique_references"
"""Key of the allow-lists in the validation context."""


def marked(schema: CoreSchema, mark: str, name: str) -> CoreSchema:
    """Add one mark to a core schema's metadata, where ``terms.strict`` finds it."""
    metadata: dict[str, Any] = dict(schema.get("metadata") or {})
    metadata[METADATA_KEY] = {**metadata.get(METADATA_KEY, {}), mark: name}
    return cast(CoreSchema, {**schema, "metadata": metadata})


@dataclass(frozen=True, slots=True)
class Reference:
    """Say that a field names something that must exist: ``Annotated[str, Reference("workstream")]``.

    The names that exist come with the call: ``admit(text, references={"workstream": known})``. A model
    used on its own, outside a contract, is not checked: there is no allow-list to check against.
    """

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise Misuse("a Reference needs a name", remedy='write Reference("workstream")')

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        name = self.name
        inner = handler(source)
        named: Any = inner
        while named["type"] in ("nullable", "default"):
            named = named["schema"]
        if named["type"] in ("list", "set", "frozenset", "tuple", "dict"):
            raise Misuse(
                f"Reference({name!r}) stands on a {named['type']}, which names nothing itself",
                remedy=f"put it on the element: list[Annotated[str, Reference({name!r})]]",
            )

        def known(value: Any, info: core_schema.ValidationInfo) -> Any:
            allowed = (info.context or {}).get(REFERENCES, {}).get(name)
            if allowed is not None and value not in allowed:
                raise PydanticCustomError(UNKNOWN_REFERENCE, name)  # type: ignore[arg-type, unused-ignore]  # a name, not a template
            return value

        return marked(core_schema.with_info_after_validator_function(known, inner), "reference", name)


@dataclass(frozen=True, slots=True)
class AuditOnly:
    """Say that a field is for people and logs only: ``Annotated[str, AuditOnly()]``."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return marked(handler(source), "audit_only", "yes")
