"""The ledger's tables, as SQL that any SQLite tool can read; the database itself holds the invariants.

Whoever writes these tables by hand, or by a bug of ours, cannot bring reserved plus spent above the cap (I1), use a
hold twice or settle one twice (I3), or write a fraction (I5): CHECK constraints, strict types and triggers refuse it.
What is reserved and spent is added up by triggers on the holds (I2), and triggers write what became of a hold into the
outbox, in its transaction (I6): the same events, key by key, as ``telling`` has for a ledger without a database.
"""

from __future__ import annotations

from pratique.sqlite_file import Layout

__all__ = ["LAYOUT"]

_TABLES = """
CREATE TABLE ledger (
    id TEXT NOT NULL
) STRICT;
INSERT INTO ledger (id) VALUES (lower(hex(randomblob(16))));

CREATE TABLE budgets (
    id TEXT PRIMARY KEY,
    cap_tokens INTEGER NOT NULL CHECK (cap_tokens >= 0),
    cap_picos INTEGER NOT NULL CHECK (cap_picos >= 0),
    per_call_tokens INTEGER NOT NULL CHECK (per_call_tokens >= 1),
    first_cap_tokens INTEGER NOT NULL,
    first_cap_picos INTEGER NOT NULL,
    first_per_call_tokens INTEGER NOT NULL,
    portfolio TEXT REFERENCES budgets (id),
    chunk_tokens INTEGER CHECK (chunk_tokens > 0),
    chunk_picos INTEGER CHECK (chunk_picos > 0),
    granted_tokens INTEGER NOT NULL DEFAULT 0 CHECK (granted_tokens >= 0),
    granted_picos INTEGER NOT NULL DEFAULT 0 CHECK (granted_picos >= 0),
    lent_tokens INTEGER NOT NULL DEFAULT 0 CHECK (lent_tokens >= 0),
    lent_picos INTEGER NOT NULL DEFAULT 0 CHECK (lent_picos >= 0),
    reserved_tokens INTEGER NOT NULL DEFAULT 0 CHECK (reserved_tokens >= 0),
    reserved_picos INTEGER NOT NULL DEFAULT 0 CHECK (reserved_picos >= 0),
    spent_tokens INTEGER NOT NULL DEFAULT 0 CHECK (spent_tokens >= 0),
    spent_picos INTEGER NOT NULL DEFAULT 0 CHECK (spent_picos >= 0),
    overrun_tokens INTEGER NOT NULL DEFAULT 0 CHECK (overrun_tokens >= 0),
    overrun_picos INTEGER NOT NULL DEFAULT 0 CHECK (overrun_picos >= 0),
    tripped TEXT NOT NULL DEFAULT '',
    CONSTRAINT i1_tokens CHECK (reserved_tokens + lent_tokens + spent_tokens <= cap_tokens + overrun_tokens),
    CONSTRAINT i1_picos CHECK (reserved_picos + lent_picos + spent_picos <= cap_picos + overrun_picos),
    CONSTRAINT i1_of_a_portfolio CHECK (
        portfolio IS NULL
        OR reserved_tokens + spent_tokens <= granted_tokens AND reserved_picos + spent_picos <= granted_picos),
    CONSTRAINT portfolios_are_one_deep CHECK (portfolio IS NULL OR lent_tokens + lent_picos = 0)
) STRICT;

CREATE TABLE holds (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    budget TEXT NOT NULL REFERENCES budgets (id),
    ceiling_tokens INTEGER NOT NULL CHECK (ceiling_tokens >= 0),
    ceiling_picos INTEGER NOT NULL CHECK (ceiling_picos >= 0),
    digest TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    price TEXT NOT NULL,
    owner TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'held' CHECK (state IN ('held', 'dispatched', 'settled', 'assumed', 'voided')),
    actual_tokens INTEGER CHECK (actual_tokens >= 0),
    actual_picos INTEGER CHECK (actual_picos >= 0),
    charged_tokens INTEGER NOT NULL DEFAULT 0,
    charged_picos INTEGER NOT NULL DEFAULT 0,
    held_at TEXT NOT NULL,
    moved_at TEXT NOT NULL,
    ended INTEGER,
    CONSTRAINT what_is_not_open_has_ended CHECK (ended IS iif(state IN ('held', 'dispatched'), NULL, 1)),
    CONSTRAINT charged_is_what_the_state_says CHECK (
        CASE state
            WHEN 'settled' THEN charged_tokens IS actual_tokens AND charged_picos IS actual_picos
            WHEN 'assumed' THEN charged_tokens = ceiling_tokens AND charged_picos = ceiling_picos
                AND actual_tokens IS NULL AND actual_picos IS NULL
            ELSE charged_tokens = 0 AND charged_picos = 0 AND actual_tokens IS NULL AND actual_picos IS NULL
        END)
) STRICT;

CREATE INDEX open_holds ON holds (budget) WHERE ended IS NULL;

CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    event TEXT NOT NULL
) STRICT;
"""


def _dollars(picos: str) -> str:
    """Write pico-dollars as decimal dollars, exactly, cents always: ``money.written_dollars``, in SQL."""
    cents, rest = f"{picos} / 10000000000", f"{picos} % 10000000000"
    return f"printf('%d.%02d%s', {cents} / 100, {cents} % 100, rtrim(printf('%010d', {rest}), '0'))"


_CALL = "'budget', NEW.budget, 'token', NEW.id, 'provider', NEW.provider, 'model', NEW.model, 'price', NEW.price"

