"""Which field tells an item apart from the others, as far as names show."""

from __future__ import annotations

from pratique.dialects.nodes.node import Choice, Node, Scalar
from pratique.lint.names import words_of

__all__ = ["is_counted", "is_identity"]

_COUNTED = frozenset({
    "cid", "eid", "gid", "guid", "id", "idx", "index", "key", "no", "nr", "num", "number", "oid", "ordinal", "pid",
    "position", "rank", "rid", "seq", "sequence", "sid", "slug", "uid", "ulid", "uuid",
})  # fmt: skip
"""Last words of names that are given so as to tell things apart."""

_TELLING = frozenset({
    "address", "alias", "candidate", "cell", "claim", "code", "column", "command", "concept", "country", "course",
    "currency", "date", "day", "destination", "doi", "domain", "ean", "email", "end", "entity", "expression",
    "feature", "field", "file", "filename", "filepath", "from", "handle", "hash", "heading", "host", "hostname",
    "href", "ip", "isbn", "issue", "item", "keyword", "label", "language", "line", "link", "login", "merchant",
    "metric", "model", "month", "name", "offset", "option", "page", "parameter", "path", "phrase", "product",
    "property", "question", "quote", "ref", "reference", "row", "section", "sentence", "sha", "sku", "source",
    "start", "statement", "step", "subject", "symbol", "tag", "target", "task", "term", "ticker", "time",
    "timestamp", "title", "to", "token", "topic", "uri", "url", "username", "variable", "vendor", "version", "week",
    "word", "year",
})  # fmt: skip
"""Last words of names whose values mostly differ from item to item: a person finds the item by them."""


def is_counted(name: str) -> bool:
    """Say whether a name is one for an id, a rank or an index."""
    words = [word for word in words_of(name) if not word.isdigit()]
    return bool(words) and words[-1] in _COUNTED


def is_identity(name: str, node: Node) -> bool:
    """Say whether a field's values mostly tell items apart: a text or number of a telling name, not one of a few."""
    if is_counted(name):
        return _holds(node, Scalar, Choice)
    words = [word for word in words_of(name) if not word.isdigit()]
    return bool(words) and words[-1] in _TELLING and _holds(node, Scalar)


def _holds(node: Node, *forms: type[Scalar] | type[Choice]) -> bool:
    """Say whether the value may be a text or a number, or one of a few values where those count."""
    form = node.form
    if isinstance(form, Scalar):
        return form.kind not in ("boolean", "null")
    return isinstance(form, forms) or any(isinstance(arm.form, forms) and _holds(arm, *forms) for arm in node.arms)
