"""What a ledger costs beside the bare database, and whether it holds under contention."""
