"""The oracle: what a decoder that is held to a schema accepts, and what it could write.

llguidance over single bytes: it compiles a JSON Schema into a grammar, refuses keywords that it does not
know instead of ignoring them, and says at each byte which bytes may follow. ``Grammar.accepts`` asks it about
a text, ``Grammar.sample`` lets chance choose the bytes.

Refuses: a schema that llguidance cannot compile, in its own words. Needs the package ``llguidance``.
Source: JSON Schema 2020-12 as llguidance reads it: keys in the order of ``properties``; strings escape
control characters, quote and backslash only; a number with bounds has no exponent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from llguidance import LLMatcher, LLTokenizer

__all__ = ["LIMIT_CHARS", "MAX_DEPTH", "Grammar", "Unsupported"]

LIMIT_CHARS = 400
"""Characters after which a sample is brought to its end; enough for most contracts' every key."""
GIVE_UP = 8
"""Times the limit (and never less than ``GIVE_UP_LEAST_CHARS``) at which a sample that cannot end is given up."""
GIVE_UP_LEAST_CHARS = 2_000
MAX_DEPTH = 7
"""Levels of objects and arrays below which a sample opens no more than it must: one below the contract's
``max_depth``."""
MAX_NUMBER_CHARS = 12
"""Characters of a number after which it is ended as soon as it may be: a double and an int64 hold it."""
MAX_EXPONENT_CHARS = 2
"""The same for what follows an ``e``: no double is left behind."""

_TOKENS = LLTokenizer("byte")
_BITS = [[bit for bit in range(8) if byte >> bit & 1] for byte in range(256)]
_QUOTE, _BACKSLASH = b'"\\'
_SPACE = b" \t\n\r"
_CLOSERS = frozenset(b"]},")
_OPENERS = frozenset(b"[{")
_NUMBER = frozenset(b"0123456789.eE+-")
_HEX = frozenset(b"0123456789abcdefABCDEF")
_NASTY = b"{}[]:,'`<$%#"
_RUN = re.compile(r"[A-Za-z0-9_-]{2,}")
"""What a pattern says literally, more or less; tried only where the grammar allows it."""


class Unsupported(ValueError):
    """Llguidance cannot compile a schema; the message is its own."""


