"""A key has one text, which is told from any other one, and its private half is never shown."""

from __future__ import annotations

import copy
import hashlib
import pickle
import subprocess
import sys
import traceback
from base64 import b64encode
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit import ed25519
from pratique.audit import SigningKey, VerifierKey
from pratique.errors import Misuse

NAME = "example.com/audit"
SEED = hashlib.sha256(b"a private key of these tests").digest()


def texts_of(name: str, seed: bytes) -> tuple[str, str]:
    """Write both halves of a key by their definition, without the library."""
    public = ed25519.public_of(seed)
    key_hash = hashlib.sha256(name.encode() + b"\n\x01" + public).digest()[:4].hex()
    return (
        f"PRIVATE+KEY+{name}+{key_hash}+{b64encode(bytes([1]) + seed).decode()}",
        f"{name}+{key_hash}+{b64encode(bytes([1]) + public).decode()}",
    )


PRIVATE_TEXT, VERIFIER_TEXT = texts_of(NAME, SEED)
SHOWN_FORMS = (PRIVATE_TEXT.rsplit("+KEY+", 1)[1].split("+", 2)[2], SEED.hex(), repr(SEED), str(SEED[:16])[2:-1])
"""How the private half might look where it must not be seen."""


def parts_of(text: str) -> list[str]:
    """Return stretches of a secret that a message would have to hold to give some of it away."""
    return [text[at : at + 8] for at in range(len(text) - 8)]


def seen_of(error: Misuse) -> str:
    """Return what a traceback with locals shows of an error, but for the frames of these tests."""
    seen = traceback.TracebackException.from_exception(error, capture_locals=True)
    ours = [frame for frame in seen.stack if frame.filename != __file__]
    assert ours
    return f"{error}\n" + "\n".join(str(frame.locals) for frame in ours)


def test_the_independent_computation_is_the_standards() -> None:
    """Source: RFC 8032 section 7.1, test 1."""
    seed = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    assert ed25519.public_of(seed).hex() == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    assert ed25519.sign(seed, b"").hex() == (
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe"
        "24655141438e7a100b"
    )


def test_both_halves_have_the_text_that_their_definition_gives() -> None:
    """The library signs with another implementation, and agrees."""
    key = SigningKey.from_text(PRIVATE_TEXT)
    assert str(key.verifier) == VERIFIER_TEXT
    assert key.secret_text() == PRIVATE_TEXT
    assert key.sign(b"message") == ed25519.sign(SEED, b"message")
    assert VerifierKey.from_text(VERIFIER_TEXT) == key.verifier
    assert VerifierKey.from_text(f"{VERIFIER_TEXT}\n") == key.verifier


def test_a_key_that_was_made_elsewhere_is_taken() -> None:
    """Source: the example key of Go's package sumdb/note."""
    key = SigningKey.from_text("PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")
    assert str(key.verifier) == "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"


def test_two_keys_of_one_name_differ(tmp_path: Path) -> None:
    """And one that is kept in a file is read again."""
    one, other = SigningKey.make(NAME), SigningKey.make(NAME)
    assert one.verifier.hash != other.verifier.hash
    file = tmp_path / "key"
    file.write_text(f"{one.secret_text()}\n", encoding="utf-8")
    assert SigningKey.from_file(file).verifier == one.verifier


@given(st.integers(0, len(VERIFIER_TEXT) - 1), st.characters(), st.sampled_from(["put", "insert", "drop"]))
def test_a_verifier_key_with_a_character_changed_is_refused(at: int, char: str, how: str) -> None:
    """At every place; also in the name, which the key hash holds."""
    damaged = VERIFIER_TEXT[:at] + ("" if how == "drop" else char) + VERIFIER_TEXT[at + (how != "insert") :]
    if damaged != VERIFIER_TEXT:
        with pytest.raises(Misuse):
            VerifierKey.from_text(damaged)


def test_a_private_key_with_a_character_changed_is_refused_and_not_shown(tmp_path: Path) -> None:
    """Not in the message, and not among the locals of the library's frames in a traceback."""
    file = tmp_path / "key"
    for at in range(len(PRIVATE_TEXT)):
        for char in ("", "A", "+", "é"):
            damaged = PRIVATE_TEXT[:at] + char + PRIVATE_TEXT[at + 1 :]
            if damaged == PRIVATE_TEXT:
                continue
            file.write_text(damaged, encoding="utf-8")
            with pytest.raises(Misuse) as caught:
                SigningKey.from_file(file)
            told = seen_of(caught.value)
            assert str(file) in told
            assert [part for part in parts_of(damaged[-44:]) if part in told] == []


