"""The linter, rule by rule."""
