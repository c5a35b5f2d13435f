"""What is announced stands in the log before it is done; what became of it, after; a death between the two is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pratique.audit import AuditLog, acting, verify
from pratique.errors import Misuse, Outage


def events_of(path: Path) -> list[dict[str, object]]:
    """Return what a log tells."""
    return [json.loads(line.split(b" ", 2)[2]) for line in path.read_bytes().splitlines()[1:]]


def test_an_act_is_announced_and_its_outcome_recorded(tmp_path: Path) -> None:
    """In this order; the intent is on the disk while the act is done."""
    path = tmp_path / "audit.log"
    times = iter([1.0, 3.5])
    with AuditLog(path) as log, acting(log, "sandbox.run", {"program": "ls"}, clock=lambda: next(times)) as found:
        assert [event["event"] for event in events_of(path)] == ["audit.intent"]
        found["exit"] = 0
    intent, outcome = events_of(path)
    assert (intent["act"], intent["about"]) == ("sandbox.run", {"program": "ls"})
    assert (outcome["id"], outcome["error"], outcome["took_ms"]) == (intent["id"], "", 2_500)
    assert outcome["found"] == {"exit": 0}


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, SystemExit])
def test_what_an_act_raises_is_recorded_and_goes_on(kind: type[BaseException], tmp_path: Path) -> None:
    """By its kind; what it says may be anything, and stays out."""
    path = tmp_path / "audit.log"
    with AuditLog(path) as log, pytest.raises(kind), acting(log, "x"):
        raise kind("s3cr3t")
    assert events_of(path)[-1]["error"] == kind.__name__
    assert b"s3cr3t" not in path.read_bytes()


def test_nothing_is_done_that_cannot_be_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The block is not entered when the intent did not reach the disk."""
    with AuditLog(tmp_path / "audit.log") as log:

        def failing(_: int) -> None:
            raise OSError(5, "Input/output error")

        monkeypatch.setattr(os, "fsync", failing)
        with pytest.raises(Outage), acting(log, "x"):
            pytest.fail("it was done")


DYING = """
import os, signal, sys
from pratique.audit import AuditLog, acting
log = AuditLog(sys.argv[1])
with acting(log, "done"):
    pass
with acting(log, "repo.patch"):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_who_dies_in_an_act_leaves_it_to_be_told(tmp_path: Path) -> None:
    """Once: the writer after that one knows nothing of it any more."""
    path = tmp_path / "audit.log"
    died = subprocess.run([sys.executable, "-c", DYING, str(path)], check=False)
    assert died.returncode == -signal.SIGKILL
    with AuditLog(path) as log:
        assert log.abandoned == ("repo.patch",)
    with AuditLog(path) as log:
        assert log.abandoned == ()
    names = [event["event"] for event in events_of(path)]
    assert names == ["audit.intent", "audit.outcome", "audit.intent", "audit.abandoned"]
    assert verify(path).is_sound


def test_a_result_that_is_no_json_is_told_and_the_act_is_not_called_abandoned(tmp_path: Path) -> None:
    """And what the block raises goes before that."""
    path = tmp_path / "audit.log"

    def act(log: AuditLog, error: Exception | None) -> None:
        with acting(log, "x") as found:
            found["wrong"] = {1, 2}
            if error is not None:
                raise error

    with AuditLog(path) as log:
        with pytest.raises(Misuse, match="is no JSON"):
            act(log, None)
        with pytest.raises(ValueError, match="its own"):
            act(log, ValueError("its own"))
    assert [event["error"] for event in events_of(path) if event["event"] == "audit.outcome"] == [
        "Misuse",
        "ValueError",
    ]
    with AuditLog(path) as log:
        assert log.abandoned == ()


def test_what_was_interrupted_stays_interrupted_when_the_log_fails_too(tmp_path: Path) -> None:
    """The note says that the outcome is not in the log."""

    def act(log: AuditLog) -> None:
        with acting(log, "x"):
            log.close()
            raise KeyboardInterrupt

    with AuditLog(tmp_path / "audit.log") as log, pytest.raises(KeyboardInterrupt) as raised:
        act(log)
    assert "could not be recorded" in raised.value.__notes__[0]
