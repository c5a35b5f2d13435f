"""The ledger's tables, as SQL that any SQLite tool can read; the invariants are held by the database itself.

Whoever writes these tables by hand, or by a bug of ours, cannot bring reserved plus spent above the cap, use a hold
twice, or settle one twice: CHECK constraints and triggers refuse it.
"""

from __future__ import annotations

from pratique.sqlite_file import Layout

__all__ = ["LAYOUT"]

_TABLES = """
CREATE TABLE budgets (
    id TEXT PRIMARY KEY,
    cap_tokens INTEGER NOT NULL CHECK (cap_tokens >= 0),
    cap_picos INTEGER NOT NULL CHECK (cap_picos >= 0),
    per_call_tokens INTEGER NOT NULL CHECK (per_call_tokens >= 1),
    reserved_tokens INTEGER NOT NULL DEFAULT 0 CHECK (reserved_tokens >= 0),
    reserved_picos INTEGER NOT NULL DEFAULT 0 CHECK (reserved_picos >= 0),
    spent_tokens INTEGER NOT NULL DEFAULT 0 CHECK (spent_tokens >= 0),
    spent_picos INTEGER NOT NULL DEFAULT 0 CHECK (spent_picos >= 0),
    overrun_tokens INTEGER NOT NULL DEFAULT 0 CHECK (overrun_tokens >= 0),
    overrun_picos INTEGER NOT NULL DEFAULT 0 CHECK (overrun_picos >= 0),
    tripped TEXT NOT NULL DEFAULT '',
    CONSTRAINT i1_tokens CHECK (reserved_tokens + spent_tokens <= cap_tokens + overrun_tokens),
    CONSTRAINT i1_picos CHECK (reserved_picos + spent_picos <= cap_picos + overrun_picos)
) STRICT;

CREATE TABLE holds (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    budget TEXT NOT NULL REFERENCES budgets (id),
    ceiling_tokens INTEGER NOT NULL CHECK (ceiling_tokens >= 0),
    ceiling_picos INTEGER NOT NULL CHECK (ceiling_picos >= 0),
    digest TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'held' CHECK (state IN ('held', 'dispatched', 'settled', 'assumed', 'voided')),
    actual_tokens INTEGER CHECK (actual_tokens >= 0),
    actual_picos INTEGER CHECK (actual_picos >= 0),
    charged_tokens INTEGER NOT NULL DEFAULT 0,
    charged_picos INTEGER NOT NULL DEFAULT 0,
    held_at INTEGER NOT NULL DEFAULT (unixepoch()),
    dispatched_at INTEGER,
    CONSTRAINT charged_is_what_the_state_says CHECK (
        CASE state
            WHEN 'settled' THEN charged_tokens IS actual_tokens AND charged_picos IS actual_picos
            WHEN 'assumed' THEN charged_tokens = ceiling_tokens AND charged_picos = ceiling_picos
                AND actual_tokens IS NULL AND actual_picos IS NULL
            ELSE charged_tokens = 0 AND charged_picos = 0 AND actual_tokens IS NULL AND actual_picos IS NULL
        END)
) STRICT;

CREATE INDEX open_holds ON holds (budget, seq) WHERE state IN ('held', 'dispatched');

CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    event TEXT NOT NULL
) STRICT;
"""

_RULES = """
CREATE TRIGGER a_hold_goes_forward BEFORE UPDATE OF state ON holds
WHEN NOT (
    OLD.state = 'held' AND NEW.state IN ('dispatched', 'voided')
    OR OLD.state = 'dispatched' AND NEW.state IN ('settled', 'assumed')
    OR OLD.state = 'assumed' AND NEW.state = 'settled')
BEGIN
    SELECT RAISE(ABORT, 'a hold does not go back, and is used and settled once');
END;

CREATE TRIGGER a_hold_is_what_it_was
BEFORE UPDATE OF id, budget, ceiling_tokens, ceiling_picos, digest, held_at ON holds
BEGIN
    SELECT RAISE(ABORT, 'what was reserved is not changed');
END;

CREATE TRIGGER a_hold_stays BEFORE DELETE ON holds
BEGIN
    SELECT RAISE(ABORT, 'what was reserved is not forgotten');
END;
"""

LAYOUT = Layout(
    noun="ledger",
    application_id=0x70726C67,  # "prlg"
    version=1,
    schema=_TABLES + _RULES,
    store="SqliteLedger",
    in_memory="MemoryLedger",
)
