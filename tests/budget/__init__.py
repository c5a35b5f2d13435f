"""Spend as a capability."""
