"""Spend as a capability: no call without a token, no token without a reservation, exact to the last digit.

``guard`` mints tokens, the leaf redeems them, ``book`` has the rules that every ledger keeps.
"""

from pratique.budget.amount import Amount, amount_of
from pratique.budget.book import BudgetExceeded, Caps, Escrow, ReconcileConflict, TokenRefused
from pratique.budget.caps import caps_from_file, caps_of, escrow_of
from pratique.budget.guard import LlmInvocationGuard
from pratique.budget.ledger import BudgetSnapshot, Ledger
from pratique.budget.ledgers.memory import MemoryLedger
from pratique.budget.ledgers.postgres import PostgresLedger
from pratique.budget.ledgers.sqlite import SqliteLedger
from pratique.budget.price import NoPrice, Price, Usage
from pratique.budget.prices import Prices
from pratique.budget.request import Call, Request, counted_input, request_of
from pratique.budget.sweep import Swept, sweep
from pratique.budget.token import BudgetToken

__all__ = [
    "Amount",
    "BudgetExceeded",
    "BudgetSnapshot",
    "BudgetToken",
    "Call",
    "Caps",
    "Escrow",
    "Ledger",
    "LlmInvocationGuard",
    "MemoryLedger",
    "NoPrice",
    "PostgresLedger",
    "Price",
    "Prices",
    "ReconcileConflict",
    "Request",
    "SqliteLedger",
    "Swept",
    "TokenRefused",
    "Usage",
    "amount_of",
    "caps_from_file",
    "caps_of",
    "counted_input",
    "escrow_of",
    "request_of",
    "sweep",
]
