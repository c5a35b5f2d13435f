"""What a peer is: a name, where it comes from, how it is called, and a function from a type to a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = ["Asked", "Body", "Peer", "Send", "at"]

Body: TypeAlias = Mapping[str, Any]
"""The JSON body of one request."""
Send: TypeAlias = Callable[[Any], object]
"""Have the peer ask for a value of a type; whatever comes back is not looked at."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request asked the endpoint for."""

    schema: Any
    strict: bool
    """Whether the endpoint was asked to hold the answer to the schema."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Peer:
    """One peer in one configuration, for one endpoint."""

    name: str
    package: str
    """The distribution that is compared; its version is told."""
    environment: str
    """Name of the requirements file under ``bench/dialects/peers/requirements``."""
    target: str
    """The endpoint, by our own name for it; empty when we have no table of it."""
    call: str
    """How it is called, as a reader would write it."""
    needs: tuple[str, ...]
    """The modules that it imports."""
    open: Callable[[str], Send]
    """Import the peer, point it to a base URL, and return how it asks."""
    asked: Callable[[Body], Asked]
    """Find the schema in the request's body."""


def at(body: Any, *path: str | int) -> Any:
    """Return what stands at a path of a body; KeyError or IndexError when nothing does."""
    for step in path:
        body = body[step]
    return body
