"""A log's heads are signed and reach a second place; when they do not, the record is there and that is told."""

from __future__ import annotations

import errno
import os
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from audit.test_checkpoint import KEY, OTHER
from audit.test_key import SHOWN_FORMS, parts_of
from audit.test_log import forged, lines_of
from pratique.audit import (
    AuditLog,
    Checkpoint,
    CheckpointOutage,
    Checkpoints,
    Head,
    read_checkpoints,
    sign_head,
    verify,
)
from pratique.audit.checkpoints import EVERY_RECORDS
from pratique.errors import Misuse, Outage


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where the log will be."""
    return tmp_path / "audit.log"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where its checkpoints will be."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder / "checkpoints"


def filled(log: AuditLog, many: int) -> None:
    """Append some records."""
    for number in range(many):
        log.append({"event": "test.step", "number": number})


def sizes_in(place: Path) -> list[int]:
    """Return the sizes of the checkpoints that stand in a file, all signed."""
    return [head.size for head in read_checkpoints(place.read_bytes(), KEY.verifier).heads]


def sizes_of(texts: list[str]) -> list[int]:
    """Return the sizes of the checkpoints that a function was given."""
    return [Checkpoint.from_text(text).require_head(KEY.verifier).size for text in texts]


def test_a_checkpoint_is_written_each_so_many_records_and_at_the_end(log: Path, place: Path) -> None:
    """And the log is proved up to the newest one."""
    with AuditLog(log, checkpoints=Checkpoints(KEY, place, every_records=3)) as made:
        filled(made, 8)
        assert sizes_in(place) == [3, 6]
    assert sizes_in(place) == [3, 6, 8]
    assert verify(log, head=read_checkpoints(place.read_bytes(), KEY.verifier)).is_sound
    assert oct(place.stat().st_mode & 0o777) == "0o600"


def test_a_checkpoint_is_on_the_disk_before_the_next_record(
    log: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And so is the name of a new file, and the record that it is of."""
    synced: list[int] = []
    real = os.fsync

    def noted(descriptor: int) -> None:
        synced.append(os.fstat(descriptor).st_ino)
        real(descriptor)

    with AuditLog(log, checkpoints=Checkpoints(KEY, place, every_records=1)) as made:
        monkeypatch.setattr(os, "fsync", noted)
        filled(made, 1)
        assert synced == [log.stat().st_ino, place.stat().st_ino, place.parent.stat().st_ino]
        filled(made, 1)
        assert synced[3:] == [log.stat().st_ino, place.stat().st_ino]


def test_the_default_is_named(log: Path) -> None:
    """One in a hundred."""
    texts: list[str] = []
    with AuditLog(log, checkpoints=Checkpoints(KEY, texts.append)) as made:
        filled(made, EVERY_RECORDS - 1)
        assert texts == []
        filled(made, 1)
        assert sizes_of(texts) == [EVERY_RECORDS] == [100]
    assert len(texts) == 1
    made.close()
    assert len(texts) == 1


def test_an_opening_signs_what_is_not_known_to_be_signed(log: Path, place: Path) -> None:
    """A process that never comes to its end would sign nothing otherwise; a file is read back, a function is not."""
    with AuditLog(log) as made:
        filled(made, 2)
    for _ in range(2):
        with AuditLog(log, checkpoints=Checkpoints(KEY, place)):
            assert sizes_in(place) == [2]
    with AuditLog(log, checkpoints=Checkpoints(KEY, place)) as made:
        filled(made, 1)
    assert sizes_in(place) == [2, 3]
    texts: list[str] = []
    for _ in range(2):
        with AuditLog(log, checkpoints=Checkpoints(KEY, texts.append)):
            pass
    assert sizes_of(texts) == [3, 3]


def test_an_empty_log_is_not_signed(log: Path, place: Path) -> None:
    """There is nothing to protect yet."""
    with AuditLog(log, checkpoints=Checkpoints(KEY, place)):
        pass
    assert place.read_bytes() == b""


def test_a_file_may_hold_checkpoints_of_other_logs_and_of_other_keys(log: Path, place: Path) -> None:
    """They are left as they are."""
    other = Head("0" * 32, 7, "11" * 32)
    place.write_text("\n".join(str(sign_head(other, key)) for key in (KEY, OTHER)), "utf-8")
    before = place.read_bytes()
    with AuditLog(log, checkpoints=Checkpoints(KEY, place, may_share=True)) as made:
        filled(made, 1)
    assert place.read_bytes().startswith(before)
    assert sizes_in(place) == [7, 1]


