"""The forms a report may take: one file a format, each with one ``render``."""
