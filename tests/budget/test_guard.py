"""The guard mints tokens, a token is used once, and no hold is left open."""

from __future__ import annotations

import asyncio
import copy
import os
import pickle
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pratique import Delivery
from pratique.budget.amount import NOTHING, Amount
from pratique.budget.book import BudgetExceeded, ReconcileConflict, TokenRefused
from pratique.budget.caps import MAX_DOLLARS, MAX_TOKENS, PER_CALL_MAX_TOKENS, caps_from_file, caps_of
from pratique.budget.costs import LlmCallCost
from pratique.budget.events import BudgetEvent
from pratique.budget.guard import LlmInvocationGuard
from pratique.budget.ledgers.memory import MemoryLedger
from pratique.budget.price import Price, Usage
from pratique.budget.request import Request, counted_input, request_of
from pratique.budget.token import BudgetToken
from pratique.errors import Misuse
from pratique.events import Event
from pratique.leaf import LeafLlm

PRICE = Price(provider="p", model="m", input=Decimal(3), output=Decimal(15))
NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)


class Sink:
    """Keep events."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        """Keep one."""
        self.events.append(event)


def asked(body: bytes = b"{}", max_tokens: int | None = 100, **more: Any) -> Request:
    """Make a request."""
    return request_of(body, provider="p", model="m", max_tokens=max_tokens, price=PRICE, **more)


def guarded(sink: Sink | None = None, **caps: Any) -> LlmInvocationGuard:
    """Make a guard on a ledger of its own."""
    ids = iter(f"t{number}" for number in range(1_000))
    return LlmInvocationGuard(
        "wf", ledger=MemoryLedger(sink), caps=caps_of(**caps), clock=lambda: NOW, ids=lambda: next(ids)
    )


def test_a_call_is_precharged_redeemed_and_reconciled() -> None:
    """The happy way, with its events in order and exact money."""
    sink = Sink()
    guard = guarded(sink)
    request = asked(b"x" * 952)
    token = guard.precharge(request)
    assert token.precharged_tokens == 952 + 2_048 + 100
    assert token.precharged_dollars == Decimal("0.0105")
    assert token.issued_at == "2026-11-22T09:00:00.000+00:00"
    assert guard.running_total().reserved == request.ceiling
    token.redeem(request)
    assert guard.reconcile(token, Usage(input=500, output=80))
    assert not guard.reconcile(token, Usage(input=500, output=80))
    total = guard.running_total()
    assert (total.reserved, total.spent) == (NOTHING, Amount(580, 2_700_000_000))
    assert [event.name for event in sink.events] == [
        "budget.opened", "budget.precharged", "budget.dispatched", "budget.reconciled", "cost.llm.call",
    ]  # fmt: skip
    assert sink.events[-2].to_dict()["actual_dollars"] == "0.0027"
    cost = sink.events[-1].to_dict()
    assert (cost["seller"], cost["item"], cost["quantity"], cost["dollars"]) == ("p", "m", 580, "0.0027")
    assert cost["price"] == PRICE.digest


def test_the_defaults_are_those_of_the_source() -> None:
    """250,000 tokens, 1.50 dollars, 32,000 tokens a call."""
    total = LlmInvocationGuard("wf", ledger=MemoryLedger()).running_total()
    assert (total.cap.tokens, total.cap.dollars, total.per_call_tokens) == (250_000, Decimal("1.50"), 32_000)
    assert caps_of(max_tokens=MAX_TOKENS, max_dollars=MAX_DOLLARS, per_call_max_tokens=PER_CALL_MAX_TOKENS) == caps_of()


def test_nothing_is_sent_that_does_not_fit() -> None:
    """The refusal comes before the call, and reserves nothing."""
    guard = guarded(max_dollars="0.01")
    with pytest.raises(BudgetExceeded, match=r"\$0\.01 is left in wf"):
        guard.precharge(asked(b"x" * 3_000))
    assert guard.running_total().reserved == NOTHING


@pytest.mark.parametrize("other", [asked(b"[]"), asked(max_tokens=99), asked(choices=2)])
def test_a_token_is_for_its_own_request_alone(other: Request) -> None:
    """Neither for other bytes, nor for another bound."""
    guard = guarded()
    token = guard.precharge(asked())
    with pytest.raises(TokenRefused, match="another request"):
        token.redeem(other)
    token.redeem(asked())
    with pytest.raises(TokenRefused, match="one token is one attempt"):
        token.redeem(asked())


def test_a_token_is_made_by_the_guard_and_by_nobody_else() -> None:
    """Nor changed, copied, pickled or subclassed."""
    guard = guarded()
    token = guard.precharge(asked())
    for forge in (
        lambda: BudgetToken("t", "wf", "", asked(), MemoryLedger(), object()), lambda: copy.copy(token),
        lambda: copy.deepcopy(token), lambda: pickle.dumps(token), lambda: setattr(token, "id", "t1"),
        lambda: delattr(token, "id"), lambda: type("Mine", (BudgetToken,), {}),
    ):  # fmt: skip
        with pytest.raises((TypeError, AttributeError)):
            forge()


def test_a_forged_token_is_refused_by_the_row() -> None:
    """Whoever goes around the type still has no row."""
    guard = guarded()
    token = guard.precharge(asked())
    forged = object.__new__(BudgetToken)
    for name in ("_ledger", "request", "workflow", "issued_at"):
        object.__setattr__(forged, name, getattr(token, name))
    object.__setattr__(forged, "id", "t999")
    with pytest.raises(TokenRefused, match="no hold is called"):
        forged.redeem(asked())
    object.__setattr__(forged, "id", token.id)
    token.redeem(asked())
    with pytest.raises(TokenRefused):  # the same id, second hand
        forged.redeem(asked())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_token_is_refused() -> None:
    """The child has a copy of the memory, and no right."""
    guard = guarded()
    token = guard.precharge(asked())
    child = os.fork()
    if child == 0:  # pragma: no cover - it ends here
        try:
            token.redeem(asked())
        except Misuse:
            os._exit(7)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 7


@pytest.mark.parametrize("redeems", [False, True])
@pytest.mark.parametrize("ending", [None, ValueError, KeyboardInterrupt, SystemExit, asyncio.CancelledError])
def test_a_block_leaves_no_hold_open(redeems: bool, ending: type[BaseException] | None) -> None:
    """What was not redeemed is given back; what was, is charged at its ceiling, however the block ends."""
    guard = guarded()
    request = asked()

    def run() -> None:
        with guard.hold(request) as token:
            if redeems:
                token.redeem(request)
            if ending is not None:
                raise ending

    if ending is None:
        run()
    else:
        with pytest.raises(ending):
            run()
    total = guard.running_total()
    assert total.reserved == NOTHING
    assert total.spent == (request.ceiling if redeems else NOTHING)


def test_a_block_keeps_what_was_reconciled() -> None:
    """And later evidence corrects what was assumed."""
    guard = guarded()
    with guard.hold(asked()) as token:
        token.redeem(asked())
        guard.reconcile(token, Usage(input=10, output=1))
    assert guard.running_total().spent.tokens == 11
    with guard.hold(asked()) as lost:
        lost.redeem(asked())
    assert guard.running_total().spent.tokens == 11 + asked().ceiling.tokens
    guard.reconcile(lost, Usage(input=5, output=1))
    assert guard.running_total().spent.tokens == 17


def test_another_bill_for_the_same_call_is_a_conflict() -> None:
    """One of the two is wrong; nothing is changed."""
    guard = guarded()
    token = guard.precharge(asked())
    token.redeem(asked())
    guard.reconcile(token, Usage(input=10))
    with pytest.raises(ReconcileConflict):
        guard.reconcile(token, Usage(input=11))
    assert guard.running_total().spent.tokens == 10


def test_an_overrun_is_recorded_whole_and_stops_the_workflow() -> None:
    """Never clipped; an operator may go on, by name and with a reason."""
    sink = Sink()
    guard = guarded(sink)
    token = guard.precharge(asked())
    token.redeem(asked())
    guard.reconcile(token, Usage(input=10, output=5_000))
    total = guard.running_total()
    assert total.spent.tokens == 5_010
    assert total.overrun.tokens == 5_010 - asked().ceiling.tokens
    with pytest.raises(BudgetExceeded) as refused:
        guard.precharge(asked())
    assert refused.value.axis == "tripped"
    for by, reason in (("", "x"), ("me", " ")):
        with pytest.raises(Misuse):
            guard.override(caps_of(), by=by, reason=reason)
    guard.override(caps_of(max_tokens=300_000), by="operator", reason="known long reply")
    guard.precharge(asked())
    told = next(event.to_dict() for event in sink.events if event.name == "budget.cap_overridden")
    assert (told["by"], told["reason"]) == ("operator", "known long reply")
    assert (told["before_tokens"], told["after_tokens"]) == (250_000, 300_000)


def test_a_guard_uses_its_own_tokens_alone() -> None:
    """One workflow does not settle another one's call."""
    ledger = MemoryLedger()
    one, other = (LlmInvocationGuard(name, ledger=ledger) for name in ("one", "other"))
    token = one.precharge(asked())
    with pytest.raises(TokenRefused, match='of "one", not of "other"'):
        other.release(token)
    one.release(token)


