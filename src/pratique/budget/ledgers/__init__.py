"""The ledgers: in memory for one process, SQLite for one machine, PostgreSQL for many. ``rows`` has their one flow."""
