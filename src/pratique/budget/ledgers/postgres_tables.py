"""The ledger's tables in PostgreSQL, in a schema of their own: the same columns and constraints as in SQLite.

Source: PostgreSQL 13 and later. ``search_path`` is set, so names stand alone; a trigger's function is bound to it.
"""

from __future__ import annotations

__all__ = ["TABLES", "VERSION"]

VERSION = 1
"""Of the tables; a ledger with a larger one was written by a newer pratique."""

_CALL = "'budget', NEW.budget, 'token', NEW.id, 'provider', NEW.provider, 'model', NEW.model, 'price', NEW.price"

TABLES = (
    """
CREATE TABLE ledger (
    id text NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', ''),
    version integer NOT NULL
)""",
    """
CREATE TABLE budgets (
    id text PRIMARY KEY,
    cap_tokens bigint NOT NULL CHECK (cap_tokens >= 0),
    cap_picos bigint NOT NULL CHECK (cap_picos >= 0),
    per_call_tokens bigint NOT NULL CHECK (per_call_tokens >= 1),
    first_cap_tokens bigint NOT NULL,
    first_cap_picos bigint NOT NULL,
    first_per_call_tokens bigint NOT NULL,
    portfolio text REFERENCES budgets (id),
    chunk_tokens bigint CHECK (chunk_tokens > 0),
    chunk_picos bigint CHECK (chunk_picos > 0),
    granted_tokens bigint NOT NULL DEFAULT 0 CHECK (granted_tokens >= 0),
    granted_picos bigint NOT NULL DEFAULT 0 CHECK (granted_picos >= 0),
    lent_tokens bigint NOT NULL DEFAULT 0 CHECK (lent_tokens >= 0),
    lent_picos bigint NOT NULL DEFAULT 0 CHECK (lent_picos >= 0),
    reserved_tokens bigint NOT NULL DEFAULT 0 CHECK (reserved_tokens >= 0),
    reserved_picos bigint NOT NULL DEFAULT 0 CHECK (reserved_picos >= 0),
    spent_tokens bigint NOT NULL DEFAULT 0 CHECK (spent_tokens >= 0),
    spent_picos bigint NOT NULL DEFAULT 0 CHECK (spent_picos >= 0),
    overrun_tokens bigint NOT NULL DEFAULT 0 CHECK (overrun_tokens >= 0),
    overrun_picos bigint NOT NULL DEFAULT 0 CHECK (overrun_picos >= 0),
    tripped text NOT NULL DEFAULT '',
    CONSTRAINT i1_tokens CHECK (reserved_tokens + lent_tokens + spent_tokens <= cap_tokens + overrun_tokens),
    CONSTRAINT i1_picos CHECK (reserved_picos + lent_picos + spent_picos <= cap_picos + overrun_picos),
    CONSTRAINT i1_of_a_portfolio CHECK (
        portfolio IS NULL
        OR reserved_tokens + spent_tokens <= granted_tokens AND reserved_picos + spent_picos <= granted_picos),
    CONSTRAINT portfolios_are_one_deep CHECK (portfolio IS NULL OR lent_tokens + lent_picos = 0)
) WITH (fillfactor = 50)""",
    """
CREATE TABLE holds (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    budget text NOT NULL REFERENCES budgets (id),
    ceiling_tokens bigint NOT NULL CHECK (ceiling_tokens >= 0),
    ceiling_picos bigint NOT NULL CHECK (ceiling_picos >= 0),
    digest text NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    price text NOT NULL,
    owner text NOT NULL,
    state text NOT NULL DEFAULT 'held' CHECK (state IN ('held', 'dispatched', 'settled', 'assumed', 'voided')),
    actual_tokens bigint CHECK (actual_tokens >= 0),
    actual_picos bigint CHECK (actual_picos >= 0),
    charged_tokens bigint NOT NULL DEFAULT 0,
    charged_picos bigint NOT NULL DEFAULT 0,
    held_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    moved_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended boolean GENERATED ALWAYS AS (state NOT IN ('held', 'dispatched')) STORED,
    CONSTRAINT charged_is_what_the_state_says CHECK (
        CASE state
            WHEN 'settled' THEN charged_tokens IS NOT DISTINCT FROM actual_tokens
                AND charged_picos IS NOT DISTINCT FROM actual_picos
            WHEN 'assumed' THEN charged_tokens = ceiling_tokens AND charged_picos = ceiling_picos
                AND actual_tokens IS NULL AND actual_picos IS NULL
            ELSE charged_tokens = 0 AND charged_picos = 0 AND actual_tokens IS NULL AND actual_picos IS NULL
        END)
) WITH (fillfactor = 70)""",
    "CREATE INDEX open_holds ON holds (budget) WHERE NOT ended",
    """
CREATE TABLE outbox (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at text NOT NULL DEFAULT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"+00:00"'),
    event text NOT NULL
)""",
    """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE '%', TG_ARGV[0] USING ERRCODE = 'check_violation';
END $$""",
    """
CREATE TRIGGER a_hold_begins_held BEFORE INSERT ON holds FOR EACH ROW WHEN (NEW.state <> 'held')
EXECUTE FUNCTION refuse('a hold begins as held')""",
    """
CREATE TRIGGER a_hold_goes_forward BEFORE UPDATE ON holds FOR EACH ROW
WHEN (NOT (
    OLD.state = 'held' AND NEW.state IN ('dispatched', 'voided')
    OR OLD.state = 'dispatched' AND NEW.state IN ('settled', 'assumed')
    OR OLD.state = 'assumed' AND NEW.state = 'settled'))
EXECUTE FUNCTION refuse('a hold does not go back, and is used and settled once')""",
    """
CREATE TRIGGER a_hold_is_what_it_was BEFORE UPDATE ON holds FOR EACH ROW
WHEN (OLD.id <> NEW.id OR OLD.budget <> NEW.budget OR OLD.ceiling_tokens <> NEW.ceiling_tokens
    OR OLD.ceiling_picos <> NEW.ceiling_picos OR OLD.digest <> NEW.digest OR OLD.provider <> NEW.provider
    OR OLD.model <> NEW.model OR OLD.price <> NEW.price OR OLD.owner <> NEW.owner OR OLD.held_at <> NEW.held_at)
EXECUTE FUNCTION refuse('what was reserved is not changed')""",
    """
CREATE TRIGGER a_hold_stays BEFORE DELETE OR TRUNCATE ON holds FOR EACH STATEMENT
EXECUTE FUNCTION refuse('what was reserved is not forgotten')""",
    """
CREATE TRIGGER an_event_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON outbox FOR EACH STATEMENT
EXECUTE FUNCTION refuse('what was told is not changed, and not forgotten')""",
    """
CREATE FUNCTION dollars(picos bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN picos < 0 THEN '-' ELSE '' END || abs(picos) / 1000000000000 || '.'
        || substr(lpad((abs(picos) % 1000000000000)::text, 12, '0'), 1, 2)
        || rtrim(substr(lpad((abs(picos) % 1000000000000)::text, 12, '0'), 3), '0')
$$""",
    f"""
CREATE FUNCTION add_holds_up_and_tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        UPDATE budgets SET
            reserved_tokens = reserved_tokens + NEW.ceiling_tokens,
            reserved_picos = reserved_picos + NEW.ceiling_picos
        WHERE id = NEW.budget;
        INSERT INTO outbox (event) VALUES (json_build_object(
            'event', 'budget.precharged', {_CALL},
            'ceiling_tokens', NEW.ceiling_tokens, 'ceiling_dollars', dollars(NEW.ceiling_picos),
            'digest', NEW.digest, 'owner', NEW.owner));
        RETURN NULL;
    END IF;
    IF NEW.state <> 'dispatched' THEN
        UPDATE budgets SET
            reserved_tokens = reserved_tokens - CASE WHEN OLD.state = 'assumed' THEN 0 ELSE OLD.ceiling_tokens END,
            reserved_picos = reserved_picos - CASE WHEN OLD.state = 'assumed' THEN 0 ELSE OLD.ceiling_picos END,
            spent_tokens = spent_tokens + NEW.charged_tokens - OLD.charged_tokens,
            spent_picos = spent_picos + NEW.charged_picos - OLD.charged_picos
        WHERE id = NEW.budget;
    END IF;
    INSERT INTO outbox (event) SELECT told.event FROM (VALUES
        (1, CASE NEW.state
            WHEN 'dispatched' THEN json_build_object('event', 'budget.dispatched', {_CALL})
            WHEN 'voided' THEN json_build_object(
                'event', 'budget.voided', {_CALL},
                'ceiling_tokens', NEW.ceiling_tokens, 'ceiling_dollars', dollars(NEW.ceiling_picos))
            WHEN 'assumed' THEN json_build_object(
                'event', 'budget.assumed', {_CALL},
                'charged_tokens', NEW.charged_tokens, 'charged_dollars', dollars(NEW.charged_picos))
            WHEN 'settled' THEN json_build_object(
                'event', 'budget.reconciled', {_CALL},
                'actual_tokens', NEW.charged_tokens, 'actual_dollars', dollars(NEW.charged_picos),
                'late', OLD.state = 'assumed')
            END),
        (2, CASE WHEN NEW.charged_tokens > NEW.ceiling_tokens OR NEW.charged_picos > NEW.ceiling_picos
            THEN json_build_object(
                'event', 'budget.overrun', {_CALL},
                'over_tokens', greatest(0, NEW.charged_tokens - NEW.ceiling_tokens),
                'over_dollars', dollars(greatest(0, NEW.charged_picos - NEW.ceiling_picos)))
            END),
        (3, CASE WHEN NEW.state IN ('settled', 'assumed') THEN json_build_object(
            'event', 'cost.llm.call', 'budget', NEW.budget, 'id', NEW.id, 'seller', NEW.provider, 'item', NEW.model,
            'quantity', NEW.charged_tokens - OLD.charged_tokens, 'unit', 'token',
            'dollars', dollars(NEW.charged_picos - OLD.charged_picos),
            'basis', CASE WHEN NEW.state = 'assumed' THEN 'assumed' WHEN OLD.state = 'assumed' THEN 'corrected'
                ELSE 'reported' END,
            'price', NEW.price)
            END)
        ) AS told (place, event) WHERE told.event IS NOT NULL ORDER BY told.place;
    RETURN NULL;
END $$""",
    """
CREATE TRIGGER i2_i6_holds_are_added_up_and_told AFTER INSERT OR UPDATE ON holds
FOR EACH ROW EXECUTE FUNCTION add_holds_up_and_tell()""",
)
"""What makes them, one statement each; the row of ``ledger`` is written last."""
