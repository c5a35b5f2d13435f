"""The file's tables, views and triggers, as SQL that any SQLite tool can read. ``docs/quarantine.md`` explains them.

Kept rows are never changed: triggers refuse it. They are deleted through one gate alone, which opens for a
delivery whose records are all finally resolved. The triggers guard against slips, not against the owner of
the file, who can always drop them.
"""

from __future__ import annotations

from pratique.sqlite_file import Layout

__all__ = ["FROM_DELIVERY", "FROM_UNITS", "LAYOUT", "UNITS_EVER", "state_sql"]

UNITS_EVER = "(SELECT units_ever FROM fingerprints WHERE fingerprint = u.fingerprint)"
"""How many units ever came to the group of unit ``u``; asked only where it counts, since it costs a look-up."""

_STATE = """CASE
    WHEN r.kind IS NULL THEN 'open'
    WHEN r.kind <> 'snoozed' THEN r.kind
    WHEN r.until IS NOT NULL AND {now} >= r.until THEN 'open'
    WHEN r.until_units IS NOT NULL AND {ever} >= r.until_units THEN 'open'
    ELSE 'snoozed' END"""


def state_sql(now: str) -> str:
    """Return the expression for where a record stands, over units ``u`` and their resolution ``r``."""
    return _STATE.format(now=now, ever=UNITS_EVER)


FROM_UNITS = """units u
    CROSS JOIN deliveries d ON d.seq = u.delivery
    LEFT JOIN resolutions r ON r.seq = (SELECT max(seq) FROM resolutions WHERE unit = u.seq)"""
"""Units with all that belongs to them; CROSS tells SQLite to walk the units and look the others up."""

FROM_DELIVERY = """deliveries d
    CROSS JOIN units u ON u.delivery = d.seq
    LEFT JOIN resolutions r ON r.seq = (SELECT max(seq) FROM resolutions WHERE unit = u.seq)"""
"""The same, walking from a delivery to its units."""

_TABLES = """
CREATE TABLE deliveries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    digest TEXT NOT NULL,
    contract, version, contract_fingerprint TEXT NOT NULL,
    producer TEXT NOT NULL, model, run_id, attempt INTEGER, finish_reason, prompt_digest,
    usage TEXT NOT NULL, ids TEXT NOT NULL,
    status TEXT NOT NULL, truncated INTEGER NOT NULL,
    seen INTEGER NOT NULL, admitted INTEGER NOT NULL, not_kept INTEGER NOT NULL,
    size_bytes INTEGER NOT NULL, kept_bytes INTEGER NOT NULL, whole INTEGER NOT NULL,
    kept_at REAL NOT NULL,
    findings TEXT NOT NULL, admitted_spans TEXT NOT NULL, tool_calls TEXT NOT NULL, text NOT NULL
);
CREATE UNIQUE INDEX deliveries_once ON deliveries (digest, contract_fingerprint, run_id, attempt)
    WHERE run_id IS NOT NULL AND attempt IS NOT NULL;

CREATE TABLE units (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    delivery INTEGER NOT NULL REFERENCES deliveries (seq),
    unit_index INTEGER,
    reason TEXT NOT NULL, code TEXT NOT NULL, path NOT NULL,
    span_start INTEGER NOT NULL, span_end INTEGER NOT NULL,
    raw_bytes INTEGER NOT NULL, kept_bytes INTEGER NOT NULL, whole INTEGER NOT NULL,
    fingerprint TEXT NOT NULL, fingerprint_version INTEGER NOT NULL, regressed INTEGER NOT NULL,
    kept_at REAL NOT NULL,
    message NOT NULL, raw NOT NULL,
    findings TEXT NOT NULL, edits TEXT NOT NULL, draft
);
CREATE INDEX units_delivery ON units (delivery);
CREATE INDEX units_group ON units (fingerprint, kept_at, regressed, reason, delivery);

CREATE TABLE overlays (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    unit INTEGER NOT NULL REFERENCES units (seq),
    number INTEGER NOT NULL,
    text NOT NULL, author NOT NULL, note NOT NULL, at REAL NOT NULL,
    UNIQUE (unit, number)
);

CREATE TABLE replays (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id NOT NULL UNIQUE,
    contract, version, contract_fingerprint TEXT NOT NULL,
    author NOT NULL, note NOT NULL, at REAL NOT NULL
);

CREATE TABLE resolutions (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    unit INTEGER NOT NULL REFERENCES units (seq),
    round INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('admitted', 'discarded', 'snoozed')),
    reason NOT NULL,
    until REAL, grow_by INTEGER, until_units INTEGER,
    author NOT NULL, note NOT NULL, at REAL NOT NULL,
    replay, contract, version, contract_fingerprint TEXT, overlay INTEGER, value TEXT,
    UNIQUE (unit, round)
);
CREATE INDEX resolutions_replay ON resolutions (replay) WHERE replay IS NOT NULL;

CREATE TABLE overflow (
    contract NOT NULL, reason TEXT NOT NULL, cause TEXT NOT NULL,
    units INTEGER NOT NULL, first_at REAL NOT NULL, last_at REAL NOT NULL,
    PRIMARY KEY (contract, reason, cause)
);

-- Counters, kept by triggers, so that caps and groups need no scan.
CREATE TABLE fingerprints (
    fingerprint TEXT PRIMARY KEY, units_ever INTEGER NOT NULL, final_ever INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE tally (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    units INTEGER NOT NULL, deliveries INTEGER NOT NULL, kept_bytes INTEGER NOT NULL, purged_units INTEGER NOT NULL
);
INSERT INTO tally VALUES (1, 0, 0, 0, 0);
CREATE TABLE settling (
    delivery INTEGER PRIMARY KEY, units INTEGER NOT NULL, final INTEGER NOT NULL, last_final_at REAL
);
CREATE INDEX settled ON settling (last_final_at, delivery) WHERE final = units;
CREATE TABLE purge_gate (delivery INTEGER PRIMARY KEY);
"""

