"""``pratique audit``: key, checkpoint, and verify with checkpoints."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from pratique.audit import AuditLog, Checkpoints, SigningKey
from pratique.cli import main

NAME = "example.com/audit"


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """Stand beside a log of three events, and a key."""
    monkeypatch.chdir(tmp_path)
    with AuditLog("audit.log") as made:
        for number in range(3):
            made.append({"event": "test.step", "number": number})
    assert main(["audit", "key", NAME, "--out", "key"]) == 0
    tmp_path.joinpath("key.pub").write_text(capsys.readouterr().out, "utf-8")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """Run a command, and return what it printed."""
    assert main(["audit", *words]) == code
    printed = capsys.readouterr()
    return printed.err if code == 2 else printed.out


def test_a_key_is_made_for_its_owner_and_never_overwritten(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The public half is printed, the private one is not."""
    private, public = (room.joinpath(name).read_text("utf-8") for name in ("key", "key.pub"))
    assert oct(room.joinpath("key").stat().st_mode & 0o777) == "0o600"
    assert str(SigningKey.from_file("key").verifier) + "\n" == public
    assert private.startswith(f"PRIVATE+KEY+{NAME}+")
    assert private.split("+", 4)[4].strip() not in public
    assert "a key is never overwritten" in run(capsys, "key", NAME, "--out", "key", code=2)
    assert room.joinpath("key").read_text("utf-8") == private
    os.symlink("gone", "link")
    assert "a key is never overwritten" in run(capsys, "key", NAME, "--out", "link", code=2)
    assert not room.joinpath("gone").exists()


