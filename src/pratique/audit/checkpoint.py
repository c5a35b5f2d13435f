"""A signed checkpoint: the head of a log in a text that names the log, and the signatures of who held it.

Grammar, UTF-8, each line with its LF, no other control character::

    checkpoint = origin LF size LF hash LF LF 1*signature
    origin     = "pratique/audit/v1/" log-id        log-id: 32 hex digits in lower case
    size       = decimal, no leading zero           the records up to the head
    hash       = base64 of the head's 32 bytes      of the chain: no RFC 6962 root, so that a witness of trees that
                                                    wants consistency proofs cannot take it
    signature  = "— " name " " base64(key-hash signature-bytes) LF      at most MAX_SIGNATURES

What is signed is the text up to the empty line, without it. Extension lines are refused: nobody could check them.
Signatures of keys that are not asked for are passed over, also those of another key of the same name.
Source: C2SP tlog-checkpoint and signed-note.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pratique.audit.chain import Head
from pratique.audit.key import SigningKey, VerifierKey, from_base64, to_base64
from pratique.errors import Misuse
from pratique.show import show

__all__ = ["Checkpoint", "Signature", "SignedHeads", "is_torn", "read_checkpoints", "sign_head"]

MAX_SIGNATURES = 64
"""Signatures of one checkpoint: C2SP wants at least 16 to be taken."""

_ORIGIN = "pratique/audit/v1/"
_ORIGIN_LINE = re.compile(f"{_ORIGIN}([0-9a-f]{{32}})")
_SIZE = re.compile(r"0|[1-9][0-9]{0,18}")
_ZEROS = re.compile(r"0[0-9]+")
_SIGNATURE = re.compile(r"— ([^\s+]+) ([A-Za-z0-9+/=]+)")
_BODY_LINES = 4
"""Origin, size, hash, and the empty line."""
_HASH_BYTES = 32
_KEY_HASH_BYTES = 4
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")
_TORN = re.compile(
    rf"{_ORIGIN}(?:[0-9a-f]{{0,31}}|[0-9a-f]{{32}}(?:\n(?:[0-9]{{0,19}}|[0-9]{{1,19}}\n(?:[A-Za-z0-9+/]{{0,43}}=?|"
    r"[A-Za-z0-9+/]{43}=\n(?:\n(?:\ufffd|—(?: (?:[^\s+]+(?: [A-Za-z0-9+/=]*)?)?)?)?)?))?)?)"
)
"""The beginning of a checkpoint that ends before its first signature line does."""


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature line: the name of a key, and the key hash with what it signed."""

    name: str
    content: bytes

    @property
    def key_hash(self) -> bytes:
        """Which key of that name it says it is of."""
        return self.content[:_KEY_HASH_BYTES]

    def __str__(self) -> str:
        return f"— {self.name} {to_base64(self.content)}\n"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Hold what a checkpoint tells.

    Not checked: whether anybody signed it. ``require_head`` checks that, and returns the head.
    """

    head: Head
    signatures: tuple[Signature, ...]

    def __str__(self) -> str:
        return f"{_body(self.head)}\n{''.join(map(str, self.signatures))}"

    @classmethod
    def from_text(cls, text: str) -> Checkpoint:
        """Read one checkpoint, with nothing before it or behind it. Errors: Misuse, with the line."""
        what = "the checkpoint"
        found = list(_split(text, what))
        last = text.count("\n") + 1
        if len(found) != 1:
            raise _malformed(what, last, "another one stands behind it" if found else "nothing stands there")
        if found[0] is None:
            raise _malformed(what, last, "it ends before a signature does")
        if str(found[0]) != text:
            raise _malformed(what, last, "an empty line stands before it or behind it")
        return found[0]

    def require_head(self, key: VerifierKey) -> Head:
        """Return the head, when this key signed it.

        Errors: Misuse when it did not, and when a signature that says it is of this key does not fit.
        Not checked: whether a log is the one that the head was made of; ``verify`` does that.
        """
        if not self.is_for(key):
            raise Misuse(self._unsigned(key), remedy="take the verifier key of who signs this log's checkpoints")
        body = _body(self.head).encode("ascii")
        for each in self.signatures:
            if _is_of(each, key) and not key.is_signature(each.content[_KEY_HASH_BYTES:], body):
                raise Misuse(
                    f"the signature of {show(key.name)} does not fit the checkpoint of {self.head.size:,} records: one "
                    "of them was changed, or forged",
                    remedy="do not trust it; take the checkpoint from where it was first kept",
                )
        return self.head

    def is_for(self, key: VerifierKey) -> bool:
        """Say whether a signature says that it is of this key. Not checked: whether it is."""
        return any(_is_of(each, key) for each in self.signatures)

    def _unsigned(self, key: VerifierKey) -> str:
        here = f"the checkpoint of {self.head.size:,} records is not signed by {show(key.short)}"
        others = [each.key_hash.hex() for each in self.signatures if each.name == key.name]
        if others:
            return f"{here}: the key hash of {show(key.name)} there is {others[0]}, which is another key's"
        return f"{here}: it is signed by " + ", ".join(show(each.name) for each in self.signatures[:3])


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedHeads:
    """Hold the heads that one key signed, as they stood: what ``read_checkpoints`` found.

    Not checked: which log they are of, and whether it is the one that they were made of; ``verify`` does that.
    """

    key: VerifierKey
    heads: tuple[Head, ...]
    passed_over: int = 0
    """Checkpoints that this key did not sign."""
    is_torn: bool = False
    """Whether a last checkpoint was cut off while it was written."""


def sign_head(head: Head, key: SigningKey) -> Checkpoint:
    """Sign a head. Not checked: whether it is true; who signs has verified the log, or written it."""
    content = key.verifier.hash + key.sign(_body(head).encode("ascii"))
    return Checkpoint(head, (Signature(key.verifier.name, content),))


def read_checkpoints(content: bytes, key: VerifierKey, *, what: str = "the file of checkpoints") -> SignedHeads:
    """Read checkpoints that stand one behind the other, with empty lines between them or without, and check each.

    Shape: ``what`` says in messages where they stand. A last one that was cut off while it was written is left out.
    Limits: linear; one verification a signature of this key.
    Errors: Misuse for the first one that is malformed, and for one whose signature does not fit: what was changed once
        may have lost more.
    """
    heads: list[Head] = []
    passed_over, is_cut = 0, False
    for part in _split(_text_of(content, what), what):
        if part is None:
            is_cut = True
        elif part.is_for(key):
            heads.append(part.require_head(key))
        else:
            passed_over += 1
    return SignedHeads(key=key, heads=tuple(heads), passed_over=passed_over, is_torn=is_cut)


def is_torn(content: bytes) -> bool:
    """Say whether this is the beginning of a checkpoint, cut off before its first signature was whole."""
    try:
        return _is_torn(_decoded(content))
    except UnicodeDecodeError:
        return False


def _is_torn(text: str) -> bool:
    return bool(text) and (_ORIGIN.startswith(text) or _TORN.fullmatch(text) is not None)


def _text_of(content: bytes, what: str) -> str:
    try:
        return _decoded(content)
    except UnicodeDecodeError as error:
        raise _malformed(what, content.count(b"\n", 0, error.start) + 1, "this is not UTF-8") from error


def _decoded(content: bytes) -> str:
    """Decode; a last character that was cut off is U+FFFD."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    text = decoder.decode(content)
    return f"{text}\ufffd" if decoder.getstate()[0] else text


