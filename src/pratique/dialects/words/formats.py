"""The values of ``format`` that we know: what each looks like in words, and texts that have it.

Source: JSON Schema 2020-12, validation vocabulary, section 7.3; the last ones are Pydantic's own names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["FORMATS", "Format"]


@dataclass(frozen=True, slots=True)
class Format:
    """What one format looks like."""

    words: str
    """What a producer is told; empty: the name alone says all."""
    texts: tuple[str, ...] = ()
    """Texts that have it, different from each other."""
    is_short: bool = False
    """Nobody writes more than a line of it, whatever the grammar allows."""


FORMATS: Mapping[str, Format] = {
    "date": Format('a date, like "2026-11-21"', ("2026-11-21", "2026-11-22", "2026-11-23"), True),
    "date-time": Format(
        'a date and time with its zone, like "2026-11-21T09:30:00Z"',
        ("2026-11-21T09:30:00Z", "2026-11-22T10:00:00Z", "2026-11-23T10:30:00Z"),
        True,
    ),
    "time": Format('a time of day with its zone, like "09:30:00Z"', ("09:30:00Z", "10:00:00Z", "10:30:00Z"), True),
    "duration": Format('a duration, like "PT1H30M"', ("PT1H30M", "PT2H", "P1D"), True),
    "email": Format("an e-mail address", ("someone@example.org", "another@example.org"), True),
    "idn-email": Format("an e-mail address", ("someone@example.org", "another@example.org"), True),
    "hostname": Format("a host name", ("host.example.org", "other.example.org"), True),
    "idn-hostname": Format("a host name", ("host.example.org", "other.example.org"), True),
    "ipv4": Format('an IPv4 address, like "192.0.2.1"', ("192.0.2.1", "192.0.2.2"), True),
    "ipv6": Format('an IPv6 address, like "2001:db8::1"', ("2001:db8::1", "2001:db8::2"), True),
    "uri": Format(
        'an absolute URI, like "https://example.org/a"', ("https://example.org/a", "https://example.org/b")
    ),
    "uri-reference": Format("a URI or a relative reference", ("https://example.org/a", "../b")),
    "iri": Format("an absolute IRI", ("https://example.org/a", "https://example.org/b")),
    "iri-reference": Format("an IRI or a relative reference", ("https://example.org/a", "../b")),
    "uri-template": Format('a URI template, like "/items/{id}"', ("/items/{id}", "/parts/{id}")),
    "uuid": Format(
        'a UUID, like "6f1c2b8e-0000-4000-8000-000000000001"',
        ("6f1c2b8e-0000-4000-8000-000000000001", "6f1c2b8e-0000-4000-8000-000000000002"),
        True,
    ),
    "json-pointer": Format('a JSON Pointer, like "/items/0"', ("/items/0", "/items/1")),
    "relative-json-pointer": Format('a relative JSON Pointer, like "1/name"', ("1/name", "2/name")),
    "regex": Format("a regular expression", ("^a+$", "^b+$")),
    "binary": Format("", ("eA==", "eQ==")),
    "base64": Format("base64 text", ("eA==", "eQ==")),
    "base64url": Format("base64 text with the URL alphabet", ("eA==", "eQ==")),
    "json-string": Format("text that is itself JSON", ("{}", "[]")),
    "path": Format("a path", ("a/b", "a/c")),
    "password": Format("", ("secret-1", "secret-2")),
    "ipvanyaddress": Format("an IPv4 or IPv6 address", ("192.0.2.1", "2001:db8::2"), True),
    "ipv4network": Format('an IPv4 network, like "192.0.2.0/24"', ("192.0.2.0/24", "198.51.100.0/24"), True),
    "ipv6network": Format('an IPv6 network, like "2001:db8::/32"', ("2001:db8::/32", "2001:db8:1::/48"), True),
}  # fmt: skip
"""Every format that has words. One that is not here is told by its name alone."""