@pytest.mark.parametrize("many", [0, -1])
def test_a_number_that_is_none_is_refused(many: int) -> None:
    """At once."""
    with pytest.raises(Misuse, match=f"every_records cannot be {many}"):
        Checkpoints(KEY, print, every_records=many)


# ---------------------------------------------------------------------- a place that is none


def hard_link(log: Path, place: Path) -> None:
    """Give the log a second name."""
    os.link(log, place)


PLACES: dict[str, tuple[Callable[[Path, Path], object], str]] = {
    "the log by another name": (hard_link, "is the log itself"),
    "a link to the log": (lambda log, place: place.symlink_to(log), "cannot be opened"),
    "a link elsewhere": (lambda log, place: place.symlink_to(log.with_name("x")), "cannot be opened"),
    "a folder": (lambda _, place: place.mkdir(), "cannot be opened: Is a directory"),
    "a pipe": (lambda _, place: os.mkfifo(place), "is no plain file"),
    "a file of notes": (lambda _, place: place.write_text("my notes"), "line 1: the line has no end"),
    "lines of notes": (lambda _, place: place.write_text("my\nnotes\n"), "line 1: this is no origin of a log"),
    "a file of bytes": (lambda _, place: place.write_bytes(b"\xff\n"), "line 1: this is not UTF-8"),
}


@pytest.mark.parametrize("name", PLACES)
def test_what_cannot_be_a_second_place_is_refused_and_left_as_it_is(name: str, log: Path, place: Path) -> None:
    """The log is not held open then."""
    with AuditLog(log) as made:
        filled(made, 1)
    make, told = PLACES[name]
    make(log, place)
    before = place.read_bytes() if place.is_file() else b""
    with pytest.raises(Misuse, match=told):
        AuditLog(log, checkpoints=Checkpoints(KEY, place))
    assert before == (place.read_bytes() if place.is_file() else b"")
    AuditLog(log).close()


def test_the_log_is_not_its_own_second_place(log: Path) -> None:
    """By its own name, also relative, also new."""
    with pytest.raises(Misuse, match="is the log itself"):
        AuditLog(log, checkpoints=Checkpoints(KEY, log))
    with pytest.raises(Misuse, match="is the log itself"):
        AuditLog(log, checkpoints=Checkpoints(KEY, os.path.relpath(log)))
    with pytest.raises(Misuse, match="cannot be opened: No such file"):
        AuditLog(log, checkpoints=Checkpoints(KEY, log.parent / "gone" / "x"))


def test_a_file_of_checkpoints_has_one_writer(log: Path, place: Path) -> None:
    """It is free again when the log is closed, or was not opened."""
    with AuditLog(log, checkpoints=Checkpoints(KEY, place)) as made:
        filled(made, 1)
        with pytest.raises(Misuse, match="is written by another process"):
            AuditLog(log.with_name("second.log"), checkpoints=Checkpoints(KEY, place))
    with AuditLog(log.with_name("second.log"), checkpoints=Checkpoints(KEY, place, may_share=True)) as second:
        filled(second, 1)
    assert sizes_in(place) == [1, 1]


def test_a_log_that_was_erased_and_begun_anew_is_not_signed(log: Path, place: Path) -> None:
    """A restart of the service after it would else put a second log's heads beside the first one's, and look sound."""
    with AuditLog(log, checkpoints=Checkpoints(KEY, place)) as made:
        filled(made, 3)
    log.unlink()
    before = place.read_bytes()
    with pytest.raises(Misuse, match="begun anew"):
        AuditLog(log, checkpoints=Checkpoints(KEY, place))
    assert place.read_bytes() == before
    with AuditLog(log, checkpoints=Checkpoints(KEY, place, may_share=True)) as made:
        filled(made, 1)
    found = verify(log, head=read_checkpoints(place.read_bytes(), KEY.verifier))
    assert any("other heads: they are of other logs" in each for each in found.not_proved)


# ---------------------------------------------------------------------- another history


def test_a_log_that_was_written_anew_is_not_signed(log: Path, place: Path) -> None:
    """Beside a checkpoint of the first history; both are left as they are."""
    settings = Checkpoints(KEY, place, every_records=2)
    with AuditLog(log, checkpoints=settings) as made:
        filled(made, 5)
    whole, kept = log.read_bytes(), place.read_bytes()
    for change in (lambda lines: forged(lines, 1), lambda lines: lines[:4]):
        log.write_bytes(b"".join(change(lines_of(log))))
        changed = log.read_bytes()
        with pytest.raises(Misuse, match=r"is not the one whose heads stand in .*(record 4 is not|missing at the end)"):
            AuditLog(log, checkpoints=settings)
        assert (log.read_bytes(), place.read_bytes()) == (changed, kept)
        log.write_bytes(whole)
    with AuditLog(log, checkpoints=settings) as made:
        filled(made, 1)
    assert sizes_in(place) == [2, 4, 5, 6]