_COUNTING = """
CREATE TRIGGER deliveries_counted AFTER INSERT ON deliveries BEGIN
    UPDATE tally SET deliveries = deliveries + 1, kept_bytes = kept_bytes + NEW.kept_bytes;
    INSERT INTO settling VALUES (NEW.seq, 0, 0, NULL);
END;
CREATE TRIGGER units_counted AFTER INSERT ON units BEGIN
    UPDATE tally SET units = units + 1, kept_bytes = kept_bytes + NEW.kept_bytes;
    UPDATE settling SET units = units + 1 WHERE delivery = NEW.delivery;
    INSERT INTO fingerprints VALUES (NEW.fingerprint, 1, 0)
        ON CONFLICT (fingerprint) DO UPDATE SET units_ever = units_ever + 1;
END;
CREATE TRIGGER resolutions_counted AFTER INSERT ON resolutions WHEN NEW.kind <> 'snoozed' BEGIN
    UPDATE settling SET final = final + 1, last_final_at = max(NEW.at, coalesce(last_final_at, NEW.at))
        WHERE delivery = (SELECT delivery FROM units WHERE seq = NEW.unit);
    UPDATE fingerprints SET final_ever = final_ever + 1
        WHERE fingerprint = (SELECT fingerprint FROM units WHERE seq = NEW.unit);
END;
CREATE TRIGGER deliveries_purged AFTER DELETE ON deliveries BEGIN
    UPDATE tally SET deliveries = deliveries - 1, kept_bytes = kept_bytes - OLD.kept_bytes;
    DELETE FROM settling WHERE delivery = OLD.seq;
END;
CREATE TRIGGER units_purged AFTER DELETE ON units BEGIN
    UPDATE tally SET units = units - 1, kept_bytes = kept_bytes - OLD.kept_bytes, purged_units = purged_units + 1;
END;
"""

_RULES = """
CREATE TRIGGER resolved_at_most_once BEFORE INSERT ON resolutions
WHEN EXISTS (SELECT 1 FROM resolutions WHERE unit = NEW.unit AND kind <> 'snoozed') BEGIN
    SELECT RAISE(ABORT, 'the record is finally resolved');
END;
CREATE TRIGGER purge_gate_opens BEFORE INSERT ON purge_gate
WHEN EXISTS (SELECT 1 FROM units WHERE delivery = NEW.delivery AND NOT EXISTS (
    SELECT 1 FROM resolutions WHERE unit = units.seq AND kind <> 'snoozed')) BEGIN
    SELECT RAISE(ABORT, 'a record of this delivery is not finally resolved');
END;
"""

_KEYS = {
    "deliveries": "id = NEW.id",
    "units": "id = NEW.id",
    "overlays": "unit = NEW.unit AND number = NEW.number",
    "resolutions": "unit = NEW.unit AND round = NEW.round",
    "replays": "id = NEW.id",
}
"""What names a row beside its ``seq``: ``INSERT OR REPLACE`` would delete by it without a trigger's knowing."""