def test_a_call_without_a_token_is_a_type_error() -> None:
    """At run time; ``tests/types/must_fail/spending.py`` has what the type checker says."""

    class Leaf:
        def invoke(self, request: Request, *, token: BudgetToken) -> Delivery:
            """Redeem, then send."""
            token.redeem(request)
            return Delivery(text="{}")

    leaf: LeafLlm = Leaf()
    guard = guarded()
    with pytest.raises(TypeError, match="token"):
        leaf.invoke(asked())  # type: ignore[call-arg]  # that is what is tested
    assert leaf.invoke(asked(), token=guard.precharge(asked())).text == "{}"


def test_a_request_without_an_end_or_with_another_price_is_refused() -> None:
    """No max_tokens, no bound; the price of another model is no price."""
    with pytest.raises(Misuse, match="no max_tokens"):
        asked(max_tokens=None)
    with pytest.raises(Misuse, match="take the price of the model"):
        request_of(b"", provider="p", model="other", max_tokens=1, price=PRICE)


def test_a_prompt_is_bounded_by_its_bytes_or_by_a_count_with_a_margin() -> None:
    """A counted bound is rounded up."""
    assert asked("ü".encode() * 10, overhead_tokens=0).input_at_most == 20
    assert asked(input_at_most=counted_input(101)).input_at_most == 107
    assert counted_input(101, margin_percent=0) == 101


