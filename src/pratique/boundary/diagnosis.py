"""Say why a text is no JSON: the plainest cause there is, and its place.

Neighbours: ``unit`` and ``read`` find out that a text is none; this file only says why.
"""

from __future__ import annotations

import jiter

from pratique.boundary.delivery import NOT_UTF8
from pratique.boundary.scan import BROKEN, CUT
from pratique.boundary.validate import CONTROL, DEPTH, DIGITS, SURROGATE, Outcome, Problem, place_of, surrogate_in
from pratique.errors import Code, Reason
from pratique.limits import Limits

__all__ = ["diagnose", "json_error"]


def diagnose(text: str, limits: Limits, *, cut: bool) -> Outcome:
    """Say why a unit's text is no JSON: the plainest cause there is.

    Shape: an outcome with one problem, at its place in ``text``.
    """
    if cut:
        return Outcome(
            reason=Reason.TRUNCATED, problems=[Problem(CUT, "the text ends inside this unit", (), place=(0, len(text)))]
        )
    found = surrogate_in(text)
    if found is not None:
        return _broken(NOT_UTF8, "bytes that are not UTF-8, or half a surrogate pair", found)
    message, at = json_error(text) or ("it cannot be told apart from its neighbours", 0)
    place = (at, min(len(text), at + 1))
    if "recursion limit" in message:
        return _broken(DEPTH, f"nesting deeper than {limits.max_depth} levels", place)
    if "number out of range" in message:
        return _broken(DIGITS, f"a number of more than {limits.max_number_digits} digits", place)
    if "hex escape" in message or "surrogate" in message:
        return _broken(SURROGATE, "half a surrogate pair, escaped", place)
    if "control character" in message:
        return _broken(CONTROL, "a raw control character inside a string", place)
    return _broken(BROKEN, f"not JSON: {message}", place)


def _broken(code: Code, message: str, place: tuple[int, int]) -> Outcome:
    return Outcome(reason=code.reason or Reason.MALFORMED, problems=[Problem(code, message, (), place=place)])


def json_error(text: str) -> tuple[str, int] | None:
    """Return what a JSON parser says against a text, and where; None when it is JSON."""
    try:
        jiter.from_json(text.encode("utf-8", "surrogatepass"), allow_inf_nan=False)
    except ValueError as error:
        return str(error).rpartition(" at line ")[0] or str(error), place_of(str(error), text)
    return None