_RULES = f"""
CREATE TRIGGER a_hold_begins_held BEFORE INSERT ON holds WHEN NEW.state <> 'held'
BEGIN
    SELECT RAISE(ABORT, 'a hold begins as held');
END;

CREATE TRIGGER a_hold_goes_forward BEFORE UPDATE OF state ON holds
WHEN NOT (
    OLD.state = 'held' AND NEW.state IN ('dispatched', 'voided')
    OR OLD.state = 'dispatched' AND NEW.state IN ('settled', 'assumed')
    OR OLD.state = 'assumed' AND NEW.state = 'settled')
BEGIN
    SELECT RAISE(ABORT, 'a hold does not go back, and is used and settled once');
END;

CREATE TRIGGER a_charge_comes_with_its_state BEFORE UPDATE OF charged_tokens, charged_picos ON holds
WHEN OLD.state = NEW.state
BEGIN
    SELECT RAISE(ABORT, 'what was charged is not changed');
END;

CREATE TRIGGER a_hold_is_what_it_was
BEFORE UPDATE OF id, budget, ceiling_tokens, ceiling_picos, digest, provider, model, price, owner, held_at ON holds
BEGIN
    SELECT RAISE(ABORT, 'what was reserved is not changed');
END;

CREATE TRIGGER a_hold_stays BEFORE DELETE ON holds
BEGIN
    SELECT RAISE(ABORT, 'what was reserved is not forgotten');
END;

CREATE TRIGGER an_event_stays BEFORE DELETE ON outbox
BEGIN
    SELECT RAISE(ABORT, 'what was told is not forgotten');
END;

CREATE TRIGGER an_event_is_what_it_was BEFORE UPDATE ON outbox
BEGIN
    SELECT RAISE(ABORT, 'what was told is not changed');
END;

CREATE TRIGGER i2_i6_a_new_hold_is_added_up_and_told AFTER INSERT ON holds
BEGIN
    UPDATE budgets SET
        reserved_tokens = reserved_tokens + NEW.ceiling_tokens,
        reserved_picos = reserved_picos + NEW.ceiling_picos
    WHERE id = NEW.budget;
    INSERT INTO outbox (at, event) VALUES (NEW.moved_at, json_object(
        'event', 'budget.precharged', {_CALL},
        'ceiling_tokens', NEW.ceiling_tokens, 'ceiling_dollars', {_dollars("NEW.ceiling_picos")},
        'digest', NEW.digest, 'owner', NEW.owner));
END;

CREATE TRIGGER i6_a_dispatched_hold_is_told AFTER UPDATE OF state ON holds WHEN NEW.state = 'dispatched'
BEGIN
    INSERT INTO outbox (at, event) VALUES (NEW.moved_at, json_object('event', 'budget.dispatched', {_CALL}));
END;

CREATE TRIGGER i2_i6_an_ended_hold_is_added_up_and_told AFTER UPDATE OF state ON holds WHEN NEW.state <> 'dispatched'
BEGIN
    UPDATE budgets SET
        reserved_tokens = reserved_tokens - iif(OLD.state = 'assumed', 0, OLD.ceiling_tokens),
        reserved_picos = reserved_picos - iif(OLD.state = 'assumed', 0, OLD.ceiling_picos),
        spent_tokens = spent_tokens + NEW.charged_tokens - OLD.charged_tokens,
        spent_picos = spent_picos + NEW.charged_picos - OLD.charged_picos
    WHERE id = NEW.budget;
    INSERT INTO outbox (at, event) VALUES (NEW.moved_at, CASE NEW.state
        WHEN 'settled' THEN json_object(
            'event', 'budget.reconciled', {_CALL},
            'actual_tokens', NEW.charged_tokens, 'actual_dollars', {_dollars("NEW.charged_picos")},
            'late', json(iif(OLD.state = 'assumed', 'true', 'false')))
        WHEN 'assumed' THEN json_object(
            'event', 'budget.assumed', {_CALL},
            'charged_tokens', NEW.charged_tokens, 'charged_dollars', {_dollars("NEW.charged_picos")})
        WHEN 'voided' THEN json_object(
            'event', 'budget.voided', {_CALL},
            'ceiling_tokens', NEW.ceiling_tokens, 'ceiling_dollars', {_dollars("NEW.ceiling_picos")})
        END);
    INSERT INTO outbox (at, event) SELECT NEW.moved_at, json_object(
        'event', 'budget.overrun', {_CALL},
        'over_tokens', max(0, NEW.charged_tokens - NEW.ceiling_tokens),
        'over_dollars', {_dollars("max(0, NEW.charged_picos - NEW.ceiling_picos)")})
    WHERE NEW.charged_tokens > NEW.ceiling_tokens OR NEW.charged_picos > NEW.ceiling_picos;
    INSERT INTO outbox (at, event) SELECT NEW.moved_at, json_object(
        'event', 'cost.llm.call', 'budget', NEW.budget, 'id', NEW.id, 'seller', NEW.provider, 'item', NEW.model,
        'quantity', NEW.charged_tokens - OLD.charged_tokens, 'unit', 'token',
        'dollars', iif(NEW.charged_picos < OLD.charged_picos, '-', '')
            || {_dollars("abs(NEW.charged_picos - OLD.charged_picos)")},
        'basis', CASE WHEN NEW.state = 'assumed' THEN 'assumed' WHEN OLD.state = 'assumed' THEN 'corrected'
            ELSE 'reported' END,
        'price', NEW.price)
    WHERE NEW.state <> 'voided';
END;
"""

LAYOUT = Layout(
    noun="ledger",
    application_id=0x70726C67,  # "prlg"
    version=1,
    schema=_TABLES + _RULES,
    page_bytes=1_024,
    store="SqliteLedger",
    in_memory="MemoryLedger",
)