@dataclass(slots=True)
class Grammar:
    """A schema compiled once, to be asked often.

    Errors: Unsupported when the schema has a keyword or form that llguidance does not know.
    """

    schema: Mapping[str, Any] | bool
    warnings: tuple[str, ...] = field(init=False)
    _matcher: LLMatcher = field(init=False, repr=False)
    _hints: tuple[bytes, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        try:
            grammar = LLMatcher.grammar_from_json_schema(json.dumps(self.schema))
        except ValueError as error:
            raise Unsupported(str(error)) from error
        refused, messages = LLMatcher.validate_grammar_with_warnings(grammar, _TOKENS)
        if refused:
            raise Unsupported(messages[0])
        self.warnings = tuple(messages)
        self._matcher = LLMatcher(_TOKENS, grammar, log_level=0)
        self._hints = tuple(hint.encode() for hint in dict.fromkeys(_hints(self.schema)))

    def accepts(self, text: str) -> bool:
        """Say whether the decoder could write this text, whole.

        Not checked: another spelling of the same value; use ``text_of``.
        """
        tokens = list(text.encode())
        self._matcher.reset()
        return bool(self._matcher.try_consume_tokens(tokens) == len(tokens) and self._matcher.is_accepting())

    def refused_at(self, text: str) -> int | None:
        """Return the byte offset of the first byte that the decoder could not write; None when it accepts.

        The length of the text: what is there is right, but something is missing.
        """
        tokens = list(text.encode())
        self._matcher.reset()
        taken: int = self._matcher.try_consume_tokens(tokens)
        return None if taken == len(tokens) and self._matcher.is_accepting() else taken

    def sample(self, rng: Random, limit_chars: int = LIMIT_CHARS, max_depth: int = MAX_DEPTH) -> str | None:
        """Write a text that the decoder lets through: now and then with escapes, non-ASCII, spaces, odd characters.

        Shape: keys do not come twice, numbers fit a double: both are beyond JSON Schema.
        Limits: after ``limit_chars`` what is open is closed as soon as may be; given up at ``GIVE_UP`` times that.
        Errors: None when nothing ends it: a schema without a finite value, or a pattern that chance does not meet.
        """
        self._matcher.reset()
        return _Sampler(self._matcher, rng, limit_chars, max_depth, self._hints).run()


def _hints(schema: Any) -> Iterator[str]:
    """Yield the runs of plain characters in a schema's patterns."""
    if isinstance(schema, dict):
        for name, part in schema.items():
            if name == "pattern" and isinstance(part, str):
                yield from _RUN.findall(part)
            else:
                yield from _hints(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _hints(part)


class _Sampler:
    """One walk through a grammar, byte by byte, that knows where in a JSON text it is."""

    def __init__(self, matcher: LLMatcher, rng: Random, limit: int, max_depth: int, hints: tuple[bytes, ...]) -> None:
        self._matcher = matcher
        self._rng = rng
        self._limit = limit
        self._max_depth = max_depth
        self._hints = hints
        self._out = bytearray()
        self._in_string = False
        self._escaped = 0
        """Bytes of an escape still to come; -1 right after the backslash."""
        self._string_from = 0
        self._number_from: int | None = None
        self._keys: list[set[str] | None] = []
        """For each open bracket: the keys so far, or None for an array."""
        self._at_key = False
        self._brisk = rng.random() < 0.3
        """Whether this sample leaves out what it may: half-empty values are where contracts break."""
        self._odd = 0.0 if rng.random() < 0.5 else 0.08
        self._spaced = rng.random() < 0.1

    def run(self) -> str | None:
        """Take bytes until the text may end and chance, or the limit, ends it."""
        end = max(self._limit * GIVE_UP, GIVE_UP_LEAST_CHARS)
        while len(self._out) < end:
            allowed = self._allowed()
            if self._matcher.is_accepting() and not self._in_string and not self._keys:
                tail = [byte for byte in allowed if byte in _NUMBER]
                if self._number_from is None or not tail or self._ends_number():
                    return self._out.decode()
            if not allowed:
                return None
            self._take(allowed[0] if len(allowed) == 1 else self._choose(allowed))
            if self._hints and self._in_string and not self._escaped and self._rng.random() < 0.2:
                self._take_hint()
        return None

    def _allowed(self) -> list[int]:
        mask = self._matcher.compute_bitmask()
        return [first + bit for first, byte in zip(range(0, 256, 8), mask, strict=False) if byte for bit in _BITS[byte]]

    def _take(self, byte: int) -> None:
        taken = self._matcher.consume_token(byte)
        assert taken, "test_every_sample_is_accepted"
        self._out.append(byte)
        self._follow(byte)

    def _take_hint(self) -> None:
        """Write what a pattern says, where the string cannot end yet and the grammar takes it."""
        if _QUOTE in self._allowed():
            return
        hint = self._rng.choice(self._hints)
        if self._matcher.validate_tokens(list(hint)) == len(hint):
            for byte in hint:
                self._take(byte)

    # ------------------------------------------------------------------ where we are

    def _follow(self, byte: int) -> None:
        """Keep account of strings, escapes, numbers, brackets and keys."""
        if self._in_string:
            if self._escaped == -1:
                self._escaped = 4 if byte == ord("u") else 0
            elif self._escaped:
                self._escaped -= 1
            elif byte == _BACKSLASH:
                self._escaped = -1
            elif byte == _QUOTE:
                self._in_string = False
                if self._at_key and self._keys and self._keys[-1] is not None:
                    self._keys[-1].add(self._written())
            return
        if byte in _NUMBER and self._number_from is None:
            self._number_from = len(self._out) - 1
        elif byte not in _NUMBER:
            self._number_from = None
        match byte:
            case 0x22:  # a quote
                self._in_string = True
                self._string_from = len(self._out) - 1
            case 0x7B:  # {
                self._keys.append(set())
                self._at_key = True
            case 0x5B:  # [
                self._keys.append(None)
                self._at_key = False
            case 0x7D | 0x5D:
                self._keys.pop()
                self._at_key = False
            case 0x3A:  # a colon
                self._at_key = False
            case 0x2C:  # a comma
                self._at_key = bool(self._keys) and self._keys[-1] is not None

    def _written(self) -> str:
        """Return the string that ends here."""
        return str(json.loads(bytes(self._out[self._string_from :])))

    # ------------------------------------------------------------------ choosing

    def _closing(self) -> bool:
        return len(self._out) >= self._limit or len(self._keys) >= self._max_depth

    def _choose(self, allowed: list[int]) -> int:
        return self._in_text(allowed) if self._in_string else self._between_strings(allowed)

    def _in_text(self, allowed: list[int]) -> int:
        rng = self._rng
        if self._escaped > 0:  # no surrogates: alone they are no text
            plain = [byte for byte in allowed if byte not in b"dD"]
            return rng.choice(plain or allowed)
        if self._escaped == -1:
            return rng.choice(allowed)
        if self._out[-1] >= 0x80 and allowed[0] >= 0x80 and allowed[-1] < 0xC0:
            return rng.choice(allowed)  # the rest of one character
        if _QUOTE in allowed and self._ends_twice():
            allowed = [byte for byte in allowed if byte != _QUOTE] or allowed
        elif _QUOTE in allowed:
            share = 0.9 if self._closing() else 0.3 if self._at_key or self._brisk else 0.15
            if rng.random() < share:
                return _QUOTE
        return self._letter(allowed)

    def _letter(self, allowed: list[int]) -> int:
        """Choose a character's first byte: mostly a plain letter."""
        rng = self._rng
        if rng.random() < self._odd:
            odd = [byte for byte in allowed if byte == _BACKSLASH or byte >= 0xC2 or byte in _NASTY]
            # llguidance has one start byte a block of characters: each as likely as the backslash
            if odd:
                return rng.choice(odd)
        plain = [byte for byte in allowed if 0x20 <= byte < 0x7F and byte not in (_QUOTE, _BACKSLASH)]
        if len(plain) > 70:  # free text: no flood of punctuation
            plain = [byte for byte in plain if chr(byte).isalnum() or byte == 0x20] or plain
        return rng.choice(plain or [byte for byte in allowed if byte != _QUOTE] or allowed)

    def _between_strings(self, allowed: list[int]) -> int:
        rng = self._rng
        spaces = [byte for byte in allowed if byte in _SPACE]
        solid = [byte for byte in allowed if byte not in _SPACE]
        if not solid or (self._spaced and spaces and self._out[-1] not in _SPACE and rng.random() < 0.3):
            return rng.choice(spaces)
        if self._number_from is not None:
            digits = [byte for byte in solid if byte in _NUMBER]
            rest = [byte for byte in solid if byte not in _NUMBER]
            if digits and not (rest and self._ends_number()):
                return self._digit(digits)
            solid = rest or solid
        closers = [byte for byte in solid if byte in b"]}"]
        if closers and len(closers) < len(solid):
            share = 1.0 if self._closing() else 0.5 if self._brisk else 0.2
            if rng.random() < share:
                return closers[0]
            solid = [byte for byte in solid if byte not in b"]}"]
        if self._closing():
            flat = [byte for byte in solid if byte not in _OPENERS]
            if ord("n") in flat:
                return ord("n")
            solid = flat or solid
        # digits count as one choice, so that a number is no likelier than a string or an object
        digits = [byte for byte in solid if byte in b"0123456789"]
        others = [byte for byte in solid if byte not in b"0123456789"]
        return rng.choice(digits) if digits and rng.random() < 1 / (len(others) + 1) else rng.choice(others or digits)

    def _digit(self, digits: list[int]) -> int:
        """Go on with a number; seldom with an exponent."""
        plain = [byte for byte in digits if byte not in b"eE"]
        return self._rng.choice(plain or digits) if plain and self._rng.random() < 0.9 else self._rng.choice(digits)

    def _ends_number(self) -> bool:
        """Say whether a number that may end here does."""
        assert self._number_from is not None
        written = bytes(self._out[self._number_from :]).lower()
        _, exponent, power = written.partition(b"e")
        if exponent and len(power) >= MAX_EXPONENT_CHARS:
            return True
        return len(written) >= MAX_NUMBER_CHARS or self._closing() or self._rng.random() < 0.5

    def _ends_twice(self) -> bool:
        """Say whether a quote here would end a key that this object has already."""
        held = self._keys[-1] if self._keys else None
        return bool(self._at_key and held and str(json.loads(bytes(self._out[self._string_from :]) + b'"')) in held)