def test_a_forged_checkpoint_in_the_place_is_told(log: Path, place: Path) -> None:
    """Nothing is written behind it."""
    with AuditLog(log, checkpoints=Checkpoints(KEY, place)) as made:
        filled(made, 1)
    place.write_bytes(place.read_bytes().replace(b"\n1\n", b"\n2\n"))
    with pytest.raises(Misuse, match="does not fit the checkpoint of 2 records"):
        AuditLog(log, checkpoints=Checkpoints(KEY, place))


# ---------------------------------------------------------------------- a place that fails


class Fragile:
    """Take checkpoints, or fail as it was told to."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.error: BaseException | None = None

    def write(self, text: str) -> None:
        """Take one."""
        if self.error is not None:
            raise self.error
        self.texts.append(text)


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OSError(errno.ENOSPC, "No space\x1b[31m left"), r"No space\\x1b\[31m left"),
        (BrokenPipeError("told \x1b nothing"), '"told \\\\x1b nothing"'),
        (Outage("the bucket is closed"), '"the bucket is closed"'),
    ],
)
def test_a_place_that_fails_is_told_and_tried_again(error: Exception, why: str, log: Path) -> None:
    """The record is in the log; each one that follows says so too, until the place works again."""
    place = Fragile()
    made = AuditLog(log, checkpoints=Checkpoints(KEY, place.write, every_records=2))
    filled(made, 3)
    place.error = error
    for size in (4, 5):
        with pytest.raises(CheckpointOutage, match=why) as caught:
            filled(made, 1)
        assert caught.value.__cause__ is error
        assert caught.value.head == made.head == verify(log).head
        assert caught.value.head.size == size
        assert f"the {size} records of the log" in str(caught.value)
        assert "are on the disk, but their checkpoint did not reach its place" in str(caught.value)
        assert "2 of them are known to have one; the next record tries again" in str(caught.value)
    place.error = None
    filled(made, 1)
    assert sizes_of(place.texts) == [2, 6]
    made.close()
    assert sizes_of(place.texts) == [2, 6]


def test_a_place_that_fails_at_the_end_is_told_and_the_log_is_closed(log: Path) -> None:
    """Its next opening signs what was not signed; when that fails too, the log is not held open."""
    place = Fragile()
    settings = Checkpoints(KEY, place.write)
    made = AuditLog(log, checkpoints=settings)
    filled(made, 1)
    place.error = OSError(errno.EIO, "Input/output error")
    with pytest.raises(CheckpointOutage, match="the log is closed, and its next opening tries again: Input/output"):
        made.close()
    with pytest.raises(Misuse, match="is closed"):
        filled(made, 1)
    with pytest.raises(CheckpointOutage, match="the log is not open; open it again: Input/output"):
        AuditLog(log, checkpoints=settings)
    place.error = None
    with AuditLog(log, checkpoints=settings):
        assert sizes_of(place.texts) == [1]


def test_a_bug_of_the_function_reaches_the_caller_with_a_note(log: Path) -> None:
    """It is no outage; that the record is in the log is still told."""
    place = Fragile()
    made = AuditLog(log, checkpoints=Checkpoints(KEY, place.write, every_records=1))
    place.error = KeyError("x")
    with pytest.raises(KeyError) as caught:
        filled(made, 1)
    assert "the 1 records of the log" in caught.value.__notes__[0]
    assert "are on the disk" in caught.value.__notes__[0]
    place.error = None
    made.close()
    assert sizes_of(place.texts) == [1]


def test_a_disk_that_fails_under_the_log_is_told_before_its_second_place(
    log: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is signed by a log whose end is not known; its next opening reads and signs it."""
    made = AuditLog(log, checkpoints=Checkpoints(KEY, place, every_records=3))
    filled(made, 1)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", failing)
        with pytest.raises(Outage, match="could not be written: Input/output error") as caught:
            filled(made, 1)
    assert not isinstance(caught.value, CheckpointOutage)
    assert place.read_bytes() == b""
    with AuditLog(log, checkpoints=Checkpoints(KEY, place)):
        assert sizes_in(place) == [2]