def _split(text: str, what: str) -> Iterator[Checkpoint | None]:
    """Yield the checkpoints of a text in order, and None last when one was cut off there."""
    lines = text.split("\n")
    _require_no_control(lines, what)
    at, last = 0, len(lines) - 1  # behind the last LF nothing stands, or a part of a line
    while at < last:
        if not lines[at]:
            at += 1
            continue
        end = at + _BODY_LINES
        while end < last and lines[end].startswith("— "):
            end += 1
        if end == at + _BODY_LINES and _is_torn("\n".join(lines[at:])):
            yield None
            return
        yield _read(lines[at:end], what, at + 1)
        at = end
    if lines[last]:
        if not _is_torn(lines[last]):
            raise _malformed(what, last + 1, "the line has no end")
        yield None


def _read(lines: list[str], what: str, first: int) -> Checkpoint:
    """Read the lines of one checkpoint, and say of the first that does not fit why."""
    origin, size, hash, empty = [*lines, *[""] * _BODY_LINES][:_BODY_LINES]
    signed = lines[_BODY_LINES:]
    found = _ORIGIN_LINE.fullmatch(origin)
    if found is None:
        raise _malformed(what, first, f"this is no origin of a log: {_ORIGIN} and 32 hex digits")
    if _SIZE.fullmatch(size) is None:
        why = "the size has leading zeros" if _ZEROS.fullmatch(size) else "this is no size in decimal"
        raise _malformed(what, first + 1, why)
    content = from_base64(hash)
    if content is None or len(content) != _HASH_BYTES:
        raise _malformed(what, first + 2, f"this is no canonical base64 of a hash of {_HASH_BYTES} bytes")
    if empty:
        raise _malformed(what, first + 3, "an empty line belongs here; extension lines are not taken")
    if not 1 <= len(signed) <= MAX_SIGNATURES:
        why = f"more than {MAX_SIGNATURES} signatures follow" if signed else "no signature follows"
        raise _malformed(what, first + _BODY_LINES, why)
    signatures = tuple(_signature(line, what, number) for number, line in enumerate(signed, first + _BODY_LINES))
    return Checkpoint(Head(found[1], int(size), content.hex()), signatures)


def _require_no_control(lines: list[str], what: str) -> None:
    for number, line in enumerate(lines, 1):
        found = _CONTROL.search(line)
        if found:
            name = "a carriage return" if found[0] == "\r" else "a control character"
            raise _malformed(what, number, f"{name} stands there")


def _signature(line: str, what: str, number: int) -> Signature:
    found = _SIGNATURE.fullmatch(line)
    if found is None:
        raise _malformed(what, number, "this is no signature: an em dash, a name, and base64, with one space between")
    content = from_base64(found[2])
    if content is None or len(content) <= _KEY_HASH_BYTES:
        raise _malformed(what, number, "the signature is not canonical base64 of a key hash and more")
    return Signature(found[1], content)


def _is_of(signature: Signature, key: VerifierKey) -> bool:
    return signature.name == key.name and signature.key_hash == key.hash


def _body(head: Head) -> str:
    return f"{_ORIGIN}{head.log}\n{head.size}\n{to_base64(bytes.fromhex(head.hash))}\n"


def _malformed(what: str, line: int, why: str) -> Misuse:
    return Misuse(
        f"{what} cannot be read at line {line}: {why}", remedy="take what was printed as it was, to the last line end"
    )
