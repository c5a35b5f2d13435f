"""A folder with contracts, deliveries and a quarantine file, and the program called in it, in process."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pratique.cli import main

__all__ = ["CONTRACTS", "DELIVERIES", "Ran", "Room"]

CONTRACTS = """
from typing import Annotated, Literal
from pydantic import BaseModel
from pratique import Contract, Limits, Reference

class Item(BaseModel):
    rank: int
    why: str

class Loose(BaseModel):
    rank: int | str
    why: str

class Task(BaseModel):
    rank: int
    stream: Annotated[str, Reference("workstream")]

triage = Contract.items(Item, at="items", name="triage")
loose = Contract.items(Loose, at="items", name="triage", version="2")
narrow = Contract.items(Item, at="items", name="triage", version="3", limits=Limits(max_string_chars=5))
tasks = Contract.items(Task, at="items", name="tasks")
few = Contract.items(Item, at="items", name="triage", limits=Limits(max_quarantined=1))
"""
DELIVERIES = {
    "clean": '{"items": [{"rank": 1, "why": "no owner"}]}',
    "types": '{"items": [{"rank": 1, "why": "first"},\n {"rank": "2", "why": "second"},\n'
    ' {"rank": "3", "why": "third"}]}',
    "cut": '{"items": [{"rank": 1, "why": "first"}, {"rank": 2, "why": "sec',
    "prose": "There is nothing to report.",
    "hostile": '{"items": [{"rank": "\x1b]0;owned\x07\u202e", "why": "\x1b[31mred"}]}',
    "sly": '{"items": [{"rank": "\\u001b]0;owned\\u0007\\u202e", "why": "x"}]}',
    "tasks": '{"items": [{"rank": 1, "stream": "a"}, {"rank": 2, "stream": "b"}]}',
}


@dataclass(frozen=True, slots=True)
class Ran:
    """What one call gave."""

    code: int
    out: str
    err: str

    @property
    def told(self) -> Any:
        """The one JSON value on standard output."""
        return json.loads(self.out)


class Room:
    """Stand in a folder and call the program."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def __call__(self, *argv: str) -> Ran:
        """Run ``pratique`` with these words."""
        self._capsys.readouterr()
        code = main(argv)
        printed = self._capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    def quarantine(self, *argv: str) -> Ran:
        """Run ``pratique quarantine`` with these words."""
        return self("quarantine", *argv)

    def keep(
        self, *files: str, contract: str = "triage", db: str = "quarantine.db", options: tuple[str, ...] = ()
    ) -> Ran:
        """Judge deliveries and keep what is refused."""
        return self("check", *files, "--contract", f"shop:{contract}", "--quarantine", db, *options)

    def records(self, *filters: str) -> list[dict[str, Any]]:
        """List records as JSON, the resolved ones too."""
        found: list[dict[str, Any]] = self.quarantine("list", "--units", "--json", "--status", "all", *filters).told[
            "records"
        ]
        return found

    def ids(self, *filters: str) -> list[str]:
        """List the ids of records."""
        return [record["id"] for record in self.records(*filters)]

    def groups(self, *filters: str) -> list[dict[str, Any]]:
        """List groups of open records as JSON."""
        found: list[dict[str, Any]] = self.quarantine("list", "--json", *filters).told["groups"]
        return found

    def states(self) -> list[str]:
        """Say where each record stands, in the order in which they came."""
        return [record["state"] for record in self.records()]

    def files(self) -> set[str]:
        """Name the files of the folder, but for what SQLite keeps beside an open one."""
        return {name for name in os.listdir(self.folder) if not name.endswith(("-wal", "-shm"))}
