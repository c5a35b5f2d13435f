"""Keyword tables that several targets share, one file a vendor or engine."""