def test_a_private_key_is_shown_by_nothing_but_its_own_method() -> None:
    """The injected one is looked for in every form; it is there where it must be."""
    key = SigningKey.from_text(PRIVATE_TEXT)
    assert SHOWN_FORMS[0] in key.secret_text()
    told = f"{key} {key!r} {[key]} {key.verifier!r}"
    assert NAME in told
    assert [form for form in SHOWN_FORMS if form in told] == []
    with pytest.raises(TypeError, match="not copied or pickled"):
        pickle.dumps(key)
    with pytest.raises(TypeError, match="not copied or pickled"):
        copy.deepcopy(key)


@pytest.mark.parametrize("text", [PRIVATE_TEXT, f" {PRIVATE_TEXT}", f"x{PRIVATE_TEXT}\n\n"])
def test_a_private_key_in_the_place_of_a_verifier_key_is_told_and_not_quoted(text: str) -> None:
    """Whoever verifies does not need it."""
    with pytest.raises(Misuse, match="this is a private key") as caught:
        VerifierKey.from_text(text)
    assert [part for part in parts_of(SHOWN_FORMS[0]) if part in seen_of(caught.value)] == []


@pytest.mark.parametrize("text", [PRIVATE_TEXT.replace("example", "exomple"), PRIVATE_TEXT[:-1], PRIVATE_TEXT[1:]])
def test_a_text_that_is_no_private_key_but_was_one_is_not_shown(text: str) -> None:
    """A frame that raises has forgotten it."""
    with pytest.raises(Misuse, match="this is no private key") as caught:
        SigningKey.from_text(text)
    assert [part for part in parts_of(SHOWN_FORMS[0]) if part in seen_of(caught.value)] == []


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("", "is empty"),
        ("two words", "a space or a \\+"),
        ("no\u00a0break", "a space or a \\+"),
        ("a+b", "a space or a \\+"),
        ("bell\x07", "invisible or a control"),
        ("\u202eevil", "invisible or a control"),
        ("x" * 201, "longer than 200"),
    ],
)
def test_a_name_that_would_break_the_form_is_refused(name: str, told: str) -> None:
    """A name stands in a line of its own, between spaces, and in messages."""
    with pytest.raises(Misuse, match=told):
        SigningKey.make(name)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "does not begin with PRIVATE"),
        (VERIFIER_TEXT.encode(), "does not begin with PRIVATE"),
        (b"PRIVATE+KEY+a+b", "not the form"),
        (f"PRIVATE+KEY+{VERIFIER_TEXT}".encode(), "key hash is not that of its bytes"),
        (PRIVATE_TEXT.encode().replace(b"+AQ", b"+Ag")[:-1] + b"=", "not canonical base64"),
        (b"PRIVATE+KEY+a+00000000+" + b64encode(b"\x02" + SEED), "not of the type Ed25519"),
        (b"PRIVATE+KEY+a+00000000+" + b64encode(b"\x01" + SEED[:31]), "not of the type Ed25519"),
        (f"{PRIVATE_TEXT}\n\n".encode(), "not the form"),
        (f"{PRIVATE_TEXT}\r\n".encode(), "not the form"),
        (b"\xff" * 9000, "does not begin with PRIVATE"),
    ],
)
def test_what_is_no_private_key_is_told(content: bytes, told: str, tmp_path: Path) -> None:
    """Each fault has its own words."""
    file = tmp_path / "key"
    file.write_bytes(content)
    with pytest.raises(Misuse, match=told):
        SigningKey.from_file(file)


def test_a_key_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    """With the system's reason."""
    with pytest.raises(Misuse, match="No such file"):
        SigningKey.from_file(tmp_path / "gone")
    with pytest.raises(Misuse, match="Is a directory"):
        SigningKey.from_file(tmp_path)


def test_without_cryptography_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Making, reading and verifying all say it."""
    verifier = VerifierKey.from_text(VERIFIER_TEXT)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    for call in (
        lambda: SigningKey.make(NAME),
        lambda: SigningKey.from_text(PRIVATE_TEXT),
        lambda: SigningKey.from_file("any"),
        lambda: verifier.is_signature(bytes(64), b""),
    ):
        with pytest.raises(Misuse) as caught:
            call()
        assert caught.value.remedy == 'pip install "pratique[sign]"'


def test_a_log_without_checkpoints_does_not_import_cryptography() -> None:
    """Who signs nothing needs no extra."""
    program = (
        "import sys, pratique.audit as audit\nfrom pratique.cli.audited import signing, tailing, verifying\n"
        "print('cryptography' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
