"""A checkpoint has one text; what was changed in it, or signed by somebody else, is refused."""

from __future__ import annotations

import string
from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit import ed25519
from audit.test_key import NAME, PRIVATE_TEXT, SEED
from audit.test_log import ATTACKS, EVENTS, forged, lines_of
from pratique.audit import (
    AuditLog,
    Checkpoint,
    Head,
    SignedHeads,
    SigningKey,
    read_checkpoints,
    sign_head,
    verify,
)
from pratique.audit.checkpoint import MAX_SIGNATURES, Signature, is_torn
from pratique.errors import Misuse

KEY = SigningKey.from_text(PRIVATE_TEXT)
OTHER = SigningKey.make("other.example/audit")
SAME_NAME = SigningKey.make(NAME)
HEAD = Head("0123456789abcdef" * 2, 20852163, "ab" * 32)
TEXT = str(sign_head(HEAD, KEY))
BODY, SIGNED = TEXT.split("\n\n")

HEADS = st.builds(
    Head,
    st.text(string.digits + "abcdef", min_size=32, max_size=32),
    st.integers(0, 10**19 - 1),
    st.binary(min_size=32, max_size=32).map(bytes.hex),
)


def test_the_text_is_what_its_definition_gives() -> None:
    """Written here without the library, and signed by another implementation."""
    body = f"pratique/audit/v1/{HEAD.log}\n20852163\n{b64encode(bytes([0xAB] * 32)).decode()}\n"
    signature = b64encode(KEY.verifier.hash + ed25519.sign(SEED, body.encode())).decode()
    assert f"{body}\n— example.com/audit {signature}\n" == TEXT


@given(HEADS, st.lists(st.sampled_from([KEY, OTHER, SAME_NAME]), min_size=1, max_size=4))
def test_what_was_signed_is_read_again(head: Head, keys: list[SigningKey]) -> None:
    """By each key that signed it, whoever else did before or behind."""
    made = Checkpoint(head, tuple(sign_head(head, key).signatures[0] for key in keys))
    found = Checkpoint.from_text(str(made))
    assert found == made
    for key in (KEY, OTHER, SAME_NAME):
        assert found.is_for(key.verifier) is (key in keys)
        if key in keys:
            assert found.require_head(key.verifier) == head


def opened(text: str) -> Head:
    """Read one checkpoint and have its head, by the one key that is trusted."""
    return Checkpoint.from_text(text).require_head(KEY.verifier)


def test_every_place_of_a_checkpoint_counts() -> None:
    """Each character left out, doubled, or put in the place of another one is refused."""
    assert opened(TEXT) == HEAD
    passed = []
    for at, char in enumerate(TEXT):
        others = {char.swapcase(), *"01aA=+/ \n\r\t-—\u00a0"} - {char}
        for put in ("", char * 2, *others):
            damaged = TEXT[:at] + put + TEXT[at + 1 :]
            try:
                opened(damaged)
            except Misuse:
                continue
            passed.append((at, put))
    assert passed == []


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(TEXT)), st.characters(), st.booleans())
def test_any_character_anywhere_is_refused(at: int, char: str, is_put: bool) -> None:
    """Also those that look like another one."""
    damaged = TEXT[:at] + char + TEXT[at + is_put :]
    if damaged != TEXT:
        with pytest.raises(Misuse):
            opened(damaged)


OTHERS = str(sign_head(HEAD, OTHER)).split("\n\n")[1]
SAME_NAMES = str(sign_head(HEAD, SAME_NAME)).split("\n\n")[1]
BAD_SIGNATURE = str(Signature(NAME, KEY.verifier.hash + bytes(64)))

