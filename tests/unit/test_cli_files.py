"""What the command line reads and writes."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from pratique.cli.files import is_same_file, read_bytes, read_text, write_whole
from pratique.errors import Misuse


def test_no_more_is_read_than_the_boundary_needs_to_refuse_it(tmp_path: Path) -> None:
    file = tmp_path / "large"
    file.write_bytes(b"x" * 100)
    assert read_bytes(str(file), max_bytes=10) == b"x" * 11


@pytest.mark.parametrize("name", ["absent.json", ".", "a\x00b", ""])
def test_what_cannot_be_read_is_a_misuse_with_a_remedy(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Misuse, match="name a file that can be read"):
        read_bytes(name)


def test_a_file_of_the_callers_that_is_not_utf8_is_a_misuse(tmp_path: Path) -> None:
    file = tmp_path / "ids"
    file.write_bytes(b"caf\xe9")
    with pytest.raises(Misuse, match="not UTF-8: byte 3"):
        read_text(str(file), what="the allow-list")


def test_a_byte_order_mark_in_a_file_of_the_callers_is_no_part_of_it(tmp_path: Path) -> None:
    file = tmp_path / "ids"
    file.write_bytes(b"\xef\xbb\xbfa")
    assert read_text(str(file), what="the allow-list") == "a"


def test_a_new_file_is_written_with_the_usual_mode(tmp_path: Path) -> None:
    file = tmp_path / "kept.json"
    write_whole(str(file), b"[]")
    plain = tmp_path / "plain"
    plain.write_bytes(b"")
    assert file.read_bytes() == b"[]"
    assert file.stat().st_mode == plain.stat().st_mode


def test_an_old_file_keeps_its_mode_and_gets_the_new_content(tmp_path: Path) -> None:
    file = tmp_path / "kept.json"
    file.write_bytes(b"old")
    file.chmod(0o640)
    write_whole(str(file), b"new")
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"new", 0o640)


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "kept.json"
    file.write_bytes(b"old")

    def fail(handle: int) -> None:
        raise OSError(28, f"No space left on device {handle}")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(Misuse, match="no space left"):
        write_whole(str(file), b"new")
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("kept.json", b"old")]


def test_a_link_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    file, link = tmp_path / "kept.json", tmp_path / "link"
    file.write_bytes(b"old")
    link.symlink_to(file)
    write_whole(str(link), b"new")
    assert link.is_symlink()
    assert file.read_bytes() == b"new"


@pytest.mark.parametrize("name", ["absent/kept.json", "."])
def test_what_cannot_be_written_is_a_misuse_with_a_remedy(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Misuse, match="directory that can be written to"):
        write_whole(name, b"new")


def test_two_names_of_one_file_are_the_same_file(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_bytes(b"")
    assert is_same_file(str(file), f"{tmp_path}/./report.json")
    assert not is_same_file(str(file), str(tmp_path / "absent"))
    assert not is_same_file("-", "-")