@pytest.mark.usefixtures("room")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([NAME, "--out", "-"], "a private key is not printed"),
        (["two words", "--out", "new"], "holds a space or a +"),
        (["\x1b[31m", "--out", "new"], "invisible or a control"),
        ([NAME, "--out", "gone/new"], "No such file"),
        ([NAME], "--out"),
    ],
)
def test_a_key_that_cannot_be_made_leaves_no_file(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """And the message has no control character."""
    err = run(capsys, "key", *words, code=2)
    assert told in err
    assert "\x1b" not in err
    assert not Path("new").exists()


@pytest.mark.usefixtures("room")
def test_a_key_that_a_full_disk_cut_off_is_taken_away(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half a key would be found and trusted."""

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        assert main(["audit", "key", NAME, "--out", "new"]) == 74
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "No space left on device; no key was made" in printed.err
    assert not Path("new").exists()


@pytest.mark.usefixtures("room")
def test_a_checkpoint_proves_what_it_was_made_of(capsys: pytest.CaptureFixture[str]) -> None:
    """With the verifier key as text or in a file."""
    Path("held").write_text(run(capsys, "checkpoint", "audit.log", "--key", "key"), "utf-8")
    public = Path("key.pub").read_text("utf-8").strip()
    for key in ("key.pub", public):
        out = run(capsys, "verify", "audit.log", "--head", "held", "--key", key)
        assert f"the first 3 records are those of the newest checkpoint, signed by {NAME}+{public.split('+')[1]}" in out
        assert "not proved: that the holder of the key did not write the log anew" in out
    log = Path("audit.log")
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-1]))
    out = run(capsys, "verify", "audit.log", "--head", "held", "--key", "key.pub", code=1)
    assert "NOT what was written: 1 records are missing at the end" in out


@pytest.mark.usefixtures("room")
def test_the_newest_of_many_checkpoints_counts(capsys: pytest.CaptureFixture[str]) -> None:
    """As a log's writer left them; other logs' and other keys' stand between them."""
    settings = Checkpoints(SigningKey.from_file("key"), "held", every_records=2, may_share=True)
    with AuditLog("audit.log", checkpoints=settings) as log:
        log.append({"event": "test.step"})
        log.append({"event": "test.step"})
    with AuditLog("other.log", checkpoints=settings) as log:
        for _ in range(9):
            log.append({"event": "test.step"})
    run(capsys, "key", "someone.example/else", "--out", "other")
    with Path("held").open("a", encoding="utf-8") as file:
        file.write("\n" + run(capsys, "checkpoint", "audit.log", "--key", "other") + "\n")
    out = run(capsys, "verify", "audit.log", "--head", "held", "--key", "key.pub")
    assert "the first 5 records are those of the newest checkpoint" in out
    assert "all 2 checkpoints that it signed for this log are of one history" in out
    assert "what 1 checkpoints tell that" in out


@pytest.mark.usefixtures("room")
def test_a_log_that_was_exchanged_for_a_new_one_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    """Its checkpoints are of another log."""
    Path("held").write_text(run(capsys, "checkpoint", "audit.log", "--key", "key"), "utf-8")
    Path("audit.log").unlink()
    AuditLog("audit.log").close()
    out = run(capsys, "verify", "audit.log", "--head", "held", "--key", "key.pub", code=1)
    assert "NOT what was written: this is another log than the head's" in out


@pytest.mark.usefixtures("room")
def test_a_log_that_does_not_hold_is_not_signed(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, and nothing on standard output."""
    log = Path("audit.log")
    log.write_bytes(log.read_bytes().replace(b'"number":1', b'"number":7'))
    assert run(capsys, "checkpoint", "audit.log", "--key", "key", code=1) == ""


@pytest.mark.usefixtures("room")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--head", "held"], "holds signed checkpoints, and without the key they prove nothing"),
        (["--head", "held", "--key", "key"], "this is a private key"),
        (["--head", "held", "--key", "gone"], "no such file"),
        (["--head", "held", "--key", "held"], "this is no verifier key"),
        (["--head", "held", "--key", "example.com/audit+00000000+AAAA"], "this is no verifier key"),
        (["--head", "held", "--key", "other.pub"], 'holds no whole checkpoint that "example.com/audit+'),
        (["--head", "changed", "--key", "key.pub"], 'the signature of "example.com/audit" does not fit'),
        (["--head", "torn", "--key", "key.pub"], "holds no whole checkpoint"),
        (["--head", "empty", "--key", "key.pub"], "holds no whole checkpoint"),
        (["--head", "windows", "--key", "key.pub"], "line 1: a carriage return"),
        (["--head", "audit.log", "--key", "key.pub"], "cannot be read at line 1: this is no origin"),
        (["--head", "plain", "--key", "key.pub"], "holds a head that nobody signed"),
        (["--key", "key.pub"], "--key alone proves nothing"),
        (["--head", "empty"], "holds no head"),
    ],
)
def test_what_proves_nothing_is_refused(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 with the remedy, whether the log holds or not."""
    text = run(capsys, "checkpoint", "audit.log", "--key", "key")
    run(capsys, "key", NAME, "--out", "other")
    Path("other.pub").write_text(str(SigningKey.from_file("other").verifier), "utf-8")
    Path("plain").write_text(run(capsys, "head", "audit.log"), "utf-8")
    for name, content in {
        "held": text, "changed": text.replace("\n3\n", "\n2\n"), "torn": text[:-20], "empty": "",
        "windows": text.replace("\n", "\r\n"),
    }.items():  # fmt: skip
        Path(name).write_text(content, "utf-8", newline="")
    err = run(capsys, "verify", "audit.log", *words, code=2)
    assert told in err
    assert "= help: " in err


@pytest.mark.usefixtures("room")
def test_a_private_key_in_the_wrong_place_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """As text, in a file, and when it was damaged."""
    private = Path("key").read_text("utf-8").strip()
    secret = private.split("+", 4)[4]
    Path("held").write_text(run(capsys, "checkpoint", "audit.log", "--key", "key"), "utf-8")
    Path("damaged").write_text(private[:-1], "utf-8")
    for words in (
        ["verify", "audit.log", "--head", "held", "--key", private],
        ["verify", "audit.log", "--head", "held", "--key", f" {private[:-1]}"],
        ["verify", "audit.log", "--head", "held", "--key", "damaged"],
        ["verify", "audit.log", "--head", "key"],
        ["verify", "audit.log", "--head", "key", "--key", "key.pub"],
        ["checkpoint", "audit.log", "--key", "damaged"],
    ):
        err = run(capsys, *words, code=2)
        assert "= help: " in err
        assert [at for at in range(len(secret) - 8) if secret[at : at + 8] in err] == []


@pytest.mark.usefixtures("room")
def test_without_cryptography_the_remedy_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By each command that needs it; a plain head needs none."""
    Path("held").write_text(run(capsys, "checkpoint", "audit.log", "--key", "key"), "utf-8")
    Path("plain").write_text(run(capsys, "head", "audit.log"), "utf-8")
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    for words in (
        ["key", NAME, "--out", "new"],
        ["checkpoint", "audit.log", "--key", "key"],
        ["verify", "audit.log", "--head", "held", "--key", "key.pub"],
    ):
        assert 'pip install "pratique[sign]"' in run(capsys, *words, code=2)
    assert not Path("new").exists()
    run(capsys, "verify", "audit.log", "--head", "plain")