_OWNER = {
    "deliveries": "OLD.seq",
    "units": "OLD.delivery",
    "overlays": "(SELECT delivery FROM units WHERE seq = OLD.unit)",
    "resolutions": "(SELECT delivery FROM units WHERE seq = OLD.unit)",
}
"""Tables whose rows never change, and which delivery a row of each belongs to."""


def _append_only(table: str) -> str:
    owner = _OWNER.get(table)
    when = f"WHEN NOT EXISTS (SELECT 1 FROM purge_gate WHERE delivery = {owner})" if owner else ""
    return f"""
CREATE TRIGGER {table}_never_change BEFORE UPDATE ON {table} BEGIN
    SELECT RAISE(ABORT, 'the quarantine is append-only: rows of {table} never change');
END;
CREATE TRIGGER {table}_never_go BEFORE DELETE ON {table} {when} BEGIN
    SELECT RAISE(ABORT, 'the quarantine is append-only: rows of {table} go through the purge gate alone');
END;
CREATE TRIGGER {table}_never_replaced BEFORE INSERT ON {table}
WHEN EXISTS (SELECT 1 FROM {table} WHERE seq = NEW.seq OR ({_KEYS[table]})) BEGIN
    SELECT RAISE(ABORT, 'the quarantine is append-only: rows of {table} are never replaced');
END;
"""


_NOW = "((julianday('now') - 2440587.5) * 86400.0)"
_TIME = "strftime('%Y-%m-%dT%H:%M:%SZ', {}, 'unixepoch')"

_VIEWS = f"""
CREATE VIEW records AS SELECT
    u.id AS id, d.id AS delivery, u.unit_index, u.reason, u.code, u.path, u.message, {state_sql(_NOW)} AS state,
    u.regressed, u.fingerprint, d.contract, d.version, d.producer, d.model, d.run_id, d.attempt, d.finish_reason,
    u.span_start, u.span_end, u.raw_bytes, u.whole, {_TIME.format("u.kept_at")} AS kept_at, u.raw, u.draft
    FROM {FROM_UNITS};
CREATE VIEW open_units AS SELECT * FROM records WHERE state = 'open';
CREATE VIEW groups AS SELECT
    s.fingerprint, s.contract, s.reason, s.code, s.path, count(*) AS count, sum(s.state = 'open') AS open,
    (SELECT units_ever FROM fingerprints WHERE fingerprint = s.fingerprint) AS ever,
    min(s.kept_at) AS first_seen, max(s.kept_at) AS last_seen,
    min(CASE WHEN s.state = 'open' THEN s.kept_at END) AS oldest_open,
    max(s.regressed AND s.state IN ('open', 'snoozed')) AS regressed, max(s.message) AS message
    FROM records s GROUP BY s.fingerprint ORDER BY count(*) DESC, s.fingerprint;
CREATE VIEW resolved AS SELECT
    u.id AS id, r.round, r.kind, r.reason, r.author, r.note, {_TIME.format("r.at")} AS at,
    {_TIME.format("r.until")} AS until, r.grow_by, r.replay, r.contract, r.version, r.overlay, r.value
    FROM resolutions r JOIN units u ON u.seq = r.unit ORDER BY r.seq;
CREATE VIEW edits AS SELECT
    u.id AS id, o.number, o.author, o.note, {_TIME.format("o.at")} AS at, u.raw AS before, o.text AS after
    FROM overlays o JOIN units u ON u.seq = o.unit ORDER BY o.seq;
CREATE VIEW overflowed AS SELECT
    contract, reason, cause, units, {_TIME.format("first_at")} AS first_at, {_TIME.format("last_at")} AS last_at
    FROM overflow ORDER BY units DESC;
CREATE VIEW stats AS
    SELECT 'state' AS what, state AS value, count(*) AS units FROM records GROUP BY state
    UNION ALL SELECT 'reason', reason, count(*) FROM records GROUP BY reason
    UNION ALL SELECT 'open of contract', contract, count(*) FROM open_units GROUP BY contract
    UNION ALL SELECT 'deliveries of status', status, count(*) FROM deliveries GROUP BY status
    UNION ALL SELECT 'overflow of reason', reason, sum(units) FROM overflow GROUP BY reason
    UNION ALL SELECT 'kept', 'bytes', kept_bytes FROM tally
    UNION ALL SELECT 'purged', 'units', purged_units FROM tally;
"""

LAYOUT = Layout(
    noun="quarantine",
    application_id=0x70726174,  # "prat": how ``file`` and this library know the file for what it is
    version=1,
    schema=_TABLES + _COUNTING + _RULES + "".join(_append_only(table) for table in _KEYS) + _VIEWS,
    store="SqliteQuarantine",
    in_memory="MemoryQuarantine",
)
