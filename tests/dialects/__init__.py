"""Contracts in every form for the laws of the dialects."""