def test_caps_come_from_a_file(tmp_path: Path) -> None:
    """As text, or as the decimal that is written; a misspelt key is told."""
    file = tmp_path / "project.toml"
    file.write_text('[budget]\nmax_dollars = "2.10"\nmax_tokens = 9\n', encoding="utf-8")
    assert caps_from_file(file).total == Amount(9, 2_100_000_000_000)
    file.write_text("[a.b]\nmax_dollars = 0.1\n", encoding="utf-8")
    assert caps_from_file(file, table="a.b").total.picos == 100_000_000_000
    assert caps_from_file(file) == caps_of()
    for said, told in (
        ("[budget]\nmax_dolars = 1\n", 'cannot hold "max_dolars"'), ("[budget\n", "cannot be read"),
        ("budget = 3\n", "cannot hold 3"), ("[budget]\nmax_tokens = true\n", "must be a whole number"),
    ):  # fmt: skip
        file.write_text(said, encoding="utf-8")
        with pytest.raises(Misuse, match=told):
            caps_from_file(file)


def test_a_failing_sink_stops_the_step() -> None:
    """An event that cannot be written is a step that did not happen."""

    class Full:
        def emit(self, event: Event) -> None:
            """Fail, but for the opening."""
            if event.name != "budget.opened":
                raise OSError("no room")

    guard = LlmInvocationGuard("wf", ledger=MemoryLedger(Full()))
    with pytest.raises(OSError, match="no room"):
        guard.precharge(asked())
    assert guard.running_total().reserved == NOTHING


def test_every_event_is_plain_json_without_floats() -> None:
    """Money is decimal text."""
    sink = Sink()
    guard = guarded(sink)
    with guard.hold(asked()) as token:
        token.redeem(asked())
    with guard.hold(asked()):
        pass
    for event in sink.events:
        assert isinstance(event, (BudgetEvent, LlmCallCost))
        assert all(isinstance(value, (str, int)) for value in event.to_dict().values())
    assert [event.name for event in sink.events][-1] == "budget.voided"


BYTES_A_TOKEN = Decimal("3.6")
"""UTF-8 bytes of JSON with code a token: the median of 44 replies of two small code models (their usage beside their
text; the thinnest was 2.8)."""

LARGEST_PROMPT_BYTES = 40 * 1024
"""What the remediation tier may put into one prompt (decision 0006)."""

LARGEST_DIFF_BYTES = 64 * 1024
ATTEMPTS = 3
DEAR = Price(provider="p", model="m", input=Decimal(3), output=Decimal(15), cache_write=Decimal(6))


def largest(**more: Any) -> Request:
    """Ask for the largest diff with the largest prompt."""
    reply = int(LARGEST_DIFF_BYTES / BYTES_A_TOKEN) + 1
    return request_of(b"x" * LARGEST_PROMPT_BYTES, provider="p", model="m", max_tokens=reply, price=DEAR, **more)


def test_the_caps_can_be_reached_by_what_they_are_for() -> None:
    """The largest prompt with the largest diff fits one call, and as many attempts as there are fit a workflow."""
    counted = counted_input(int(LARGEST_PROMPT_BYTES / BYTES_A_TOKEN) + 1)
    guard = guarded()
    for _ in range(ATTEMPTS):
        guard.precharge(largest(input_at_most=counted))
    assert guard.running_total().reserved.dollars < MAX_DOLLARS


def test_a_prompt_that_nobody_counted_needs_a_wider_cap() -> None:
    """A token a byte is a bound, and a dear one: what it costs to do without a counter is told before any call."""
    with pytest.raises(BudgetExceeded, match="raise per_call_max_tokens") as refused:
        guarded().precharge(largest())
    assert refused.value.axis == "per_call_tokens"
    guarded(per_call_max_tokens=64_000).precharge(largest())
