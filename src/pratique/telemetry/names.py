"""The names of what is told of a call: OpenTelemetry's where it has some, our own for budgets and costs.

The conventions for model calls are in development: in ``opentelemetry-semantic-conventions`` all of them are marked as
moved away, and no package on the index has the new names as constants. So they stand here, with the version they are
of. Money has no name there that is settled; it is told under ours, as decimal text: a double holds another amount than
was paid.
"""

from __future__ import annotations

import types
from collections.abc import Mapping

__all__ = [
    "BUDGET_AXIS",
    "BUDGET_LATE",
    "BUDGET_MODEL",
    "BUDGET_NAME",
    "BUDGET_OUTCOME",
    "BUDGET_PER_CALL_TOKENS",
    "BUDGET_PRICE",
    "BUDGET_PROVIDER",
    "BUDGET_TOKEN",
    "BUDGET_UNFINISHED",
    "CACHE_READ_TOKENS",
    "CACHE_WRITE_TOKENS",
    "CHAT",
    "COST_BASIS",
    "COST_DOLLARS",
    "COST_ITEM",
    "COST_QUANTITY",
    "COST_SELLER",
    "COST_UNIT",
    "DELIVERY_CONTRACT",
    "DELIVERY_FINGERPRINT",
    "DELIVERY_PRODUCER",
    "DELIVERY_STATUS",
    "DELIVERY_TRUNCATED",
    "DELIVERY_VERSION",
    "ERROR_TYPE",
    "INPUT_TOKENS",
    "OPERATION",
    "OUTPUT_TOKENS",
    "PROVIDER",
    "PROVIDERS",
    "REASONING_TOKENS",
    "REQUEST_MAX_TOKENS",
    "REQUEST_MODEL",
    "RESPONSE_FINISH_REASONS",
    "RESPONSE_ID",
    "RESPONSE_MODEL",
    "SCHEMA_URL",
    "amount_names",
    "count_name",
]

SCHEMA_URL = "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev"
"""The version of the names: open-telemetry/semantic-conventions-genai, ``docs/gen-ai/client-inference.md``, as of
autumn 2026 (``cache_write`` is called so since its change 440). No release of it is tagged yet."""

# ---------------------------------------------------------------------- OpenTelemetry's

CHAT = "chat"
"""The operation, and the beginning of a span's name."""
OPERATION = "gen_ai.operation.name"
PROVIDER = "gen_ai.provider.name"
"""It was ``gen_ai.system`` before."""
REQUEST_MODEL = "gen_ai.request.model"
REQUEST_MAX_TOKENS = "gen_ai.request.max_tokens"
RESPONSE_ID = "gen_ai.response.id"
RESPONSE_MODEL = "gen_ai.response.model"
RESPONSE_FINISH_REASONS = "gen_ai.response.finish_reasons"
"""A list: one reason for each reply that was asked for."""
INPUT_TOKENS = "gen_ai.usage.input_tokens"
"""All of them, the cached ones too; the two kinds of cached ones are parts of it."""
CACHE_READ_TOKENS = "gen_ai.usage.cache_read.input_tokens"
CACHE_WRITE_TOKENS = "gen_ai.usage.cache_write.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
REASONING_TOKENS = "gen_ai.usage.reasoning.output_tokens"
"""A part of the output."""
ERROR_TYPE = "error.type"

PROVIDERS: Mapping[str, str] = types.MappingProxyType(
    {
        "aws": "aws.bedrock",
        "bedrock": "aws.bedrock",
        "google": "gcp.gen_ai",
        "mistral": "mistral_ai",
        "moonshotai": "moonshot_ai",
        "x-ai": "x_ai",
    }
)
"""A provider as price lists and this library call it -> as the conventions do, where that is another name. ``azure`` is
two of theirs, and stays as it is."""

# ---------------------------------------------------------------------- our own

BUDGET_NAME = "pratique.budget.name"
BUDGET_TOKEN = "pratique.budget.token"
"""The id of the hold: the same in the audit log, the ledger and on every span of one call."""
BUDGET_PROVIDER = "pratique.budget.provider"
BUDGET_MODEL = "pratique.budget.model"
BUDGET_PRICE = "pratique.budget.price"
"""The digest of the rates."""
BUDGET_OUTCOME = "pratique.budget.outcome"
"""What became of the hold: ``reconciled``, ``assumed``, ``voided``; or ``exceeded``, and there is none."""
BUDGET_AXIS = "pratique.budget.axis"
"""What a call that did not fit was too much for."""
BUDGET_LATE = "pratique.budget.late"
BUDGET_UNFINISHED = "pratique.budget.unfinished"
"""True where the span was written before what it tells of had ended."""
BUDGET_PER_CALL_TOKENS = "pratique.budget.per_call.tokens"

COST_DOLLARS = "pratique.cost.dollars"
"""Decimal text, signed: a correction tells the difference."""
COST_BASIS = "pratique.cost.basis"
COST_QUANTITY = "pratique.cost.quantity"
COST_UNIT = "pratique.cost.unit"
COST_SELLER = "pratique.cost.seller"
COST_ITEM = "pratique.cost.item"

DELIVERY_CONTRACT = "pratique.delivery.contract"
DELIVERY_VERSION = "pratique.delivery.version"
DELIVERY_FINGERPRINT = "pratique.delivery.fingerprint"
DELIVERY_PRODUCER = "pratique.delivery.producer"
DELIVERY_STATUS = "pratique.delivery.status"
DELIVERY_TRUNCATED = "pratique.delivery.truncated"


def amount_names(what: str) -> tuple[str, str]:
    """Return the names of an amount's two axes: whole tokens, and dollars as decimal text."""
    return f"pratique.budget.{what}.tokens", f"pratique.budget.{what}.dollars"


def count_name(what: str) -> str:
    """Return the name of a count of units."""
    return f"pratique.delivery.units.{what}"
