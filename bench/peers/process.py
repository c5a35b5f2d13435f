"""The judge's end of a peer's process: start it, ask it, kill it when it hangs, start it again when it died."""

from __future__ import annotations

import base64
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from pratique import Outage
from pratique.show import show

__all__ = ["Fate", "Reply", "Worker"]

READ_BYTES = 1 << 16
"""Bytes taken from the pipe at once: the size of a Linux pipe."""


class Fate(StrEnum):
    """Say what became of one question."""

    ANSWERED = "answered"
    HUNG = "hung"
    """No answer within the time; the process was killed."""
    DIED = "died"
    """The process ended."""


@dataclass(frozen=True)
class Reply:
    """What came back for one document."""

    fate: Fate
    value: Any = None
    told: bool = True
    logged: bool = False
    """Whether there was an entry in a log that had to be asked for."""
    raised: str = ""
    seconds: float = 0.0
    """Processor time of the reading, the fastest of the repeats; 0 unless answered."""


class Worker:
    """One peer's process; it is started when it is first asked, and again after it was lost.

    Limits: ``start_s`` for import and warm-up (not counted), a time a document with each question.
    Errors: Outage when the process cannot be started at all.
    """

    def __init__(
        self, command: Sequence[str], *, folder: Path, environment: Mapping[str, str], log: Path, start_s: float
    ) -> None:
        self._command = command
        self._folder = folder
        self._environment = environment
        self._log = log
        self._start_s = start_s
        self._process: subprocess.Popen[bytes] | None = None
        self._held = b""
        self.greeting: dict[str, Any] = {}
        """What the process said of itself: the peer's version and the interpreter's."""
        self.starts = 0

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start the process and wait until it has imported its peer."""
        with open(self._log, "ab") as log:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=self._folder,
                env=dict(self._environment),
                start_new_session=True,  # so that what a peer starts is killed with it
            )
        self._held = b""
        self.starts += 1
        line = self._line(self._start_s)
        if not isinstance(line, bytes):
            self.stop()
            tail = self._log.read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2]
            raise Outage(f"the process {line} before it was ready: {show(tail)}; see {self._log.name}")
        self.greeting = json.loads(line)

    def ask(self, raw: str | bytes, *, bare: bool, timeout_s: float, repeats: int = 1) -> Reply:
        """Have one document read; a process that hangs is killed, one that died is told."""
        if self._process is None:
            self.start()
        assert self._process is not None
        assert self._process.stdin is not None
        body = {"text": raw} if isinstance(raw, str) else {"bytes": base64.b64encode(raw).decode()}
        question = json.dumps({**body, "bare": bare, "repeats": repeats}).encode() + b"\n"
        try:
            self._process.stdin.write(question)
            self._process.stdin.flush()
            line = self._line(timeout_s * repeats)
        except BrokenPipeError:
            line = Fate.DIED
        if not isinstance(line, bytes):
            self.stop()
            return Reply(line)
        answer = json.loads(line)
        return Reply(Fate.ANSWERED, **answer)

    def stop(self) -> None:
        """Kill the process and everything that it started."""
        if self._process is None:
            return
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it ended by itself
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass  # unsent bytes to a process that is gone
        self._process.wait()
        self._process = None

    def _line(self, timeout_s: float) -> bytes | Fate:
        """Return the next line, or what happened instead."""
        assert self._process is not None
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        parts = [self._held]
        until = time.monotonic() + timeout_s
        while b"\n" not in parts[-1]:
            left = until - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                return Fate.HUNG
            part = os.read(pipe, READ_BYTES)
            if not part:
                return Fate.DIED
            parts.append(part)
        line, _, self._held = b"".join(parts).partition(b"\n")
        return line
