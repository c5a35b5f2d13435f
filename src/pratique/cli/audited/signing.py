"""``pratique audit key`` and ``checkpoint``: a key to sign with, and a log's head signed by it."""

from __future__ import annotations

import os

from pratique.audit.checkpoint import sign_head
from pratique.audit.key import SigningKey
from pratique.audit.verify import verify
from pratique.cli.app import complain
from pratique.cli.audited.verifying import BROKEN
from pratique.cli.files import STDIO
from pratique.errors import Misuse, Outage
from pratique.show import show

__all__ = ["run_checkpoint", "run_key"]

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_RIGHTS = 0o600


def run_key(name: str, *, out: str) -> int:
    """Make a key: the private half into a new file, the verifier key to standard output.

    Errors: Misuse for a name that is none, and a file that exists or cannot be made; Outage when the disk fails: no
        file is left behind then.
    """
    if out == STDIO:
        raise Misuse("a private key is not printed", remedy="name a file with --out")
    key = SigningKey.make(name)
    shown = show(out, max_chars=300)
    try:
        descriptor = os.open(out, _FLAGS, _RIGHTS)
    except FileExistsError as error:
        raise Misuse(f"{shown} exists, and a key is never overwritten", remedy="name another file") from error
    except OSError as error:
        raise Misuse(
            f"{shown} cannot be written: {error.strerror}", remedy="name a file in a folder that can be written to"
        ) from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(f"{key.secret_text()}\n".encode())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        os.unlink(out)
        raise Outage(f"{shown} could not be written: {error.strerror}; no key was made") from error
    print(key.verifier)
    return 0


def run_checkpoint(log: str, *, key: str) -> int:
    """Verify a log and print its head, signed; return the exit code. Errors: Misuse for a log or a key that is none."""
    signing = SigningKey.from_file(key)
    found = verify(log)
    if found.head is None or not found.is_sound:
        complain(f"{show(log)}: {found.fault}", "nothing was signed; pratique audit verify says what still holds")
        return BROKEN
    print(sign_head(found.head, signing), end="")
    return 0
