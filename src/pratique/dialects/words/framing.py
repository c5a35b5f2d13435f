"""How a whole delivery of a contract is written: as one document, or a line each.

Neighbours: ``boundary.frame`` reads both; ``told`` asks for one, ``example`` and ``size`` write them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

from pratique.errors import Misuse
from pratique.show import escape, show
from pratique.terms.terms import Locality, Terms

__all__ = ["Framing", "framed", "require_framing"]

Framing: TypeAlias = Literal["document", "ndjson"]
"""``document``: one JSON text. ``ndjson``: the envelope on the first line, then one unit a line."""


def framed(terms: Terms[Any], units: Iterable[Any], envelope: Any, framing: Framing) -> str:
    """Write units and envelope as one delivery: indented by two as a document, a line each as NDJSON.

    Errors: Misuse when the boundary could not read the contract's lines.
    """
    require_framing(terms, framing)
    listed = list(units)
    if framing == "document":
        return _written(_document(terms, listed, envelope), indent=2)
    head = [_without_list(terms, envelope)] if terms.envelope is not None else []
    lines = [line for line in head if line] + listed
    return "\n".join(map(_written, lines))


def require_framing(terms: Terms[Any], framing: str) -> None:
    """Refuse NDJSON for a contract whose lines the boundary could not tell apart, and a framing that is none."""
    if framing not in ("document", "ndjson"):
        raise Misuse(f"framing cannot be {show(framing)}", remedy='use "document" or "ndjson"')
    if framing == "document" or terms.envelope is None:
        return
    remedy = 'ask for one document: framing="document"'
    if len(terms.at) > 1:
        raise Misuse("the envelope's list is nested, and an envelope line has no place for it", remedy=remedy)
    shared = sorted((terms.envelope.keys - set(terms.at)) & terms.unit.keys)
    if shared:
        raise Misuse(
            f"envelope and units share the key {show(shared[0])}, so that a line could be either", remedy=remedy
        )


def _written(value: Any, indent: int | None = None) -> str:
    """Write JSON; characters that hide or reorder text as escapes, and then all that is not ASCII."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    plain = text.replace("\n", "")
    return text if escape(plain) == plain else json.dumps(value, indent=indent)


def _document(terms: Terms[Any], units: list[Any], envelope: Any) -> Any:
    """Put the units where their list stands."""
    if terms.locality is Locality.ONE:
        return units[0]
    if not terms.at:
        return units
    root = json.loads(json.dumps(envelope)) if envelope is not None else {}
    here = root
    for key in terms.at[:-1]:
        here = here.setdefault(key, {})
    here.pop(terms.at[-1], None)
    here[terms.at[-1]] = units
    return root


def _without_list(terms: Terms[Any], envelope: Any) -> Any:
    return {key: value for key, value in (envelope or {}).items() if key not in terms.at}
