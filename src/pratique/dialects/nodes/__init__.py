"""The contract's schema as the compiler reads it: nodes by JSON type, and what becomes of each constraint."""
