"""``pratique audit verify`` and ``head``: what a log proves, and the head to keep elsewhere.

What is given as a head is either a plain one, which proves as much as the place where it was kept, or checkpoints,
which prove nothing without the key that signed them: they are refused then.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict

from pratique.audit.chain import Head
from pratique.audit.checkpoint import SignedHeads, read_checkpoints
from pratique.audit.key import PRIVATE, VerifierKey
from pratique.audit.verify import Verification, verify
from pratique.cli.app import complain
from pratique.cli.files import read_bytes, read_text
from pratique.errors import Misuse
from pratique.show import escape, show

__all__ = ["BROKEN", "run_head", "run_verify"]

BROKEN = 1
"""Exit code when a log is not what was written."""

_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?\s*([0-9a-f]{32}) ([0-9]{1,19}) ([0-9a-f]{64})\s*")
_CHECKPOINT = re.compile(rb"\s*pratique/audit/")
_KEY = re.compile(r"[^+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+")


def run_verify(log: str, *, head: str | None, key: str | None, as_json: bool) -> int:
    """Verify a log and print what was found; return the exit code.

    Errors: Misuse for a file that is not there, a head or a key that is none, checkpoints without a key, a key without
        checkpoints, and checkpoints of which one is malformed or forged or none is signed by the key.
    """
    if head is None and key is not None:
        raise Misuse("--key alone proves nothing", remedy="name the file of checkpoints with --head")
    found = verify(log, head=None if head is None else _head_in(head, key))
    print(json.dumps(_told(found)) if as_json else "\n".join(_lines(log, found)))
    return 0 if found.is_sound else BROKEN


def run_head(log: str) -> int:
    """Print the head of a log that holds."""
    found = verify(log)
    if found.head is None or not found.is_sound:
        complain(f"{show(log)}: {found.fault}", "pratique audit verify says what still holds")
        return BROKEN
    print(found.head)
    return 0


def _head_in(name: str, key: str | None) -> Head | SignedHeads:
    content = read_bytes(name)
    found = _HEAD.fullmatch(content)
    if found is not None:
        if key is not None:
            raise Misuse(
                f"{show(name)} holds a head that nobody signed",
                remedy="leave --key out, or name what pratique audit checkpoint printed",
            )
        return Head(found[1].decode(), int(found[2]), found[3].decode())
    if key is not None:
        return _signed_heads(content, name, _key_of(key))
    if _CHECKPOINT.match(content):
        raise Misuse(
            f"{show(name)} holds signed checkpoints, and without the key they prove nothing",
            remedy="give the verifier key that pratique audit key printed: --key VERIFIER_KEY",
        )
    raise Misuse(
        f"{show(name)} holds no head",
        remedy="keep what pratique audit head LOG prints, one line, or what pratique audit checkpoint prints",
    )


def _signed_heads(content: bytes, name: str, key: VerifierKey) -> SignedHeads:
    signed = read_checkpoints(content, key, what=show(name))
    if not signed.heads:
        raise Misuse(
            f"{show(name)} holds no whole checkpoint that {show(key.short)} signed"
            + (f", and {signed.passed_over:,} that others signed" if signed.passed_over else ""),
            remedy="take the verifier key of who signs this log's checkpoints",
        )
    return signed


def _key_of(given: str) -> VerifierKey:
    """Read a verifier key that was given as it is, or the file that holds one. A private key is not quoted."""
    is_key = PRIVATE in given or _KEY.fullmatch(given) is not None
    return VerifierKey.from_text(given if is_key else read_text(given, what="the verifier key"))


def _told(found: Verification) -> dict[str, object]:
    head = None if found.head is None else asdict(found.head)
    return {
        "sound": found.is_sound, "fault": found.fault or None, "head": head,
        "torn_bytes": found.torn_bytes, "proved": list(found.proved), "not_proved": list(found.not_proved),
    }  # fmt: skip


def _lines(log: str, found: Verification) -> Iterator[str]:
    yield f"{escape(log)}: {'sound' if found.is_sound else 'NOT what was written: ' + escape(found.fault)}"
    yield from (f"  proved:     {each}" for each in found.proved)
    yield from (f"  not proved: {each}" for each in found.not_proved)
    if found.torn_bytes:
        yield f"  a last write of {found.torn_bytes:,} bytes was cut off; the next writer sets it aside"
    if found.head is not None and found.is_sound:
        yield f"  head: {found.head}"
