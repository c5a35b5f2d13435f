"""Several processes write at once, and ``kill -9`` at any step loses at most what was in flight."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from pratique.quarantine import Filter, SqliteQuarantine, replay
from unit.quarantine.quarantine_worker import ITEMS, UNITS, WIDE, delivery

WORKER = Path(__file__).with_name("quarantine_worker.py")


def started(what: str, path: Path, name: str, *, many: int = 0) -> subprocess.Popen[str]:
    """Start a worker."""
    return subprocess.Popen(
        [sys.executable, str(WORKER), what, str(path), name, str(many)], stdout=subprocess.PIPE, text=True
    )


def ended(process: subprocess.Popen[str]) -> list[str]:
    """Wait for a worker; return what it told."""
    out, _ = process.communicate(timeout=120)
    return out.splitlines()


def require_sound(path: Path) -> None:
    """Hold the file to its own rules: sound pages, no half delivery, counters that count right."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        many = connection.execute("SELECT delivery, count(*) FROM units GROUP BY delivery").fetchall()
        assert {count for _, count in many} <= {UNITS}, "a delivery is kept with all its units or not at all"
        tally = connection.execute("SELECT units, deliveries FROM tally").fetchone()
        assert tally == (len(many) * UNITS, len(many))
        assert connection.execute("SELECT count(*) FROM purge_gate").fetchone() == (0,)
        per_replay = connection.execute(
            "SELECT count(*) FROM resolutions r JOIN units u ON u.seq = r.unit GROUP BY u.delivery"
        )
        assert {count for (count,) in per_replay} <= {UNITS}, "a delivery's units are handed out together"


def require_all_told(path: Path, told: list[str]) -> None:
    """Find every delivery that a worker was told is kept, word for word, and at most one more."""
    kept = [line.split() for line in told if line.startswith("kept ")]
    with SqliteQuarantine(path) as store:
        for _, number, id in kept:
            assert store.delivery(id).text == delivery(int(number))


@pytest.mark.slow
def test_eight_processes_lose_nothing(tmp_path: Path) -> None:
    """They start at once, on a file that none of them has made yet."""
    path = tmp_path / "q.db"
    workers = [started("keep", path, f"run-{number}", many=6) for number in range(8)]
    for worker in workers:
        lines = ended(worker)
        assert lines[-1] == "done"
        require_all_told(path, lines)
    require_sound(path)
    with SqliteQuarantine(path) as store:
        assert store.stats().deliveries == 48


STATEMENTS = 500
"""More than it takes to keep three deliveries, or to replay them: a sweep ends when a child lives."""


@pytest.mark.slow
def test_a_process_killed_before_any_statement_loses_only_that_delivery(tmp_path: Path) -> None:
    """Every statement of the first deliveries; the next process goes on, and nothing is kept twice."""
    lines = ended(started("sweep keep", tmp_path / "q.db", "run", many=STATEMENTS))
    assert lines[-1] == "done"
    told = [[line.split(" ", 1)[1] for line in lines if line.startswith(f"{die_at} ")] for die_at in range(STATEMENTS)]
    told = [mine for mine in told if mine]
    assert {mine[-1] for mine in told[:-1]} == {f"ended {-signal.SIGKILL}"}
    assert told[-1][-1] == "ended 0", "the sweep reaches the last statement"
    for die_at, mine in enumerate(told):
        path = tmp_path / f"q.db-{die_at}"
        require_sound(path)
        require_all_told(path, mine)
        done = len(mine) - 1
        with SqliteQuarantine(path) as store:
            assert store.stats().deliveries in (done, done + 1)
            for attempt in range(3):
                store.keep(ITEMS.admit(delivery(attempt)), run_id="run", attempt=attempt)
            assert store.stats().deliveries == 3
        require_sound(path)


@pytest.mark.slow
def test_a_replay_killed_before_any_statement_delivers_once(tmp_path: Path) -> None:
    """What it wrote is found under its name; what it did not write, the next one hands out; nothing comes twice."""
    lines = ended(started("sweep replay", tmp_path / "q.db", "first", many=STATEMENTS))
    assert lines[-1] == "done"
    befores = set()
    for die_at in range(sum(" ended " in line for line in lines)):
        path = tmp_path / f"q.db-{die_at}"
        require_sound(path)
        with SqliteQuarantine(path) as store:
            known = {run.id for run in store.replays()}
            before = [one.record for one in store.delivered("first")] if "first" in known else []
            rest = replay(store, WIDE, where=Filter(), dry_run=False, replay_id="first")
            after = [one.record for one in rest.admitted]
            assert not set(before) & set(after)
            assert len(before) + len(after) == 3 * UNITS
            passages = [one.resolution.passage for one in store.delivered("first")]
            assert len(passages) == 3 * UNITS
            assert all(passage is not None and "rank" in passage.values_json for passage in passages)
        befores.add(len(before))
    assert befores == {0, UNITS, 2 * UNITS, 3 * UNITS}, "the sweep stops between any two deliveries"


def test_a_store_is_used_on_both_sides_of_a_fork(tmp_path: Path) -> None:
    """A connection that is carried over a fork would corrupt the file; each side has its own."""
    path = tmp_path / "q.db"
    lines = ended(started("fork", path, ""))
    assert lines[-1] == "done"
    require_sound(path)
    require_all_told(path, lines)
    assert sum(line.startswith("kept ") for line in lines) == 4


@pytest.mark.slow
def test_processes_killed_at_random_moments_leave_a_sound_file(tmp_path: Path) -> None:
    """Four write at once, each is killed somewhere; the survivors go on."""
    path = tmp_path / "q.db"
    rng = random.Random(3)
    told: list[list[str]] = []
    for turn in range(3):
        workers = [started("keep", path, f"run-{turn}-{number}", many=400) for number in range(4)]
        for worker in workers:
            assert worker.stdout is not None
            told.append([worker.stdout.readline().strip() for _ in range(rng.randrange(1, 60))])
            worker.kill()
            told[-1] += ended(worker)
        require_sound(path)
    for lines in told:
        require_all_told(path, lines)
    assert sum(line.startswith("kept ") for lines in told for line in lines) > 0


@pytest.mark.slow
def test_two_replays_at_once_hand_out_each_unit_once(tmp_path: Path) -> None:
    """Whoever is first has it; the other finds it resolved."""
    path = tmp_path / "q.db"
    assert ended(started("keep", path, "run", many=30))[-1] == "done"
    workers = [started("replay", path, f"replay-{number}") for number in range(3)]
    told = [ended(worker) for worker in workers]
    handed = [line for lines in told for line in lines if line.startswith("handed ")]
    assert all(lines[-1] == "done" for lines in told)
    assert len(handed) == len(set(handed)) == 30 * UNITS
    require_sound(path)
    with SqliteQuarantine(path) as store:
        delivered = [one.record for number in range(3) for one in store.delivered(f"replay-{number}")]
        assert sorted(delivered) == sorted(line.split()[1] for line in handed)