def failing(_: int) -> None:
    """Fail as a dying disk does."""
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_a_disk_that_is_full_under_the_second_place_costs_no_record(
    log: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a checkpoint is written, then the next one cuts that off and is whole."""
    real = os.write

    def half(descriptor: int, content: bytes) -> int:
        return real(descriptor, content[:50] if content.startswith(b"pratique/audit/") else content)

    with AuditLog(log, checkpoints=Checkpoints(KEY, place, every_records=2)) as made:
        filled(made, 3)
        with monkeypatch.context() as patched:
            patched.setattr(os, "write", half)
            with pytest.raises(CheckpointOutage, match="No space left on device"):
                filled(made, 1)
        assert read_checkpoints(place.read_bytes(), KEY.verifier).is_torn
        filled(made, 1)
    assert sizes_in(place) == [2, 5]
    assert verify(log).head == made.head


def test_a_file_that_was_taken_away_is_told(log: Path, place: Path) -> None:
    """Nothing is written where nobody would look for it."""
    made = AuditLog(log, checkpoints=Checkpoints(KEY, place, every_records=1))
    filled(made, 1)
    kept = place.read_bytes()
    place.rename(place.with_name("moved"))
    with pytest.raises(CheckpointOutage, match="No such file"):
        filled(made, 1)
    place.write_bytes(b"")
    with pytest.raises(CheckpointOutage, match="another file stands there now"):
        filled(made, 1)
    with pytest.raises(CheckpointOutage, match="another file stands there now"):
        made.close()
    assert place.read_bytes() == b""
    assert place.with_name("moved").read_bytes() == kept


def test_a_file_that_somebody_else_wrote_on_is_told(log: Path, place: Path) -> None:
    """A checkpoint behind junk could not be read."""
    made = AuditLog(log, checkpoints=Checkpoints(KEY, place, every_records=1))
    filled(made, 1)
    whole = place.read_bytes()
    place.write_bytes(whole + b"junk\n")
    with pytest.raises(CheckpointOutage, match="something that is no checkpoint stands there"):
        filled(made, 1)
    assert place.read_bytes() == whole + b"junk\n"
    place.write_bytes(whole)
    made.close()
    assert sizes_in(place) == [1, 2]


def test_a_checkpoint_that_was_cut_off_at_any_byte_is_cut_off_wholly(log: Path, place: Path) -> None:
    """And the next one stands in its place; the ones before it are as they were."""
    with AuditLog(log, checkpoints=Checkpoints(KEY, place, every_records=1)) as made:
        filled(made, 2)
    whole = place.read_bytes()
    first = whole.index(b"pratique", 1)
    for cut in range(first, len(whole), 7):
        place.write_bytes(whole[:cut])
        with AuditLog(log, checkpoints=Checkpoints(KEY, place)):
            assert place.read_bytes() == whole
    place.write_bytes(whole[: first - 9])
    with AuditLog(log, checkpoints=Checkpoints(KEY, place)):
        assert sizes_in(place) == [2]


def test_the_last_records_of_a_log_that_was_killed_are_signed_when_it_is_opened(log: Path, place: Path) -> None:
    """With the record that tells of its torn line."""
    settings = Checkpoints(KEY, place, every_records=2)
    with AuditLog(log, checkpoints=settings) as made:
        filled(made, 4)
    log.write_bytes(log.read_bytes() + b"4 torn")
    with AuditLog(log, checkpoints=settings):
        assert sizes_in(place) == [2, 4, 5]


# ---------------------------------------------------------------------- the key


def test_the_key_is_in_no_log_no_message_and_no_traceback(log: Path, place: Path) -> None:
    """Not even among the locals of all frames that a failure goes through."""
    fragile = Fragile()
    settings = Checkpoints(KEY, fragile.write, every_records=1)
    fragile.error = OSError(errno.EIO, "x")
    seen = repr(settings) + repr(KEY)
    with pytest.raises(CheckpointOutage) as caught:
        AuditLog(log, checkpoints=settings).append({"event": "x"})
    seen += "".join(traceback.TracebackException.from_exception(caught.value, capture_locals=True).format())
    assert "<SigningKey example.com/audit+" in seen
    with AuditLog(log.with_name("second"), checkpoints=Checkpoints(KEY, place)) as made:
        filled(made, 2)
    seen += place.read_text("utf-8") + made.path.read_text("utf-8")
    assert [part for form in SHOWN_FORMS for part in parts_of(form) if part in seen] == []
