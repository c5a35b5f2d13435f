"""The intersection of profiles: what every one of them keeps, under the strictest rule of any."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pratique.dialects.profile import (
    ANNOTATIONS,
    FORMS,
    KEYWORDS,
    Bounds,
    Cell,
    Known,
    Patterns,
    Profile,
    Support,
)

__all__ = ["intersection"]

_FROM_BEST = (Support.ENFORCED, Support.IGNORED, Support.UNKNOWN, Support.REFUSED)
_FROM_FIRM = (Known.MEASURED, Known.DOCUMENTED, Known.UNVERIFIED)


def intersection(profiles: Mapping[str, Profile], *, endpoint: str, models: str) -> Profile:
    """Return the profile that holds wherever all of these hold.

    Shape: ``profiles`` by target. A cell is the worst there is, the least firm of the worst, and names its target;
        a name that one profile does not speak of is unknown. Bounds are the smallest, formats and escapes those of
        all, and a rule that one profile sets is set.
    """
    all_of = list(profiles.values())
    names = [profile.tool_name for profile in all_of]
    return Profile(
        endpoint=endpoint,
        models=models,
        read_on=min(profile.read_on for profile in all_of),
        cells={name: _worst(name, profiles) for name in (*KEYWORDS, *ANNOTATIONS, *FORMS)},
        formats=frozenset.intersection(*(profile.formats for profile in all_of)),
        patterns=_patterns([profile.patterns for profile in all_of]),
        bounds=_bounds([profile.bounds for profile in all_of]),
        root_object=any(profile.root_object for profile in all_of),
        closed_objects=any(profile.closed_objects for profile in all_of),
        distinct_first_keys=any(profile.distinct_first_keys for profile in all_of),
        const_as_enum=any(profile.const_as_enum for profile in all_of),
        required_first=any(profile.required_first for profile in all_of),
        loose_case=any(profile.loose_case for profile in all_of),
        integer_bounds_only=any(profile.integer_bounds_only for profile in all_of),
        integer_multiples_only=any(profile.integer_multiples_only for profile in all_of),
        max_min_items=_least(profile.max_min_items for profile in all_of),
        required_counted_only=any(profile.required_counted_only for profile in all_of),
        no_empty_names=any(profile.no_empty_names for profile in all_of),
        max_count=_least(profile.max_count for profile in all_of),
        max_bound=_least(profile.max_bound for profile in all_of),
        max_multiple=_least(profile.max_multiple for profile in all_of),
        tool_name=_name_for(sorted(set(names))),
    )


def _worst(name: str, profiles: Mapping[str, Profile]) -> Cell:
    found = {target: profile.cells.get(name) for target, profile in profiles.items()}
    target, cell = max(
        ((target, cell or _unsaid(target)) for target, cell in found.items()),
        key=lambda pair: (_FROM_BEST.index(pair[1].support), _FROM_FIRM.index(pair[1].known)),
    )
    return Cell(cell.support, cell.known, f"{target}: {cell.source}", cell.note)


def _unsaid(target: str) -> Cell:
    return Cell(Support.UNKNOWN, Known.UNVERIFIED, f"the table of {target} does not say")


def _patterns(patterns: Sequence[Patterns]) -> Patterns:
    escapes = [each.escapes for each in patterns if each.escapes is not None]
    return Patterns(
        look_around=all(each.look_around for each in patterns),
        back_references=all(each.back_references for each in patterns),
        word_boundary=all(each.word_boundary for each in patterns),
        unanchored=all(each.unanchored for each in patterns),
        max_repeat=_least(each.max_repeat for each in patterns),
        beside_length=all(each.beside_length for each in patterns),
        lazy=all(each.lazy for each in patterns),
        named_groups=all(each.named_groups for each in patterns),
        letter_classes=all(each.letter_classes for each in patterns),
        flags=all(each.flags for each in patterns),
        escaped=all(each.escaped for each in patterns),
        escapes=frozenset.intersection(*escapes) if escapes else None,
    )


def _bounds(bounds: Sequence[Bounds]) -> Bounds:
    return Bounds(
        max_properties=_least(each.max_properties for each in bounds),
        max_depth=_least(each.max_depth for each in bounds),
        max_enum_values=_least(each.max_enum_values for each in bounds),
        max_enum_chars=_least(each.max_enum_chars for each in bounds),
        many_enum_values=_least(each.many_enum_values for each in bounds),
        max_name_chars=_least(each.max_name_chars for each in bounds),
        max_optional=_least(each.max_optional for each in bounds),
        max_unions=_least(each.max_unions for each in bounds),
        max_strict_tools=_least(each.max_strict_tools for each in bounds),
        max_schema_bytes=_least(each.max_schema_bytes for each in bounds),
    )


def _least(values: Iterable[int | None]) -> int | None:
    return min((value for value in values if value is not None), default=None)


def _name_for(patterns: Sequence[str]) -> str:
    """Return a pattern that takes a name which all of these take whole."""
    *others, last = patterns
    made = "".join(rf"(?=(?:{pattern})\Z)" for pattern in others) + (f"(?:{last})" if others else last)
    re.compile(made)
    return made
