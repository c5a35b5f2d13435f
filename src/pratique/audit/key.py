"""The keys of checkpoints: Ed25519, as one line of text each.

Grammar::

    verifier key = name "+" key-hash "+" base64(0x01 public-key)                    public-key: 32 bytes
    private key  = "PRIVATE+KEY+" name "+" key-hash "+" base64(0x01 seed)           seed: 32 bytes
    key-hash     = the first 4 bytes of SHA-256(name LF 0x01 public-key), as 8 hex digits in lower case
    name         = 1 to MAX_NAME_CHARS characters: no space, no "+", none that is invisible or a control

The private key stands in its file and inside one object that never shows it: not in its ``repr``, not in a message, not
among the locals of a traceback of ours. Source: C2SP signed-note; the forms of Go's sumdb/note; RFC 8032.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn, final

from pratique.errors import Misuse
from pratique.show import escape, show

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["PRIVATE", "SigningKey", "VerifierKey", "from_base64", "to_base64"]

PRIVATE = "PRIVATE+KEY+"
"""How a private key begins."""

MAX_NAME_CHARS = 200
"""Longest name of a key, characters: it stands in every checkpoint, and in messages."""

_ED25519 = b"\x01"
"""The signature type."""
_KEY_BYTES = 32
_MAX_FILE_BYTES = 4096
"""More than the longest key has."""
_KEY = re.compile(r"([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})\n?")


@final
@dataclass(frozen=True, slots=True)
class VerifierKey:
    """Hold the public key that checkpoints are verified with: its name, and 32 bytes.

    Errors: Misuse for a name that is none.
    """

    name: str
    public: bytes

    def __post_init__(self) -> None:
        fault = _fault_of_name(self.name)
        if fault:
            raise Misuse(f"the name of a key {fault}", remedy="name it like an address: example.com/audit")
        assert len(self.public) == _KEY_BYTES

    def __str__(self) -> str:
        return f"{self.name}+{self.hash.hex()}+{to_base64(_ED25519 + self.public)}"

    @property
    def hash(self) -> bytes:
        """The key hash: it tells keys of one name apart, and proves nothing."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519 + self.public).digest()[:4]

    @property
    def short(self) -> str:
        """Name and key hash, for people."""
        return f"{self.name}+{self.hash.hex()}"

    def is_signature(self, signature: bytes, message: bytes) -> bool:
        """Say whether the holder of the private key signed exactly this.

        Errors: Misuse without the package ``cryptography``.
        """
        _require_cryptography()
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, message)
        except InvalidSignature:
            return False
        return True

    @classmethod
    def from_text(cls, text: str) -> VerifierKey:
        """Read a verifier key, one line. Errors: Misuse; it does not quote the text, which may be a private key."""
        is_private, found, text = PRIVATE in text, _opened(text), ""
        if is_private:
            raise Misuse(
                "this is a private key, and nobody needs it to verify",
                remedy="keep it secret, and give the verifier key that pratique audit key printed",
            )
        if isinstance(found, str):
            raise Misuse(f"this is no verifier key: {found}", remedy="give it as pratique audit key printed it")
        made = cls(found.name, found.content)
        if made.hash != found.hash:
            raise Misuse(
                f"the verifier key of {show(made.name)} has another key hash than its bytes: a character was changed",
                remedy="give it as pratique audit key printed it",
            )
        return made


