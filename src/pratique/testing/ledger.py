"""What every ledger must do, as tests that anybody can run on their own.

Subclass ``LedgerConformance`` in a test file and say how a new, empty ledger is made. The state machine drives a ledger
and a model of plain numbers side by side, and looks at the invariants after every step.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from pratique.budget.amount import NOTHING, Amount
from pratique.budget.book import BudgetExceeded, Caps, HoldState, ReconcileConflict, TokenRefused
from pratique.budget.ledger import Ledger
from pratique.errors import Misuse

__all__ = ["LedgerConformance", "LedgerMachine"]

CAP = Amount(1_000, 1_000)
PER_CALL = 400
_AMOUNTS = st.builds(Amount, st.integers(0, 450), st.integers(0, 450))


class LedgerMachine(RuleBasedStateMachine):
    """Drive one ledger by every step there is, in any order, against plain sums."""

    holds: Any = Bundle("holds")

    def __init__(self) -> None:
        super().__init__()
        self.ledger = self.new_ledger()
        self.caps = Caps(total=CAP, per_call_tokens=PER_CALL)
        self.ledger.open("b", self.caps)
        self.model: dict[str, tuple[HoldState, Amount, Amount]] = {}
        """id -> state, ceiling, charged."""
        self.overrun = NOTHING
        self.tripped = False

    def new_ledger(self) -> Ledger:
        """Make an empty ledger."""
        raise NotImplementedError

    @rule(target=holds, ceiling=_AMOUNTS)
    def hold(self, ceiling: Amount) -> str:
        """Reserve; refused exactly when it does not fit."""
        id = f"t{len(self.model)}"
        fits = (
            not self.tripped and ceiling.tokens <= self.caps.per_call_tokens
            and self.used().plus(ceiling).is_within(self.caps.total)
        )  # fmt: skip
        if fits:
            self.ledger.hold("b", id, ceiling, "d")
            self.model[id] = (HoldState.HELD, ceiling, NOTHING)
        else:
            with pytest.raises(BudgetExceeded):
                self.ledger.hold("b", id, ceiling, "d")
            self.model[f"refused {len(self.model)}"] = (HoldState.VOIDED, NOTHING, NOTHING)
        return id

    @rule(id=holds, other=st.booleans())
    def dispatch(self, id: str, other: bool) -> None:
        """Use a hold; once, and for its own request alone."""
        state, ceiling, _ = self.model.get(id, (None, NOTHING, NOTHING))
        if state is HoldState.HELD and not other:
            assert self.ledger.dispatch(id, ceiling, "d").state is HoldState.DISPATCHED
            self.model[id] = (HoldState.DISPATCHED, ceiling, NOTHING)
        else:
            with pytest.raises(TokenRefused):
                self.ledger.dispatch(id, ceiling, "another" if other else "d")

    @rule(id=holds, actual=_AMOUNTS)
    def settle(self, id: str, actual: Amount) -> None:
        """Charge; the same again changes nothing, another bill is a conflict, too much trips the breaker."""
        state, ceiling, charged = self.model.get(id, (None, NOTHING, NOTHING))
        if state in (HoldState.DISPATCHED, HoldState.ASSUMED):
            assert self.ledger.settle(id, actual)
            assert not self.ledger.settle(id, actual)
            self.model[id] = (HoldState.SETTLED, ceiling, actual)
            over = actual.beyond(ceiling)
            self.overrun = self.overrun.plus(over)
            self.tripped = self.tripped or over != NOTHING
        elif state is HoldState.SETTLED and actual == charged:
            assert not self.ledger.settle(id, actual)
        else:
            with pytest.raises((ReconcileConflict, TokenRefused)):
                self.ledger.settle(id, actual)

    @rule(id=holds)
    def void(self, id: str) -> None:
        """Give back what was never used, and nothing else."""
        state, ceiling, _ = self.model.get(id, (None, NOTHING, NOTHING))
        if state in (HoldState.HELD, HoldState.VOIDED):
            assert self.ledger.void(id) is (state is HoldState.HELD)
            self.model[id] = (HoldState.VOIDED, ceiling, NOTHING)
        else:
            with pytest.raises(TokenRefused):
                self.ledger.void(id)

    @rule(id=holds)
    def assume(self, id: str) -> None:
        """Charge what is on its way at its ceiling, and nothing else."""
        state, ceiling, _ = self.model.get(id, (None, NOTHING, NOTHING))
        if state in (HoldState.DISPATCHED, HoldState.ASSUMED):
            assert self.ledger.assume(id) is (state is HoldState.DISPATCHED)
            self.model[id] = (HoldState.ASSUMED, ceiling, ceiling)
        else:
            with pytest.raises(TokenRefused):
                self.ledger.assume(id)

    @rule(total=st.builds(Amount, st.integers(0, 3_000), st.integers(0, 3_000)), per_call=st.integers(1, 500))
    def override(self, total: Amount, per_call: int) -> None:
        """Set other caps; never below what is used."""
        caps = Caps(total=total, per_call_tokens=per_call)
        if self.used().is_within(total.plus(self.overrun)):
            self.ledger.override("b", caps, by="operator", reason="test")
            self.caps, self.tripped = caps, False
        else:
            with pytest.raises(Misuse):
                self.ledger.override("b", caps, by="operator", reason="test")

    @rule(id=consumes(holds))
    def forget(self, id: str) -> None:
        """Let an owner die: what it held stays as it is."""
        del id

    def used(self) -> Amount:
        """Sum the model."""
        reserved, spent = self.sums()
        return reserved.plus(spent)

    def sums(self) -> tuple[Amount, Amount]:
        """Sum what the model has reserved, and what it has spent."""
        reserved = spent = NOTHING
        for state, ceiling, charged in self.model.values():
            reserved = reserved.plus(ceiling) if state.is_open else reserved
            spent = spent.plus(charged)
        return reserved, spent

    @invariant()
    def sums_are_kept(self) -> None:
        """I1, I2 and the breaker, as the ledger shows them in one step."""
        shown = self.ledger.snapshot("b")
        reserved, spent = self.sums()
        assert (shown.reserved, shown.spent, shown.overrun) == (reserved, spent, self.overrun)
        assert shown.reserved.plus(shown.spent).is_within(shown.cap.plus(shown.overrun))
        assert bool(shown.tripped) is self.tripped
        held = {hold.id for hold in self.ledger.open_holds("b")}
        assert held == {id for id, (state, *_) in self.model.items() if state.is_open}
        assert shown.left == shown.cap.beyond(reserved.plus(spent))


class LedgerConformance:
    """Hold one ledger to the protocol: subclass it, and make an empty ledger in ``new_ledger``."""

    def new_ledger(self) -> Ledger:
        """Make an empty ledger."""
        raise NotImplementedError

    def opened(self) -> Ledger:
        """Make a ledger with one budget."""
        ledger = self.new_ledger()
        ledger.open("b", Caps(total=CAP, per_call_tokens=PER_CALL))
        return ledger

    def test_a_budget_is_opened_once_with_the_same_caps(self) -> None:
        """A second guard of the same workflow shares it; other caps are a mistake, told."""
        ledger = self.opened()
        ledger.hold("b", "t", Amount(10, 10), "d")
        assert ledger.open("b", Caps(total=CAP, per_call_tokens=PER_CALL)).reserved == Amount(10, 10)
        with pytest.raises(Misuse, match="override"):
            ledger.open("b", Caps(total=CAP, per_call_tokens=PER_CALL + 1))

    def test_what_is_not_there_is_refused(self) -> None:
        """An unknown budget is the caller's mistake, an unknown token is no token."""
        ledger = self.opened()
        with pytest.raises(Misuse):
            ledger.hold("other", "t", Amount(1, 1), "d")
        with pytest.raises(Misuse):
            ledger.snapshot("other")
        for use in (
            lambda: ledger.dispatch("forged", Amount(1, 1), "d"), lambda: ledger.settle("forged", NOTHING),
            lambda: ledger.void("forged"), lambda: ledger.assume("forged"),
        ):  # fmt: skip
            with pytest.raises(TokenRefused):
                use()

    def test_an_id_is_used_once(self) -> None:
        """Two holds of one id would be two calls on one token."""
        ledger = self.opened()
        ledger.hold("b", "t", Amount(1, 1), "d")
        with pytest.raises(Misuse):
            ledger.hold("b", "t", Amount(1, 1), "d")
        assert ledger.snapshot("b").reserved == Amount(1, 1)

    def test_each_axis_is_capped_and_told(self) -> None:
        """Tokens, money, one call, and the breaker: which one it was is a word that a caller can branch on."""
        ledger = self.opened()
        for ceiling, axis in (
            (Amount(PER_CALL + 1, 1), "per_call_tokens"), (Amount(1, CAP.picos + 1), "dollars"),
        ):  # fmt: skip
            with pytest.raises(BudgetExceeded) as refused:
                ledger.hold("b", "t", ceiling, "d")
            assert refused.value.axis == axis
        for number in range(2):
            ledger.hold("b", f"full {number}", Amount(PER_CALL, 1), "d")
        with pytest.raises(BudgetExceeded) as refused:
            ledger.hold("b", "t", Amount(PER_CALL, 1), "d")
        assert refused.value.axis == "tokens"
        ledger.dispatch("full 0", Amount(PER_CALL, 1), "d")
        ledger.settle("full 0", Amount(PER_CALL + 1, 1))
        with pytest.raises(BudgetExceeded) as refused:
            ledger.hold("b", "t", Amount(1, 1), "d")
        assert refused.value.axis == "tripped"

    def test_an_overrun_uses_up_what_it_was_above(self) -> None:
        """After an operator closed the breaker, no call gets what an overrun has already spent."""
        ledger = self.opened()
        ledger.hold("b", "t", Amount(1, 1), "d")
        ledger.dispatch("t", Amount(1, 1), "d")
        ledger.settle("t", Amount(CAP.tokens + 500, 1))
        ledger.override("b", Caps(total=CAP, per_call_tokens=PER_CALL), by="operator", reason="go on")
        with pytest.raises(BudgetExceeded):
            ledger.hold("b", "u", Amount(1, 1), "d")
