"""Anthropic's Messages API, JSON output: ``output_config.format``."""

from __future__ import annotations

from typing import Any

from pratique.dialects.dialect import Dialect, WireSchema
from pratique.dialects.tables import anthropic

__all__ = ["DIALECT"]


def _schema_request(wire: WireSchema) -> dict[str, Any]:
    """Return keyword arguments of ``messages.create``: JSON body and SDK call have the same shape.

    The format has no place for a name or a description.
    """
    return {"output_config": {"format": {"type": "json_schema", "schema": dict(wire.schema)}}}


DIALECT = Dialect(
    target="anthropic/messages",
    profile=anthropic.structured("Messages API, output_config.format"),
    schema_request=_schema_request,
)