@final
class SigningKey:
    """Hold a private key, and sign with it.

    Shape: made by ``make``, ``from_file`` or ``from_text``; ``verifier`` is the public half.
    Errors: Misuse without the package ``cryptography``, and for what is no private key.
    """

    __slots__ = ("_private", "verifier")

    def __init__(self, name: str, private: Ed25519PrivateKey) -> None:
        self._private: Final = private
        self.verifier: Final = VerifierKey(name, private.public_key().public_bytes_raw())

    def __repr__(self) -> str:
        return f"<SigningKey {self.verifier.short}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a private key is not copied or pickled: read it from its file")

    @classmethod
    def make(cls, name: str) -> SigningKey:
        """Make a new key under a name."""
        _require_cryptography()
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return cls(name, Ed25519PrivateKey.generate())

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> SigningKey:
        """Read a private key from its file, as ``pratique audit key`` writes it."""
        _require_cryptography()
        shown = show(str(Path(path)), max_chars=300)
        try:
            made = _private_in(path)
        except OSError as error:
            raise Misuse(f"the key file {shown} cannot be read: {error.strerror}", remedy="name the file") from error
        if isinstance(made, str):
            raise Misuse(f"{shown} holds no private key: {made}", remedy="name what pratique audit key --out wrote")
        return made

    @classmethod
    def from_text(cls, text: str) -> SigningKey:
        """Read a private key, one line. Not checked: who else has seen it; a file of mode 0600 is the better place."""
        _require_cryptography()
        made, text = _private_of(text), ""  # a traceback that shows locals does not show the key
        if isinstance(made, str):
            raise Misuse(f"this is no private key: {made}", remedy="give what pratique audit key --out wrote")
        return made

    def secret_text(self) -> str:
        """Return the private key itself, one line: for its file and nothing else."""
        seed = self._private.private_bytes_raw()
        return f"{PRIVATE}{self.verifier.short}+{to_base64(_ED25519 + seed)}"

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message, 64 bytes."""
        return self._private.sign(message)


def to_base64(content: bytes) -> str:
    """Write bytes in the standard alphabet, padded."""
    return base64.b64encode(content).decode("ascii")


def from_base64(text: str) -> bytes | None:
    """Read base64; None for what ``to_base64`` would not have written: one content has one text."""
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return content if to_base64(content) == text else None


@final
class _Opened:
    """The parts of a key's text. No dataclass: its ``repr`` would show them."""

    __slots__ = ("content", "hash", "name")

    def __init__(self, name: str, hash: bytes, content: bytes) -> None:
        self.name, self.hash, self.content = name, hash, content


def _opened(text: str) -> _Opened | str:
    """Take a key's text apart, or say what is wrong with it, without quoting it."""
    parts = _KEY.fullmatch(text)
    if parts is None:
        return "it has not the form name+hash+base64"
    fault = _fault_of_name(parts[1])
    if fault:
        return f"its name {fault}"
    content = from_base64(parts[3])
    if content is None:
        return "its last part is not canonical base64"
    if content[:1] != _ED25519 or len(content) != 1 + _KEY_BYTES:
        return "it is not of the type Ed25519"
    return _Opened(parts[1], bytes.fromhex(parts[2]), content[1:])


def _private_in(path: str | os.PathLike[str]) -> SigningKey | str:
    with open(path, "rb") as file:
        return _private_of(file.read(_MAX_FILE_BYTES).decode("utf-8", "replace"))


def _private_of(text: str) -> SigningKey | str:
    """Return the key, or what is wrong: whoever raises it has no key among its locals."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    if not text.startswith(PRIVATE):
        return f"it does not begin with {PRIVATE}"
    found = _opened(text.removeprefix(PRIVATE))
    if isinstance(found, str):
        return found
    made = SigningKey(found.name, Ed25519PrivateKey.from_private_bytes(found.content))
    return (
        made if made.verifier.hash == found.hash else "its key hash is not that of its bytes: a character was changed"
    )


def _fault_of_name(name: str) -> str:
    """Say why a name can name no key; empty: nothing is wrong."""
    if not name:
        return "is empty"
    if len(name) > MAX_NAME_CHARS:
        return f"is longer than {MAX_NAME_CHARS} characters"
    if any(char == "+" or char.isspace() for char in name):
        return "holds a space or a +"
    return "" if escape(name) == name else "holds a character that is invisible or a control"


def _require_cryptography() -> None:
    try:
        import cryptography.hazmat.primitives.asymmetric.ed25519  # noqa: F401
    except ImportError as error:
        raise Misuse(
            "signed checkpoints need the package cryptography, which is not installed",
            remedy='pip install "pratique[sign]"',
        ) from error
