"""Where the tests of ``pratique quarantine`` stand: a folder of their own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from unit.cli.room import CONTRACTS, DELIVERIES, Room


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Room:
    """Stand in a folder with contracts and deliveries; nothing is in quarantine yet."""
    monkeypatch.chdir(tmp_path)
    for name in ("FORCE_COLOR", "PRATIQUE_QUARANTINE", "VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, "shop", raising=False)
    tmp_path.joinpath("shop.py").write_text(CONTRACTS)
    for name, text in DELIVERIES.items():
        tmp_path.joinpath(name).write_text(text, encoding="utf-8")
    return Room(tmp_path, capsys)


@pytest.fixture
def kept(room: Room) -> Room:
    """Stand there after three units were refused: two alike, and one that was cut off."""
    room.keep("types", "cut", options=("--run-id", "r1"))
    return room
