"""One file a format: each defines ``render``."""
