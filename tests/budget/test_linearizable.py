"""What threads see of a ledger is possible one after the other; what is not atomic is found out."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pratique.budget.amount import Amount
from pratique.budget.book import BudgetExceeded, Caps, HoldState, TokenRefused
from pratique.budget.ledger import BudgetSnapshot, Ledger
from pratique.budget.ledgers.memory import MemoryLedger
from pratique.budget.ledgers.postgres import PostgresLedger
from pratique.budget.ledgers.sqlite import SqliteLedger
from pratique.testing.ledger import CALL
from pratique.testing.linearizable import Operation, Recorder, linearization

CAP = 60
THREADS = 4
OPERATIONS = 20

State = tuple[frozenset[tuple[str, str, int]], int, int]
"""(id, state, ceiling) of the holds, reserved, spent."""
START: State = (frozenset(), 0, 0)


def model(state: State, operation: Operation) -> State | None:
    """Do one operation on a set and two sums; None when it returned something else than it must."""
    holds, reserved, spent = state
    known = {id: (where, ceiling) for id, where, ceiling in holds}
    match operation.name, operation.asked:
        case "snapshot", ():
            return state if operation.came == (reserved, spent) else None
        case "hold", (str(id), int(ceiling)):
            fits = reserved + spent + ceiling <= CAP
            if operation.came != ("held" if fits else "exceeded"):
                return None
            return (holds | {(id, "held", ceiling)}, reserved + ceiling, spent) if fits else state
        case "dispatch" | "void" | "settle" as name, (str(id), int(actual)):
            where, ceiling = known.get(id, ("", 0))
            if where != ("dispatched" if name == "settle" else "held"):
                return state if operation.came == "refused" else None
            if operation.came != "done":
                return None
            after = {"dispatch": "dispatched", "void": "voided", "settle": "settled"}[name]
            moved = holds - {(id, where, ceiling)} | {(id, after, ceiling)}
            freed = 0 if name == "dispatch" else ceiling
            return moved, reserved - freed, spent + (actual if name == "settle" else 0)
    raise AssertionError(operation)


def history_of(ledger: Ledger, seed: int) -> Sequence[Operation]:
    """Let threads hold, use, settle and look, on the same few holds, and record what came."""
    ledger.open("b", Caps(total=Amount(CAP, CAP), per_call_tokens=CAP))
    recorder, barrier = Recorder(), threading.Barrier(THREADS)

    def done(call: Callable[[], object]) -> str:
        try:
            return "done" if call() is not False else "refused"
        except TokenRefused:
            return "refused"

    def hold(id: str, ceiling: int) -> str:
        try:
            ledger.hold("b", id, Amount(ceiling, ceiling), CALL)
        except BudgetExceeded:
            return "exceeded"
        return "held"

    def look() -> tuple[int, int]:
        shown = ledger.snapshot("b")
        return shown.reserved.tokens, shown.spent.tokens

    def work(thread: int) -> None:
        rng = random.Random(seed * 100 + thread)
        ceilings: dict[str, int] = {}
        barrier.wait()
        for number in range(OPERATIONS):
            match rng.randrange(5):
                case 0 | 1:
                    id, ceiling = f"{thread}-{number}", rng.randint(5, 20)
                    ceilings[id] = ceiling
                    recorder.run("hold", (id, ceiling), lambda id=id, ceiling=ceiling: hold(id, ceiling))  # type: ignore[misc]
                case 2:
                    recorder.run("snapshot", (), look)
                case _ if ceilings:
                    id = rng.choice(list(ceilings))
                    amount = Amount(ceilings[id], ceilings[id])
                    name = rng.choice(["dispatch", "settle", "settle", "void"])
                    use = {
                        "dispatch": lambda id=id, amount=amount: ledger.dispatch(id, amount, "d"),
                        "settle": lambda id=id: ledger.settle(id, Amount(1, 1)),
                        "void": lambda id=id: ledger.void(id),
                    }[name]
                    recorder.run(name, (id, 1), lambda use=use: done(use))  # type: ignore[misc]
                case _:
                    continue

    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return recorder.history


def assert_atomic(made: Callable[[int], Any]) -> None:
    """Hold some histories to the model."""
    for seed in range(6):
        ledger = made(seed)
        history = history_of(ledger, seed)
        order = linearization(history, START, model)
        if hasattr(ledger, "close"):
            ledger.close()
        assert order is not None
        assert len(order) == len(history) > THREADS * OPERATIONS // 2


def test_memory_is_atomic() -> None:
    """One lock."""
    assert_atomic(lambda _: MemoryLedger())


def test_sqlite_is_atomic(tmp_path: Path) -> None:
    """One file, one writer at a time, readers that see one moment."""
    assert_atomic(lambda seed: SqliteLedger(tmp_path / f"{seed}.db", durable=False))


def test_postgres_is_atomic(postgres: str) -> None:
    """Rows that are locked, each thread on a connection of its own."""
    assert_atomic(lambda seed: PostgresLedger(postgres, schema=f"linear_{time.monotonic_ns()}_{seed}"))


class TornLedger(MemoryLedger):
    """A ledger that looks first and acts later, as many do."""

    def hold(self, budget: str, id: str, ceiling: Amount, call: Any, *, owner: str = "") -> Any:
        """Look whether it fits; then, a little later, reserve it whatever came between."""
        account = self._accounts[budget]
        if not account.used.plus(ceiling).is_within(account.caps.total):
            raise BudgetExceeded("tokens", "it does not fit")
        time.sleep(0.001)
        caps, self._accounts[budget] = account.caps, _uncapped(self._accounts[budget])
        try:
            return super().hold(budget, id, ceiling, call, owner=owner)
        finally:
            self._accounts[budget] = _capped(self._accounts[budget], caps)


class TornReader(MemoryLedger):
    """A ledger whose total is read in two steps: the sum of one moment, the holds of another."""

    def snapshot(self, budget: str) -> BudgetSnapshot:
        """Read what is spent; then, a little later, what is reserved."""
        first = super().snapshot(budget)
        time.sleep(0.001)
        return replace(super().snapshot(budget), spent=first.spent)


def _uncapped(account: Any) -> Any:
    return _capped(account, Caps(total=Amount(10**9, 10**9), per_call_tokens=10**9))


def _capped(account: Any, caps: Caps) -> Any:
    return replace(account, caps=caps)


@pytest.mark.parametrize("kind", [TornLedger, TornReader])
def test_what_is_not_atomic_is_found(kind: type[MemoryLedger]) -> None:
    """The checker can fail: in one of some histories at least."""
    assert any(linearization(history_of(kind(), seed), START, model) is None for seed in range(20))


def operation(name: str, asked: tuple[Any, ...], came: Any, begun: int, ended: int) -> Operation:
    """Write one down by hand."""
    return Operation(name, asked, came, begun, ended)


@pytest.mark.parametrize(
    ("history", "is_possible"),
    [
        ([], True),
        ([operation("hold", ("a", 40), "held", 0, 9), operation("hold", ("b", 40), "exceeded", 1, 8)], True),
        ([operation("hold", ("a", 40), "held", 0, 9), operation("hold", ("b", 40), "held", 1, 8)], False),
        ([operation("hold", ("a", 40), "held", 0, 2), operation("snapshot", (), (40, 0), 1, 8)], True),
        ([operation("hold", ("a", 40), "held", 0, 2), operation("snapshot", (), (0, 0), 1, 8)], True),
        ([operation("hold", ("a", 40), "held", 0, 2), operation("snapshot", (), (0, 0), 3, 8)], False),
        ([operation("hold", ("a", 40), "exceeded", 0, 2)], False),
        ([operation("dispatch", ("a", 1), "done", 0, 1), operation("hold", ("a", 4), "held", 2, 3)], False),
    ],
)
def test_the_checker_says_what_is_possible(history: list[Operation], is_possible: bool) -> None:
    """By times that somebody wrote down."""
    assert (linearization(history, START, model) is not None) is is_possible


def test_the_states_of_the_model_are_those_of_the_book() -> None:
    """So that the two do not drift apart."""
    assert {"held", "dispatched", "voided", "settled"} < {state.value for state in HoldState}