REFUSED = {
    "a carriage return": (TEXT.replace("\n", "\r\n"), "line 1: a carriage return"),
    "a control character": (TEXT.replace("2085", "20\x0085"), "line 2: a control character"),
    "leading zeros": (TEXT.replace("\n2085", "\n02085"), "line 2: the size has leading zeros"),
    "a size of zeros": (TEXT.replace("\n20852163", "\n00"), "line 2: the size has leading zeros"),
    "a signed size": (TEXT.replace("\n2085", "\n+2085"), "line 2: this is no size in decimal"),
    "a size in other digits": (TEXT.replace("20852163", "٢٠"), "line 2: this is no size in decimal"),
    "a size beyond all": (TEXT.replace("20852163", "9" * 20), "line 2: this is no size in decimal"),
    "base64 that is not canonical": (TEXT.replace("q6s=", "q6t="), "line 3: this is no canonical base64"),
    "base64 without its padding": (TEXT.replace("q6s=", "q6s"), "line 3: this is no canonical base64"),
    "a hash that is too short": (TEXT.replace("q6urq6s=", "q6s="), "line 3: this is no canonical base64"),
    "an extension line": (f"{BODY}\nmore\n\n{SIGNED}", "line 4: an empty line belongs here"),
    "another origin": (TEXT.replace("pratique/", "practice/"), "line 1: this is no origin"),
    "an origin without its log": (TEXT.replace(HEAD.log, ""), "line 1: this is no origin"),
    "an id in upper case": (TEXT.replace(HEAD.log, HEAD.log.upper()), "line 1: this is no origin"),
    "no signature": (f"{BODY}\n\n\n", "line 5: no signature follows"),
    "a hyphen for the dash": (TEXT.replace("—", "-"), "line 5: no signature follows"),
    "two spaces": (TEXT.replace("— ", "—  "), "line 5: this is no signature"),
    "a signature that is not canonical": (f"{TEXT[:-3]}{chr(ord(TEXT[-3]) + 1)}=\n", "line 5: the signature is not"),
    "a signature of nothing": (f"{TEXT}— x AAAAAA==\n", "line 6: the signature is not canonical"),
    "an end that is missing": (TEXT[:-1], "line 5: it ends before a signature does"),
    "a body alone": (f"{BODY}\n", "line 4: it ends before a signature does"),
    "nothing": ("", "line 1: nothing stands there"),
    "junk behind it": (f"{TEXT}junk", "line 6: the line has no end"),
    "a line of junk behind it": (f"{TEXT}junk\n", "line 6: this is no origin"),
    "an empty line behind it": (f"{TEXT}\n", "an empty line stands before it or behind it"),
    "an empty line before it": (f"\n{TEXT}", "an empty line stands before it or behind it"),
    "a second one behind it": (TEXT * 2, "another one stands behind it"),
    "too many signatures": (TEXT + SIGNED * MAX_SIGNATURES, "more than 64 signatures follow"),
    "a byte order mark": (f"\ufeff{TEXT}", "line 1: this is no origin"),
    "another key's signature": (f"{BODY}\n\n{OTHERS}", "not signed by .* it is signed by \"other.example/audit\""),
    "a key hash that is not ours": (f"{BODY}\n\n{SAME_NAMES}", "the key hash of .* which is another key's"),
    "a signature that does not fit": (f"{BODY}\n\n{BAD_SIGNATURE}", "does not fit the checkpoint of 20,852,163"),
    "one that fits and one that does not": (TEXT + BAD_SIGNATURE, "does not fit the checkpoint"),
    "a signature that is too short": (
        f"{BODY}\n\n{Signature(NAME, KEY.verifier.hash + b'x')}", "does not fit the checkpoint"
    ),
    "another size under the signature": (TEXT.replace("20852163", "20852164"), "does not fit the checkpoint"),
    "another log under the signature": (TEXT.replace(HEAD.log, "0" * 32), "does not fit the checkpoint"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_why(name: str) -> None:
    """And where, and what to do."""
    text, told = REFUSED[name]
    with pytest.raises(Misuse, match=told):
        opened(text)


TAKEN = {
    "another key's signature behind it": TEXT + OTHERS,
    "another key's signature before it": f"{BODY}\n\n{OTHERS}{SIGNED}",
    "another key's of the same name": TEXT + SAME_NAMES,
    "a signature of another type and length": f"{TEXT}— witness.example/w {b64encode(bytes(80)).decode()}\n",
    "as many as may be": TEXT + SIGNED * (MAX_SIGNATURES - 1),
}


@pytest.mark.parametrize("name", TAKEN)
def test_signatures_of_keys_that_are_not_asked_for_are_passed_over(name: str) -> None:
    """Witnesses may cosign, and keys may be exchanged. Source: C2SP signed-note."""
    assert opened(TAKEN[name]) == HEAD


# ---------------------------------------------------------------------- many of them

SECOND = replace(HEAD, size=HEAD.size + 1)
MANY = TEXT + str(sign_head(SECOND, KEY))


@pytest.mark.parametrize("text", [MANY, f"\n\n{TEXT}\n{MANY[len(TEXT) :]}\n\n", f"{MANY}\n"])
def test_checkpoints_stand_one_behind_the_other(text: str) -> None:
    """With empty lines between them, as ``print`` makes them, or without."""
    found = read_checkpoints(text.encode(), KEY.verifier)
    assert found == SignedHeads(key=KEY.verifier, heads=(HEAD, SECOND))


def test_checkpoints_of_other_keys_are_counted() -> None:
    """And none of them is a head."""
    content = (TEXT + str(sign_head(SECOND, OTHER)) + str(sign_head(SECOND, SAME_NAME))).encode()
    found = read_checkpoints(content, KEY.verifier)
    assert (found.heads, found.passed_over) == ((HEAD,), 2)


def test_one_that_is_wrong_spoils_them_all() -> None:
    """Whoever could change one could take away more."""
    with pytest.raises(Misuse, match="does not fit"):
        read_checkpoints((TEXT.replace("20852163", "20852164") + TEXT).encode(), KEY.verifier)
    with pytest.raises(Misuse, match="the place cannot be read at line 7: the size has leading zeros"):
        read_checkpoints((TEXT + TEXT.replace("\n2085", "\n02085")).encode(), KEY.verifier, what="the place")
    with pytest.raises(Misuse, match="at line 6: this is not UTF-8"):
        read_checkpoints(TEXT.encode() + b"\xff\n", KEY.verifier)


def test_a_cut_at_any_byte_costs_the_checkpoint_that_it_hits_and_is_told() -> None:
    """The ones before it stand."""
    content = MANY.encode()
    first = len(TEXT.encode())
    for cut in range(len(content) + 1):
        found = read_checkpoints(content[:cut], KEY.verifier)
        assert found.heads == ((HEAD, SECOND) if cut == len(content) else (HEAD,) if cut >= first else ())
        assert found.is_torn is (cut not in (0, first, len(content)))
        assert is_torn(content[:cut]) is (0 < cut < first)


@pytest.mark.parametrize(
    "behind", [b"x", b"pratique/audit/v2", "— other".encode(), b"\xe2\x80", b"\xff", b"pratique/audit/v1/0123\n5"]
)
def test_what_is_not_the_beginning_of_a_checkpoint_was_not_cut_off(behind: bytes) -> None:
    """It was put there; also a part of a character."""
    with pytest.raises(Misuse, match="line 6"):
        read_checkpoints(TEXT.encode() + behind, KEY.verifier)
    assert not is_torn(behind)


# ---------------------------------------------------------------------- what they prove of a log


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A log of some events."""
    file = tmp_path / "audit.log"
    with AuditLog(file) as log:
        for number in range(EVENTS):
            log.append({"event": "test.step", "number": number})
    return file


def signed(*heads: Head | None, key: SigningKey = KEY) -> SignedHeads:
    """Sign heads, write them down, and read them again."""
    text = "".join(str(sign_head(head, key)) for head in heads if head is not None)
    return read_checkpoints(text.encode(), KEY.verifier)


def test_a_signed_head_says_who_signed_and_what_that_leaves_open(path: Path) -> None:
    """Also how many fit, were passed over, or were cut off."""
    head = verify(path).head
    with AuditLog(path) as log:
        later = log.append({"event": "test.later"})
        log.append({"event": "test.last"})
    found = verify(path, head=signed(head, later))
    assert found.is_sound
    assert found.proved[1:] == (
        f"the first {EVENTS + 1} records are those of the newest checkpoint, signed by {KEY.verifier.short}",
        "all 2 checkpoints that it signed for this log are of one history",
    )
    assert found.not_proved[0] == "that none of the 1 records behind that head was cut off or changed"
    assert "that the holder of the key did not write the log anew, and sign the new one" in found.not_proved
    less = verify(path, head=replace(signed(head), passed_over=3, is_torn=True))
    assert any(each.startswith("what 3 checkpoints tell") for each in less.not_proved)
    assert any("cut off while it was written" in each for each in less.not_proved)
    none = verify(path, head=replace(signed(), passed_over=3))
    assert "no head was given" in none.not_proved[0]


@pytest.mark.parametrize("attack", ATTACKS)
def test_every_attack_without_the_key_is_found(attack: str, path: Path) -> None:
    """The attacker may write the log, and checkpoints that another key signs."""
    kept = signed(verify(path).head)
    path.write_bytes(b"".join(ATTACKS[attack][0](lines_of(path))))
    assert not verify(path, head=kept).is_sound
    forged_head = verify(path).head
    assert signed(forged_head, key=SAME_NAME).heads == ()


def test_a_log_written_anew_by_the_holder_of_the_key_is_not_found_and_that_is_said(path: Path) -> None:
    """Who holds the key and the second place can lie; the first signed head, kept by anybody else, still shows it."""
    before = verify(path).head
    path.write_bytes(b"".join(forged(lines_of(path), 2)))
    after = verify(path).head
    assert before is not None
    assert after is not None
    assert after != before
    alone = verify(path, head=signed(after))
    assert alone.is_sound
    assert "that the holder of the key did not write the log anew, and sign the new one" in alone.not_proved
    both = verify(path, head=signed(before, after))
    assert both.fault == (
        f"record {EVENTS - 1} is not the one that another head was made of: the log was written anew, and a newer head "
        "was made of that"
    )


@pytest.mark.parametrize("older", [0, 1, 4])
def test_an_older_checkpoint_of_another_history_is_found_behind_a_newer_one_that_fits(older: int, path: Path) -> None:
    """Whoever signed the log that was written anew did not sign the first one away."""
    false = Head(verify(path).head.log, older, "77" * 32)  # type: ignore[union-attr]  # the log is there
    found = verify(path, head=signed(false, verify(path).head))
    assert "is not the one that another head was made of: the log was written anew" in found.fault


def test_a_checkpoint_of_another_log_is_none_of_this_one(path: Path, tmp_path: Path) -> None:
    """Alone it is a fault; beside one of this log it does not count."""
    with AuditLog(tmp_path / "other.log") as other:
        head = other.append({"event": "x"})
    assert verify(path, head=signed(head)).fault.startswith("this is another log than the head's")
    assert verify(path, head=signed(verify(path).head, head)).is_sound


def test_an_empty_log_has_a_checkpoint_too(tmp_path: Path) -> None:
    """It names the log; records that come later stand behind it."""
    with AuditLog(tmp_path / "new.log") as log:
        empty = log.head
        log.append({"event": "x"})
    assert verify(tmp_path / "new.log", head=signed(empty)).is_sound
    assert not verify(tmp_path / "new.log", head=signed(replace(empty, hash="11" * 32))).is_sound
