"""One chained log."""
