"""What every ledger must do, as tests that anybody can run on their own.

Subclass ``LedgerConformance`` in a test file and say how a new, empty ledger is made. The state machine drives a ledger
and a model of plain numbers side by side, and looks at the invariants after every step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from pratique.budget.amount import NOTHING, Amount
from pratique.budget.book import BudgetExceeded, Caps, Escrow, Hold, HoldState, ReconcileConflict, TokenRefused
from pratique.budget.ledger import BudgetSnapshot, Ledger
from pratique.budget.ledgers.memory import MemoryLedger
from pratique.budget.request import Call
from pratique.budget.sweep import sweep
from pratique.errors import Misuse
from pratique.events import Event, record_of

__all__ = ["CALL", "LedgerConformance", "LedgerMachine"]

CAP = Amount(1_000, 1_000)
PER_CALL = 400
CAPS = Caps(total=CAP, per_call_tokens=PER_CALL)
CALL = Call(digest="d", provider="p", model="m", price="b3:0")
ESCROW = Escrow(portfolio="portfolio", chunk=Amount(150, 150))
WORKFLOWS = ("one", "two")
BUDGETS = ("alone", "portfolio", *WORKFLOWS)
_AMOUNTS = st.builds(Amount, st.integers(0, 450), st.integers(0, 450))


@dataclass
class _Modelled:
    """What the model knows of one hold."""

    budget: str
    state: HoldState
    ceiling: Amount
    charged: Amount = NOTHING


class _Heard:
    """What a ledger told."""

    def __init__(self) -> None:
        self.events: list[dict[str, object]] = []

    def emit(self, event: Event) -> None:
        """Keep one."""
        self.events.append(record_of(event))


class _Mirror:
    """Two ledgers that are asked the same: what comes must be the same, down to the message of an error."""

    def __init__(self, one: Ledger, other: Ledger) -> None:
        self._one, self._other = one, other

    def __getattr__(self, name: str) -> Any:
        def asked(*given: Any, **named: Any) -> Any:
            came, error = _attempt(getattr(self._one, name), given, named)
            same, other = _attempt(getattr(self._other, name), given, named)
            assert (came, type(error), str(error)) == (same, type(other), str(other))
            if error is not None:
                raise error
            return came

        return asked


def _attempt(call: Any, given: Any, named: Any) -> tuple[Any, Exception | None]:
    try:
        came = call(*given, **named)
    except (BudgetExceeded, TokenRefused, ReconcileConflict, Misuse) as error:
        return None, error
    if isinstance(came, list):
        came = [replace(each, age_s=0) if isinstance(each, Hold) else each for each in came]
    return came, None


class LedgerMachine(RuleBasedStateMachine):
    """Drive one ledger by every step there is, in any order: a budget alone, and a portfolio.

    It is held against plain sums, and against a ledger in memory that is asked the same. A ledger that keeps its events
    hands them to ``require_same_events`` at the end.
    """

    holds: Any = Bundle("holds")

    def __init__(self) -> None:
        super().__init__()
        self.heard = _Heard()
        self.ledger: Any = _Mirror(self.new_ledger(), MemoryLedger(self.heard))
        self.caps = dict.fromkeys(BUDGETS, CAPS)
        for budget in BUDGETS:
            self.ledger.open(budget, CAPS, escrow=ESCROW if budget in WORKFLOWS else None)
        self.model: dict[str, _Modelled] = {}
        self.overrun = dict.fromkeys(BUDGETS, NOTHING)
        self.tripped: set[str] = set()
        self.minted = 0

    def new_ledger(self) -> Ledger:
        """Make an empty ledger."""
        raise NotImplementedError

    @rule(target=holds, budget=st.sampled_from(BUDGETS), ceiling=_AMOUNTS)
    def hold(self, budget: str, ceiling: Amount) -> str:
        """Reserve; refused exactly when it does not fit, and then nothing is changed."""
        id = f"t{self.minted}"
        self.minted += 1
        before = self.ledger.snapshot(budget)
        if self.fits(before, ceiling):
            self.ledger.hold(budget, id, ceiling, CALL, owner="me")
            self.model[id] = _Modelled(budget, HoldState.HELD, ceiling)
        else:
            with pytest.raises(BudgetExceeded):
                self.ledger.hold(budget, id, ceiling, CALL)
            assert self.ledger.snapshot(budget) == before
        return id

    @rule(id=holds, other=st.booleans())
    def dispatch(self, id: str, other: bool) -> None:
        """Use a hold; once, and for its own request alone."""
        held = self.model.get(id)
        if held is not None and held.state is HoldState.HELD and not other:
            self.ledger.dispatch(id, held.ceiling, "d")
            held.state = HoldState.DISPATCHED
        else:
            with pytest.raises(TokenRefused):
                self.ledger.dispatch(id, held.ceiling if held else NOTHING, "another" if other else "d")

    @rule(id=holds, actual=_AMOUNTS)
    def settle(self, id: str, actual: Amount) -> None:
        """Charge; the same again changes nothing, another bill is a conflict, too much trips the breaker."""
        held = self.model.get(id)
        if held is not None and held.state in (HoldState.DISPATCHED, HoldState.ASSUMED):
            assert self.ledger.settle(id, actual)
            assert not self.ledger.settle(id, actual)
            held.state, held.charged = HoldState.SETTLED, actual
            over = actual.beyond(held.ceiling)
            if over != NOTHING:
                self.tripped.add(held.budget)
                for budget in {held.budget, "portfolio" if held.budget in WORKFLOWS else held.budget}:
                    self.overrun[budget] = self.overrun[budget].plus(over)
        elif held is not None and held.state is HoldState.SETTLED and actual == held.charged:
            assert not self.ledger.settle(id, actual)
        else:
            with pytest.raises((ReconcileConflict, TokenRefused)):
                self.ledger.settle(id, actual)

    @rule(id=holds)
    def void(self, id: str) -> None:
        """Give back what was never used, and nothing else."""
        held = self.model.get(id)
        if held is not None and held.state in (HoldState.HELD, HoldState.VOIDED):
            assert self.ledger.void(id) is (held.state is HoldState.HELD)
            held.state = HoldState.VOIDED
        else:
            with pytest.raises(TokenRefused):
                self.ledger.void(id)

    @rule(id=holds)
    def assume(self, id: str) -> None:
        """Charge what is on its way at its ceiling, and nothing else."""
        held = self.model.get(id)
        if held is not None and held.state in (HoldState.DISPATCHED, HoldState.ASSUMED):
            assert self.ledger.assume(id) is (held.state is HoldState.DISPATCHED)
            held.state, held.charged = HoldState.ASSUMED, held.ceiling
        else:
            with pytest.raises(TokenRefused):
                self.ledger.assume(id)

    @rule(budget=st.sampled_from(BUDGETS), owner=st.sampled_from(["me", "nobody"]))
    def sweep(self, budget: str, owner: str) -> None:
        """Close what a dead owner left: what was never used is given back, what was is charged at its ceiling."""
        swept = sweep(self.ledger, budget, owner=owner)
        left = [held for held in self.model.values() if held.budget == budget and held.state.is_open and owner == "me"]
        assert len(swept.voided) == sum(held.state is HoldState.HELD for held in left)
        assert len(swept.assumed) == sum(held.state is HoldState.DISPATCHED for held in left)
        for held in left:
            if held.state is HoldState.HELD:
                held.state = HoldState.VOIDED
            else:
                held.state, held.charged = HoldState.ASSUMED, held.ceiling

    @rule(budget=st.sampled_from(BUDGETS))
    def give_back(self, budget: str) -> None:
        """Return to the portfolio what lies idle, all of it."""
        before = self.ledger.snapshot(budget)
        idle = before.granted.beyond(before.reserved.plus(before.spent))
        assert self.ledger.give_back(budget) is (idle != NOTHING)
        after = self.ledger.snapshot(budget)
        assert after.granted == before.granted.minus(idle)
        assert not self.ledger.give_back(budget)

    @rule(
        budget=st.sampled_from(BUDGETS),
        total=st.builds(Amount, st.integers(0, 3_000), st.integers(0, 3_000)),
        per_call=st.integers(1, 500),
    )
    def override(self, budget: str, total: Amount, per_call: int) -> None:
        """Set other caps; never below what is used."""
        caps = Caps(total=total, per_call_tokens=per_call)
        shown = self.ledger.snapshot(budget)
        used = shown.reserved.plus(shown.lent).plus(shown.spent)
        if used.is_within(total.plus(self.overrun[budget])):
            self.ledger.override(budget, caps, by="operator", reason="test")
            self.caps[budget] = caps
            self.tripped.discard(budget)
        else:
            with pytest.raises(Misuse):
                self.ledger.override(budget, caps, by="operator", reason="test")

    def require_same_events(self, told: list[dict[str, Any]]) -> None:
        """Say that what a ledger told is what the book tells, in order, key by key."""
        assert [list(event.items()) for event in told] == [list(event.items()) for event in self.heard.events]

    @rule(id=consumes(holds))
    def forget(self, id: str) -> None:
        """Let an owner die: what it held stays as it is."""
        del id

    def fits(self, shown: BudgetSnapshot, ceiling: Amount) -> bool:
        """Say whether a call fits, by the sums alone."""
        caps, budget = self.caps[shown.budget], shown.budget
        reserved, spent = self.sums(budget)
        used = reserved.plus(spent)
        if budget in self.tripped or ceiling.tokens > caps.per_call_tokens:
            return False
        if not used.plus(shown.lent).plus(ceiling).is_within(caps.total):
            return False
        needed = used.plus(ceiling).beyond(shown.granted)
        if budget not in WORKFLOWS or needed == NOTHING:
            return True
        reserved, spent = self.sums("portfolio")
        lent = self.ledger.snapshot("portfolio").lent
        gone = reserved.plus(spent).plus(lent)
        cap = self.caps["portfolio"].total
        return "portfolio" not in self.tripped and all(
            not needs or there + needs <= most
            for needs, there, most in (
                (needed.tokens, gone.tokens, cap.tokens), (needed.picos, gone.picos, cap.picos),
            )
        )  # fmt: skip

    def sums(self, budget: str) -> tuple[Amount, Amount]:
        """Sum what the model has reserved, and what it has spent."""
        reserved = spent = NOTHING
        for held in self.model.values():
            if held.budget == budget:
                reserved = reserved.plus(held.ceiling) if held.state.is_open else reserved
                spent = spent.plus(held.charged)
        return reserved, spent

    @invariant()
    def sums_are_kept(self) -> None:
        """I1, I2 and the breaker, as the ledger shows them in one step."""
        shown = {snapshot.budget: snapshot for snapshot in self.ledger.budgets()}
        assert list(shown) == sorted(BUDGETS)
        for budget, one in shown.items():
            assert one == self.ledger.snapshot(budget)
            reserved, spent = self.sums(budget)
            assert (one.reserved, one.spent, one.overrun) == (reserved, spent, self.overrun[budget])
            assert reserved.plus(one.lent).plus(spent).is_within(one.cap.plus(one.overrun))
            assert bool(one.tripped) is (budget in self.tripped)
            held = [hold.id for hold in self.ledger.open_holds(budget)]
            assert held == [id for id, each in self.model.items() if each.budget == budget and each.state.is_open]
            if budget in WORKFLOWS:
                assert reserved.plus(spent).is_within(one.granted)
        lent = shown["one"].granted.plus(shown["two"].granted)
        assert shown["portfolio"].lent == lent
        assert shown["alone"].left == shown["alone"].cap.beyond(shown["alone"].reserved.plus(shown["alone"].spent))


class LedgerConformance:
    """Hold one ledger to the protocol: subclass it, and make an empty ledger in ``new_ledger``."""

    def new_ledger(self) -> Ledger:
        """Make an empty ledger."""
        raise NotImplementedError

    def opened(self) -> Ledger:
        """Make a ledger with one budget."""
        ledger = self.new_ledger()
        ledger.open("b", CAPS)
        return ledger

    def test_a_budget_is_opened_once_with_the_same_caps(self) -> None:
        """A second guard of the same workflow shares it; other caps are a mistake, told."""
        ledger = self.opened()
        ledger.hold("b", "t", Amount(10, 10), CALL)
        assert ledger.open("b", CAPS).reserved == Amount(10, 10)
        with pytest.raises(Misuse, match="override"):
            ledger.open("b", Caps(total=CAP, per_call_tokens=PER_CALL + 1))
        with pytest.raises(Misuse, match="no budget is called"):
            ledger.open("c", CAPS, escrow=ESCROW)

    def test_what_an_operator_decided_outlives_a_restart(self) -> None:
        """Whoever opens the budget again asks for what it was opened with, and finds it as it is now."""
        ledger = self.opened()
        wider = Caps(total=Amount(5_000, 5_000), per_call_tokens=PER_CALL)
        ledger.override("b", wider, by="operator", reason="a long run")
        assert ledger.open("b", CAPS).cap == wider.total
        with pytest.raises(Misuse, match="was opened with"):
            ledger.open("b", wider)

    def test_what_is_not_there_is_refused(self) -> None:
        """An unknown budget is the caller's mistake, an unknown token is no token."""
        ledger = self.opened()
        for use in (
            lambda: ledger.hold("other", "t", Amount(1, 1), CALL), lambda: ledger.snapshot("other"),
            lambda: ledger.open_holds("other"), lambda: ledger.give_back("other"),
            lambda: ledger.override("other", CAPS, by="x", reason="y"),
        ):  # fmt: skip
            with pytest.raises(Misuse, match="no budget is called"):
                use()
        for forge in (
            lambda: ledger.dispatch("forged", Amount(1, 1), "d"), lambda: ledger.settle("forged", NOTHING),
            lambda: ledger.void("forged"), lambda: ledger.assume("forged"),
        ):  # fmt: skip
            with pytest.raises(TokenRefused):
                forge()

    def test_an_id_is_used_once(self) -> None:
        """Two holds of one id would be two calls on one token; in another budget, too."""
        ledger = self.opened()
        ledger.open("c", CAPS)
        ledger.hold("b", "t", Amount(1, 1), CALL)
        for budget in ("b", "c"):
            with pytest.raises(Misuse, match="already"):
                ledger.hold(budget, "t", Amount(1, 1), CALL)
        assert ledger.snapshot("b").reserved == Amount(1, 1)
        assert ledger.snapshot("c").reserved == NOTHING

    def test_a_hold_keeps_what_it_is_for(self) -> None:
        """Provider, model, price, digest, owner: whoever finds an orphan knows what it was."""
        ledger = self.opened()
        call = Call(digest="b3:1", provider="local", model="weiß", price="b3:2")
        ledger.hold("b", "t", Amount(1, 2), call, owner="worker-3")
        (held,) = ledger.open_holds("b")
        assert (held.call, held.owner, held.ceiling, held.state) == (call, "worker-3", Amount(1, 2), HoldState.HELD)
        assert 0 <= held.age_s < 60
        assert ledger.open_holds("b", owner="worker-4") == []
        assert ledger.open_holds("b", older_than_s=3_600) == []

    def test_each_axis_is_capped_and_told(self) -> None:
        """Tokens, money, one call, and the breaker: which one it was is a word that a caller can branch on."""
        ledger = self.opened()
        for ceiling, axis in (
            (Amount(PER_CALL + 1, 1), "per_call_tokens"), (Amount(1, CAP.picos + 1), "dollars"),
        ):  # fmt: skip
            with pytest.raises(BudgetExceeded) as refused:
                ledger.hold("b", "t", ceiling, CALL)
            assert refused.value.axis == axis
        for number in range(2):
            ledger.hold("b", f"full {number}", Amount(PER_CALL, 1), CALL)
        with pytest.raises(BudgetExceeded) as refused:
            ledger.hold("b", "t", Amount(PER_CALL, 1), CALL)
        assert refused.value.axis == "tokens"
        ledger.dispatch("full 0", Amount(PER_CALL, 1), "d")
        ledger.settle("full 0", Amount(PER_CALL + 1, 1))
        with pytest.raises(BudgetExceeded) as refused:
            ledger.hold("b", "t", Amount(1, 1), CALL)
        assert refused.value.axis == "tripped"

    def test_an_overrun_uses_up_what_it_was_above(self) -> None:
        """After an operator closed the breaker, no call gets what an overrun has already spent."""
        ledger = self.opened()
        ledger.hold("b", "t", Amount(1, 1), CALL)
        ledger.dispatch("t", Amount(1, 1), "d")
        ledger.settle("t", Amount(CAP.tokens + 500, 1))
        ledger.override("b", CAPS, by="operator", reason="go on")
        with pytest.raises(BudgetExceeded):
            ledger.hold("b", "u", Amount(1, 1), CALL)

    def test_a_portfolio_caps_all_that_is_under_it(self) -> None:
        """Chunk by chunk; what one workflow left idle another one gets once it was given back."""
        ledger = self.new_ledger()
        ledger.open("portfolio", Caps(total=Amount(200, 200), per_call_tokens=200))
        for budget in WORKFLOWS:
            ledger.open(budget, CAPS, escrow=ESCROW)
        ledger.hold("one", "a", Amount(10, 10), CALL)
        assert (ledger.snapshot("one").granted, ledger.snapshot("portfolio").lent) == (ESCROW.chunk, ESCROW.chunk)
        assert ledger.snapshot("two").left == Amount(50, 50)
        for ceiling, axis in ((Amount(51, 1), "portfolio.tokens"), (Amount(1, 51), "portfolio.dollars")):
            with pytest.raises(BudgetExceeded) as refused:
                ledger.hold("two", "b", ceiling, CALL)
            assert refused.value.axis == axis
        assert ledger.give_back("one")
        ledger.hold("two", "b", Amount(190, 190), CALL)
        assert ledger.snapshot("portfolio").left == NOTHING

    def test_a_portfolio_counts_what_was_overrun_and_may_be_stopped(self) -> None:
        """An overrun of one workflow stops that one, and leaves the others as much less."""
        ledger = self.new_ledger()
        ledger.open("portfolio", Caps(total=Amount(200, 200), per_call_tokens=200))
        for budget in WORKFLOWS:
            ledger.open(budget, CAPS, escrow=ESCROW)
        ledger.hold("one", "a", Amount(10, 10), CALL)
        ledger.dispatch("a", Amount(10, 10), "d")
        ledger.settle("a", Amount(30, 10))
        ledger.give_back("one")
        portfolio = ledger.snapshot("portfolio")
        assert (portfolio.lent, portfolio.overrun, portfolio.tripped) == (Amount(30, 10), Amount(20, 0), "")
        assert portfolio.left == Amount(170, 190)
        ledger.hold("portfolio", "p", Amount(1, 1), CALL)
        ledger.dispatch("p", Amount(1, 1), "d")
        ledger.settle("p", Amount(2, 1))
        with pytest.raises(BudgetExceeded) as refused:
            ledger.hold("two", "b", Amount(1, 1), CALL)
        assert refused.value.axis == "portfolio.tripped"

    def test_a_portfolio_is_a_budget_that_is_under_none(self) -> None:
        """One deep; and who opened a workflow under one does not open it under another."""
        ledger = self.new_ledger()
        ledger.open("portfolio", CAPS)
        ledger.open("one", CAPS, escrow=ESCROW)
        with pytest.raises(Misuse, match="one deep"):
            ledger.open("two", CAPS, escrow=Escrow(portfolio="one", chunk=Amount(1, 1)))
        with pytest.raises(Misuse, match="is open under"):
            ledger.open("one", CAPS)
        with pytest.raises(Misuse, match="a chunk of nothing"):
            ledger.open("two", CAPS, escrow=Escrow(portfolio="portfolio", chunk=Amount(0, 1)))
        assert not ledger.give_back("portfolio")
