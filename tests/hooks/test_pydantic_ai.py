"""The boundary inside pydantic-ai, run against the real library with its own models."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import httpx2
import pytest
from anthropic import AsyncAnthropic
from examples.hooks import pydantic_ai as example
from openai import AsyncOpenAI
from pydantic import BaseModel, Field
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ModelRetry, NativeOutput
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import (
    ModelHTTPError,
    UnexpectedModelBehavior,
    UserError,
)
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.profiles import InlineDefsJsonSchemaTransformer, JsonSchemaTransformer
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import ToolApproved, ToolDefinition
from pydantic_ai.toolsets import ExternalToolset

from pratique import Admission, Contract, Limits, Misuse, NotClean, Producer, Status
from pratique.hooks.port import Port
from pratique.hooks.pydantic_ai import Boundary, as_compiled, delivery_of
from pratique.quarantine import Filter, MemoryQuarantine


class Advice(BaseModel):
    rank: Annotated[int, Field(ge=1)]
    action: Literal["park", "work-next"]
    why: str = "not said"


advice = Contract.items(Advice, at="items", name="advice")

GOOD = '{"rank": 1, "action": "park", "why": null}'
BAD = '{"rank": 2, "action": "SECRET WORD", "why": null}'
FORMS = ("schema", "tools")


def port_of(form: Any = "tools", store: MemoryQuarantine | None = None) -> Port[Advice]:
    """Return a port whose wire shape is not the contract's: what may be left out is null."""
    return Port(contract=advice, compiled=advice.compile("openai/chat", form=form), quarantine=store)


@dataclass
class Reply:
    """One made-up answer: text for native output, arguments for an output tool."""

    body: str | dict[str, Any]
    finish_reason: Any = "stop"
    own_reason: str | None = None
    state: Any = "complete"

    def response(self, tool: str | None) -> ModelResponse:
        """Make the response of a model."""
        part = TextPart(self.body) if tool is None and isinstance(self.body, str) else None
        details = None if self.own_reason is None else {"finish_reason": self.own_reason}
        return ModelResponse(
            parts=[part or ToolCallPart(tool or "", self.body)], finish_reason=self.finish_reason,
            provider_details=details, state=self.state, model_name="made-up",
        )  # fmt: skip


class Asked:
    """A model that answers in turn and remembers what it was asked with."""

    def __init__(self, port: Port[Any], *replies: Reply) -> None:
        self.requests: list[AgentInfo] = []
        self.seen: list[list[ModelMessage]] = []
        self._replies = iter(replies)
        profile: Any = {"json_schema_transformer": as_compiled(port), "supports_json_schema_output": True}
        self.model = FunctionModel(self._answer, profile=profile)

    def _answer(self, messages: list[ModelMessage], asked: AgentInfo) -> ModelResponse:
        self.requests.append(asked)
        self.seen.append(list(messages))
        return next(self._replies).response(asked.output_tools[0].name if asked.output_tools else None)


def agent_of(port: Port[Advice], model: Model, *more: AbstractCapability[Any], retries: int = 1) -> Agent[Any, Any]:
    boundary = Boundary(port)
    return Agent(model, output_type=boundary.output_type, capabilities=[*more, boundary], retries=retries)


def output_of(form: str, *replies: Reply, store: MemoryQuarantine | None = None) -> Admission[Advice]:
    """Run an agent once and return its output."""
    port = port_of(form, store)
    output = asyncio.run(agent_of(port, Asked(port, *replies).model).run("go")).output
    assert isinstance(output, Admission)
    return output


@pytest.mark.parametrize("form", FORMS)
class TestOutput:
    """The output of an agent, asked for natively or by a tool."""

    def test_one_bad_unit_costs_one_unit_and_no_retry(self, form: str) -> None:
        """The sound unit goes on, the other is in the admission; the lens leads a null back to what was left out."""
        admission = output_of(form, Reply(f'{{"items": [{GOOD}, {BAD}]}}'))
        assert admission.status is Status.PARTIAL
        assert admission.values == (Advice(rank=1, action="park"),)
        assert [unit.reason.value for unit in admission.quarantined] == ["schema"]

    def test_what_was_lost_is_in_the_quarantine_once(self, form: str) -> None:
        """With the run it came from."""
        store = MemoryQuarantine()
        output_of(form, Reply(f'{{"items": [{GOOD}, {BAD}]}}'), store=store)
        (record,) = store.list(Filter(reason="schema")).records
        assert record.run_id is not None
        assert store.show(record.id).delivery.model == "function:_answer:"

    def test_a_clean_reply_is_clean_and_nothing_is_kept(self, form: str) -> None:
        """The twin of the one before."""
        store = MemoryQuarantine()
        assert output_of(form, Reply(f'{{"items": [{GOOD}]}}'), store=store).status is Status.CLEAN
        assert store.count() == 0

    @pytest.mark.parametrize("body", [f'{{"items": [{GOOD}]}}', f'{{"items": [{GOOD}, {BAD[:20]}'])
    def test_a_cut_off_reply_is_told_as_such(self, form: str, body: str) -> None:
        """Also when it parses: by the finish reason."""
        admission = output_of(form, Reply(body, "length"))
        assert admission.truncated
        assert admission.status is Status.PARTIAL
        assert admission.values == (Advice(rank=1, action="park"),)

    def test_a_cut_that_nobody_told_is_seen(self, form: str) -> None:
        """By the text."""
        assert output_of(form, Reply(f'{{"items": [{GOOD}, {BAD[:20]}', None)).truncated

    def test_no_unit_is_an_answer(self, form: str) -> None:
        """Empty is not lost: the model is not asked again."""
        assert output_of(form, Reply('{"items": []}')).status is Status.EMPTY

    def test_nothing_usable_asks_again_with_findings_and_none_of_the_reply(self, form: str) -> None:
        """What a producer wrote does not go back into a prompt."""
        store = MemoryQuarantine()
        port = port_of(form, store)
        strange = '{"rank": 1, "action": "park", "why": null, "SECRET KEY": 1, "SECRETKEY": 1}'
        asked = Asked(port, Reply(f'{{"items": [{BAD}, {strange}]}}'), Reply(f'{{"items": [{GOOD}]}}'))
        assert asyncio.run(agent_of(port, asked.model).run("go")).output.status is Status.CLEAN
        told = str(asked.seen[1][-1])
        assert "validate.choice" in told
        assert "$.items[0].action" in told
        assert "validate.extra" in told
        assert "SECRET" not in told
        assert "SECRET" in str(asked.seen[1][:-1])  # the injected words were there to leak
        assert store.count() == 2

    def test_a_cut_reply_without_a_unit_is_not_asked_again(self, form: str) -> None:
        """The same limit would cut it again; the admission is the cause."""
        store = MemoryQuarantine()
        with pytest.raises(NotClean, match=r"delivery\.truncated") as raised:
            output_of(form, Reply('{"items": [{"rank": 1, "acti', "length"), store=store)
        assert raised.value.admission.truncated
        assert store.count() == 1

    def test_a_filtered_reply_is_not_asked_again(self, form: str) -> None:
        """It would be filtered again."""
        with pytest.raises(NotClean, match=r"delivery\.declined"):
            output_of(form, Reply(f'{{"items": [{GOOD}]}}', "content_filter"))

    @pytest.mark.parametrize("finish_reason", [None, "stop"])
    def test_an_end_that_nobody_knows_admits_nothing(self, form: str, finish_reason: str | None) -> None:
        """The twin: a word that pydantic-ai has mapped does not refuse because the provider spells it otherwise."""
        reply = Reply(f'{{"items": [{GOOD}]}}', finish_reason, own_reason="mostly_done")
        if finish_reason is None:
            with pytest.raises(NotClean, match=r"delivery\.finish_reason_unknown"):
                output_of(form, reply)
        else:
            assert output_of(form, reply).status is Status.CLEAN

    @pytest.mark.parametrize(
        "reply",
        [
            Reply(f'{{"items": [{GOOD}]}}', "stop", own_reason="pause_turn"),
            Reply(f'{{"items": [{GOOD}]}}', None, own_reason="MAX_TOKENS"),
            Reply(f'{{"items": [{GOOD}]}}', "stop", state="interrupted"),
        ],
    )
    def test_the_word_that_promises_less_counts(self, form: str, reply: Reply) -> None:
        """pydantic-ai maps some ends to a harmless word, some to none, and says others in the state alone."""
        assert output_of(form, reply).truncated

    def test_a_stream_is_never_judged_in_parts(self, form: str) -> None:
        """``run_stream`` tells no hook how the reply ended: nothing comes out of it, and nothing is kept."""
        store = MemoryQuarantine()
        port = port_of(form, store)
        body = f'{{"items": [{GOOD}, {GOOD}]}}'

        async def streamed(_: list[ModelMessage], asked: AgentInfo) -> Any:
            for start in range(0, len(body), 16):
                part = body[start : start + 16]
                name = asked.output_tools[0].name if asked.output_tools and not start else None
                yield {0: DeltaToolCall(name, part, tool_call_id="c1")} if asked.output_tools else part

        profile: Any = {"supports_json_schema_output": True}
        agent = agent_of(port, FunctionModel(stream_function=streamed, profile=profile))

        async def outputs() -> list[Any]:
            async with agent.run_stream("go") as run:
                return [output async for output in run.stream_output(debounce_by=None)]

        async def whole() -> Any:
            async with agent.run_stream("go") as run:
                return await run.get_output()

        async def events() -> Any:
            async with agent.run_stream_events("go") as stream:
                return [event async for event in stream][-1]

        for refused in (outputs, whole):
            with pytest.raises(UserError, match="run_stream_events"):
                asyncio.run(refused())
        assert store.count() == 0
        assert asyncio.run(events()).result.output.status is Status.CLEAN

    def test_what_was_compiled_is_what_is_sent(self, form: str) -> None:
        """Word for word, and strict where the compiled request is."""
        port = port_of(form)
        asked = Asked(port, Reply(f'{{"items": [{GOOD}]}}'))
        asyncio.run(agent_of(port, asked.model).run("go"))
        assert port.compiled is not None
        request = asked.requests[0]
        one = request.output_tools[0] if request.output_tools else request.model_request_parameters.output_object
        assert one is not None
        schema = one.parameters_json_schema if isinstance(one, ToolDefinition) else one.json_schema
        assert (one.name, schema, one.strict) == ("advice", port.compiled.schema, True)

    def test_a_capability_that_validates_twice_keeps_once(self, form: str) -> None:
        """A delivery that is judged again is not a second one."""

        class Twice(AbstractCapability[Any]):
            async def wrap_output_validate(self, ctx: Any, *, output_context: Any, output: Any, handler: Any) -> Any:
                assert ctx
                assert output_context
                await handler(output)
                return await handler(output)

            def get_ordering(self) -> Any:
                from pydantic_ai.capabilities import CapabilityOrdering

                return CapabilityOrdering(position="outermost")

        store = MemoryQuarantine()
        port = port_of(form, store)
        asked = Asked(port, Reply(f'{{"items": [{GOOD}, {BAD}]}}'))
        output = asyncio.run(agent_of(port, asked.model, Twice()).run("go")).output
        assert output.status is Status.PARTIAL
        assert store.count() == 1

    def test_the_boundary_reads_what_the_model_wrote_before_anybody_mends_it(self, form: str) -> None:
        """A repair of somebody else, listed first, comes too late to be taken for the model's words."""

        class Mends(AbstractCapability[Any]):
            async def before_output_validate(self, ctx: Any, *, output_context: Any, output: Any) -> Any:
                assert ctx
                assert output_context
                assert output
                return f'{{"items": [{GOOD}]}}'

        port = port_of(form)
        asked = Asked(port, Reply(f'{{"items": [{GOOD}, {BAD}]}}'))
        assert asyncio.run(agent_of(port, asked.model, Mends()).run("go")).output.status is Status.PARTIAL

    def test_an_agent_without_its_boundary_takes_nothing(self, form: str) -> None:
        """The output type alone lets no raw reply pass."""
        port = port_of(form)
        asked = Asked(port, *[Reply(f'{{"items": [{GOOD}]}}')] * 2)
        agent: Agent[Any, Any] = Agent(asked.model, output_type=Boundary(port).output_type)
        with pytest.raises(UnexpectedModelBehavior):
            asyncio.run(agent.run("go"))

    def test_runs_at_once_do_not_meet(self, form: str) -> None:
        """Each gets its own verdict, and each loss is kept once."""
        store = MemoryQuarantine()
        port = port_of(form, store)

        def answer(messages: list[ModelMessage], asked: AgentInfo) -> ModelResponse:
            number = int(str(messages[0].parts[-1].content))  # type: ignore[union-attr]  # the prompt
            units = [json.dumps({"rank": number, "action": "park", "why": None}), BAD][: 1 + number % 2]
            body = f'{{"items": [{", ".join(units)}]}}'
            return Reply(body).response(asked.output_tools[0].name if asked.output_tools else None)

        agent = agent_of(port, FunctionModel(answer, profile={"supports_json_schema_output": True}))

        async def together() -> tuple[Any, ...]:
            return tuple(await asyncio.gather(*(agent.run(str(number)) for number in range(1, 21))))

        for number, run in enumerate(asyncio.run(together()), 1):
            assert [value.rank for value in run.output.values] == [number]
            assert run.output.status is (Status.PARTIAL if number % 2 else Status.CLEAN)
        assert store.count() == 10


def test_an_output_validator_sees_the_admission_and_may_ask_again() -> None:
    """Whoever wants all or nothing says so in one line, with the port's own feedback."""
    port = port_of("tools")
    asked = Asked(port, Reply(f'{{"items": [{GOOD}, {BAD}]}}'), Reply(f'{{"items": [{GOOD}]}}'))
    agent = agent_of(port, asked.model)

    @agent.output_validator
    def all_of_it(admission: Admission[Advice]) -> Admission[Advice]:
        if admission.review_required:
            raise ModelRetry(port.told(admission))
        return admission

    assert asyncio.run(agent.run("go")).output.status is Status.CLEAN
    assert "SECRET" not in str(asked.seen[1][-1])


def test_the_only_refusal_is_the_last_one_when_retries_run_out() -> None:
    """Two bad replies are two deliveries, both kept; the run ends."""
    store = MemoryQuarantine()
    with pytest.raises(UnexpectedModelBehavior):
        output_of("tools", *[Reply(f'{{"items": [{BAD}]}}')] * 2, store=store)
    assert store.count() == 2


def test_another_output_type_is_refused_before_it_passes_unjudged() -> None:
    """A boundary that has a port for the output does not let an agent forget it."""
    port = port_of("schema")
    asked = Asked(port, Reply('{"rank": 1, "action": "park"}'))
    agent: Agent[Any, Any] = Agent(asked.model, output_type=NativeOutput(Advice), capabilities=[Boundary(port)])
    with pytest.raises(UserError, match=r"boundary\.output_type"):
        asyncio.run(agent.run("go"))


def test_what_the_sent_schema_does_not_hold_is_checked_all_the_same() -> None:
    """TestModel answers by the schema alone, which has no bounds for Anthropic: it writes rank 0."""
    port = Port(contract=advice, compiled=advice.compile("anthropic/tools"))
    with pytest.raises(UnexpectedModelBehavior):
        asyncio.run(agent_of(port, TestModel()).run("go"))
    sound = TestModel(custom_output_args={"items": [{"rank": 1, "action": "park"}]})
    assert asyncio.run(agent_of(port, sound).run("go")).output.status is Status.CLEAN


@pytest.mark.parametrize(
    "port",
    [
        Port(contract=advice),
        Port(contract=advice, compiled=advice.compile("prompt")),
    ],
)
def test_an_output_that_nobody_can_ask_for_is_the_callers_mistake(port: Port[Advice]) -> None:
    """Not compiled, or told in words."""
    with pytest.raises(Misuse, match="does not ask for one document"):
        Boundary(port)


def test_arguments_that_came_parsed_are_judged_as_written_again() -> None:
    """Some providers' clients parse before pydantic-ai sees anything."""
    assert output_of("tools", Reply({"items": [json.loads(GOOD)]})).status is Status.CLEAN
    assert output_of("tools", Reply({"items": [json.loads(GOOD), json.loads(BAD)]})).status is Status.PARTIAL


# ---------------------------------------------------------------------- function tools


class Pay(BaseModel):
    to: str
    cents: Annotated[int, Field(ge=1, le=500)]


class Park(BaseModel):
    kind: Literal["park"]
    page: str


class Move(BaseModel):
    kind: Literal["move"]
    page: str
    to: int = 1


pay = Contract.one(Pay, name="pay")
edits = Contract.batch(Annotated[Park | Move, Field(discriminator="kind")], at="commands", name="edits")
listed = Contract.items(Advice, at="items", name="file")


class Bench:
    """An agent with three tools and what they were called with."""

    def __init__(self, *calls: tuple[str, Any], finish_reason: Any = "tool_call", **ports: Port[Any]) -> None:
        self.ran: list[tuple[Any, ...]] = []
        self.seen: list[list[ModelMessage]] = []
        self.asked: list[AgentInfo] = []
        turns: Iterator[ModelResponse] = iter(
            [
                ModelResponse(
                    parts=[ToolCallPart(name, body, tool_call_id=f"c{n}") for n, (name, body) in enumerate(calls)],
                    finish_reason=finish_reason,
                ),
                ModelResponse(parts=[TextPart("done")], finish_reason="stop"),
            ]
        )

        def answer(messages: list[ModelMessage], asked: AgentInfo) -> ModelResponse:
            self.seen.append(list(messages))
            self.asked.append(asked)
            return next(turns)

        self.agent: Agent[Any, Any] = Agent(
            FunctionModel(answer), capabilities=[Boundary(tools=ports, unsafe_unjudged=["look"])]
        )

        @self.agent.tool_plain
        def pay(to: str, cents: int) -> str:
            self.ran.append(("pay", to, cents))
            return "paid"

        @self.agent.tool_plain
        def park(page: str) -> str:
            self.ran.append(("park", page))
            return "parked"

        @self.agent.tool_plain
        def move(page: str, to: int = 1) -> str:
            self.ran.append(("move", page, to))
            return "moved"

        @self.agent.tool_plain
        def file(items: list[Advice]) -> str:
            self.ran.append(("file", *(item.rank for item in items)))
            return "filed"

        @self.agent.tool_plain
        def look() -> str:
            self.ran.append(("look",))
            return "seen"

        _ = (pay, park, move, file, look)

    def run(self) -> list[tuple[Any, ...]]:
        """Run the agent; return what the tools ran with."""
        asyncio.run(self.agent.run("go"))
        return sorted(self.ran)


def test_a_tool_runs_with_what_was_admitted() -> None:
    """And another tool, named as unjudged, as ever."""
    bench = Bench(("pay", '{"to": "ann", "cents": 5}'), ("look", "{}"), pay=Port(contract=pay))
    assert bench.run() == [("look",), ("pay", "ann", 5)]


@pytest.mark.parametrize(
    "arguments",
    [
        '{"to": "ann", "cents": 5, "cents": 50}',
        '{"to": "ann", "cents": "5"}',
        '{"to": "ann", "cents": 501}',
        '{"to": "a',
    ],
)
def test_a_tool_does_not_run_with_what_was_refused(arguments: str) -> None:
    """pydantic-ai's own validation takes the last of two keys, and a number in quotes; here neither passes."""
    store = MemoryQuarantine()
    bench = Bench(("pay", arguments), pay=Port(contract=pay, quarantine=store))
    assert bench.run() == []
    assert "refused" in str(bench.seen[1][-1])
    (record,) = store.list().records
    assert record.run_id is not None
    assert record.run_id.endswith("/c0")


def test_two_equal_calls_are_two_losses() -> None:
    """They are told apart by the id of the call."""
    store = MemoryQuarantine()
    Bench(*[("pay", '{"to": "ann"}')] * 2, pay=Port(contract=pay, quarantine=store)).run()
    assert store.count() == 2


def test_a_tool_does_not_run_after_a_cut_although_its_arguments_parse() -> None:
    """A tool has no way to be told that it gets a part; asking again at the same limit would not help."""
    for ports in (
        {"pay": Port(contract=pay)},
        {"pay": Port(contract=pay, compiled=pay.compile("openai/chat", form="tools"))},
    ):
        bench = Bench(("pay", '{"to": "ann", "cents": 5}'), finish_reason="length", **ports)
        with pytest.raises(NotClean):
            bench.run()
        assert bench.ran == []


def test_a_batch_over_several_tools_is_all_or_nothing() -> None:
    """One unsound call, and none of its sisters runs; all sound, and all run."""
    port = Port(contract=edits, compiled=edits.compile("openai/chat", form="tools"))
    calls = [("park", '{"page": "a"}'), ("move", '{"page": "b", "to": null}')]
    assert Bench(*calls, park=port, move=port).run() == [("move", "b", 1), ("park", "a")]
    assert Bench(*calls, ("move", '{"page": "c", "to": "x"}'), park=port, move=port).run() == []
    bench = Bench(*calls, park=port, move=port)
    bench.run()
    sent = {tool.name: tool.parameters_json_schema for tool in bench.asked[0].function_tools}
    assert port.compiled is not None
    assert {name: sent[name] for name in ("park", "move")} == port.compiled.schema


def test_the_loss_of_a_batch_is_kept_once_a_call() -> None:
    """Each call is judged with its sisters, and names what it lost itself."""
    store = MemoryQuarantine()
    port = Port(contract=edits, quarantine=store)
    Bench(("park", '{"page": "a"}'), ("move", '{"page": 1}'), park=port, move=port).run()
    assert sorted(record.reason for record in store.list().records) == ["batch", "schema"]


def test_a_list_that_is_the_argument_comes_without_its_unsound_units_and_the_model_is_told() -> None:
    """The tool runs with what is sound; nothing of the reply is in what is told."""
    good, bad = '{"rank": 1, "action": "park"}', '{"rank": 2, "action": "SECRET WORD"}'
    bench = Bench(("file", f'{{"items": [{good}, {bad}]}}'), file=Port(contract=listed))
    assert bench.run() == [("file", 1)]
    told = str(bench.seen[1][-1])
    assert "filed" in told
    assert "validate.choice" in told
    assert "SECRET" not in told
    sound = Bench(("file", f'{{"items": [{good}]}}'), file=Port(contract=listed))
    assert sound.run() == [("file", 1)]
    assert "refused" not in str(sound.seen[1][-1])


def test_text_beside_tool_calls_is_not_the_output() -> None:
    """pydantic-ai would end the run with it and leave the tools out; here they run, and nothing is kept."""
    store = MemoryQuarantine()
    port = port_of("schema", store)
    ran: list[str] = []
    turns = iter(
        [
            ModelResponse(parts=[TextPart(f'{{"items": [{GOOD}]}}'), ToolCallPart("look", "{}")], finish_reason="stop"),
            ModelResponse(parts=[TextPart('{"items": []}')], finish_reason="stop"),
        ]
    )
    agent = agent_of(port, FunctionModel(lambda *_: next(turns), profile={"supports_json_schema_output": True}))

    @agent.tool_plain
    def look() -> str:
        ran.append("look")
        return "seen"

    _ = look
    assert asyncio.run(agent.run("go")).output.status is Status.EMPTY
    assert ran == ["look"]
    assert store.count() == 0


@pytest.mark.parametrize("finish_reason", ["stop", "length"])
def test_a_call_that_waited_for_a_person_is_judged_by_the_reply_it_came_in(finish_reason: Any) -> None:
    """Whatever was said since: approved, it runs only if it is sound and whole."""
    ran: list[int] = []
    turns = iter(
        [
            ModelResponse(
                parts=[ToolCallPart("pay", '{"to": "ann", "cents": 5}', tool_call_id="c1")], finish_reason=finish_reason
            ),
            ModelResponse(parts=[TextPart("done")], finish_reason="stop"),
        ]
    )
    agent: Agent[Any, Any] = Agent(
        FunctionModel(lambda *_: next(turns)),
        output_type=[str, DeferredToolRequests],
        capabilities=[Boundary(tools={"pay": Port(contract=pay)})],
    )

    @agent.tool_plain(requires_approval=True, name="pay")
    def pay_it(to: str, cents: int) -> str:
        assert to
        ran.append(cents)
        return "paid"

    _ = pay_it

    async def approved() -> None:
        first = await agent.run("go")
        yes = DeferredToolResults(approvals={"c1": True})
        await agent.run(message_history=first.all_messages(), deferred_tool_results=yes)

    if finish_reason == "stop":
        asyncio.run(approved())
        assert ran == [5]
    else:
        with pytest.raises(NotClean, match=r"delivery\.truncated"):
            asyncio.run(approved())
        assert ran == []


def test_a_tool_without_a_port_is_refused_once_any_has_one() -> None:
    """What was forgotten does not run unjudged."""
    with pytest.raises(UserError, match="no port judges the tool 'park'"):
        Bench(("park", '{"page": "a"}'), pay=Port(contract=pay)).run()
    assert Bench(("park", '{"page": "a"}')).run() == [("park", "a")]


def test_a_port_for_a_tool_that_its_contract_has_not_is_the_callers_mistake() -> None:
    """Every call would be refused."""
    with pytest.raises(Misuse, match="no tool called 'send'"):
        Boundary(tools={"send": Port(contract=pay)})
    with pytest.raises(Misuse, match="no port for the output"):
        _ = Boundary(tools={"pay": Port(contract=pay)}).output_type


# ---------------------------------------------------------------------- the transformer


class Shouts(JsonSchemaTransformer):
    """A transformer of a model's own, that leaves a mark."""

    def transform(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Mark every level."""
        self.is_strict_compatible = False
        return {**schema, "title": "SHOUTED"}


def test_the_models_own_transformer_has_every_other_schema() -> None:
    """What a contract was compiled to passes unchanged, whatever that transformer does."""
    port = port_of("tools")
    assert port.compiled is not None
    both = as_compiled(port, otherwise=Shouts)
    other = {"type": "object", "properties": {}}
    kept, changed = both(dict(port.compiled.schema)), both(other)
    assert kept.walk() == port.compiled.schema
    assert kept.is_strict_compatible
    assert changed.walk()["title"] == "SHOUTED"
    assert not changed.is_strict_compatible
    assert as_compiled(port)(other).walk() == other


def test_a_transformer_that_treats_outputs_apart_goes_on_doing_so() -> None:
    """Azure's does."""
    from pydantic_ai._json_schema import JsonSchemaTransformerWithOutputOverride

    class Apart(Shouts, JsonSchemaTransformerWithOutputOverride):
        output_object_transformer = InlineDefsJsonSchemaTransformer

    made = as_compiled(port_of(), otherwise=Apart)
    assert issubclass(made, JsonSchemaTransformerWithOutputOverride)
    other = {"type": "object", "properties": {}}
    assert made(other).walk()["title"] == "SHOUTED"
    assert "title" not in made.output_object_transformer(other).walk()


class Tree(BaseModel):
    name: str
    parts: list[Tree] = []
    sizes: dict[str, int] = {}


trees = Contract.items(Tree, at="items", name="trees")


@pytest.mark.parametrize(
    ("target", "form"),
    [
        ("openai/chat", "schema"),
        ("openai/chat", "tools"),
        ("anthropic/messages", "schema"),
        ("anthropic/tools", "tools"),
    ],
)
def test_a_provider_gets_the_very_schema(target: str, form: Any) -> None:
    """In the body that its own client sends, past its own transformer: recursion, maps, nulls and all."""
    port = Port(contract=trees, compiled=trees.compile(target, form=form))
    assert port.compiled is not None
    bodies: list[dict[str, Any]] = []

    def fails(request: httpx2.Request) -> httpx2.Response:
        bodies.append(json.loads(request.content))
        return httpx2.Response(500, json={})

    def profile(own: Any) -> Any:
        return {**own, "json_schema_transformer": as_compiled(port, otherwise=own["json_schema_transformer"])}

    async def ask() -> None:
        async with httpx2.AsyncClient(transport=httpx2.MockTransport(fails)) as http:
            model: Model
            if target.startswith("openai"):
                client = AsyncOpenAI(api_key="none is needed", http_client=http, max_retries=0)
                model = OpenAIChatModel("gpt-5", provider=OpenAIProvider(openai_client=client), profile=profile)
            else:
                own = AsyncAnthropic(api_key="none is needed", http_client=http, max_retries=0)
                model = AnthropicModel(
                    "claude-opus-5-5", provider=AnthropicProvider(anthropic_client=own), profile=profile
                )
            boundary = Boundary(port)
            await Agent(model, output_type=boundary.output_type, capabilities=[boundary]).run("go")

    with pytest.raises(ModelHTTPError):
        asyncio.run(ask())
    (body,) = bodies
    (name, asked), *more = port.compiled.request.items()
    assert more == []
    sent = body[name]
    if form == "tools":
        ((tool,), (wanted,)) = sent, asked
        for part in (tool, tool.get("function", {})):
            part.pop("description", None)  # pydantic-ai's own, where the contract has none
        assert tool == wanted
    else:
        assert sent == asked


# ---------------------------------------------------------------------- the rest


def test_a_delivery_tells_where_it_came_from() -> None:
    """Model, ids and usage go into the quarantine with it."""
    response = ModelResponse(
        parts=[TextPart("a"), ToolCallPart("pay", '{"to": 1}', tool_call_id="c1")],
        model_name="m", provider_response_id="r1", run_id="run", finish_reason="stop",
    )  # fmt: skip
    delivery = delivery_of(response)
    assert (delivery.text, delivery.model, delivery.finish_reason) == ("a", "m", "stop")
    assert delivery.tool_calls[0].arguments == '{"to": 1}'
    assert dict(delivery.ids) == {"response": "r1", "run": "run"}


def test_without_pydantic_ai_the_hook_says_what_to_install() -> None:
    """And the library itself imports no framework."""
    program = """
import sys
sys.modules["pydantic_ai"] = None
import pratique, pratique.hooks, pratique.hooks.port
assert not {"langgraph", "langchain_core"} & set(sys.modules)
try:
    import pratique.hooks.pydantic_ai
except pratique.Misuse as mistake:
    print(mistake.remedy)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "pip install 'pratique[pydantic-ai]'"


def test_the_example_prints_what_the_page_shows() -> None:
    """Partial result, truncated reply, quarantine."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        example.main()
    shown = printed.getvalue()
    assert "admitted: title='read the log' days=1\n   validate.duplicate_key" in shown
    assert "truncated: True" in shown
    assert "\n   duplicate_key $.tasks[*] " in shown
    page = Path(example.__file__).parents[2] / "docs" / "hooks" / "pydantic-ai.md"
    assert f"```console\n$ python -m examples.hooks.pydantic_ai\n{shown}```" in page.read_text(encoding="utf-8")


def test_limits_are_the_contracts_own() -> None:
    """More units than asked for: the rest is over the limit."""
    few = Contract.items(Advice, at="items", name="advice", limits=Limits(max_items=1))
    port = Port(contract=few, compiled=few.compile("openai/chat", form="tools"))
    asked = Asked(port, Reply(f'{{"items": [{GOOD}, {GOOD}]}}'))
    admission = asyncio.run(agent_of(port, asked.model).run("go")).output
    assert [unit.reason.value for unit in admission.quarantined] == ["over_limit"]


# ---------------------------------------------------------------------- calls that are not what the reply says


def replying(*turns: ModelResponse) -> FunctionModel:
    """Make a model that gives these responses, then says that it is done."""
    rest = iter([*turns, *[ModelResponse(parts=[TextPart("done")], finish_reason="stop")] * 3])
    return FunctionModel(lambda *_: next(rest))


def calls_of(*calls: tuple[str, Any, str], finish_reason: Any = "tool_call") -> ModelResponse:
    """Make a response of tool calls, each with its id."""
    return ModelResponse(
        parts=[ToolCallPart(name, body, tool_call_id=id) for name, body, id in calls], finish_reason=finish_reason
    )


@pytest.mark.parametrize(("cents", "ran"), [(7, [("ann", 7)]), (501, []), ("7", [])])
def test_what_a_person_made_of_a_call_is_what_is_judged_and_runs(cents: Any, ran: list[Any]) -> None:
    """Not what the model had written: the person took 400 cents back to 7."""
    paid: list[Any] = []
    store = MemoryQuarantine()
    agent: Agent[Any, Any] = Agent(
        replying(calls_of(("pay", '{"to": "ann", "cents": 400}', "c1"))),
        output_type=[str, DeferredToolRequests],
        capabilities=[Boundary(tools={"pay": Port(contract=pay, quarantine=store)})],
    )

    @agent.tool_plain(requires_approval=True, name="pay")
    def pay_it(to: str, cents: int) -> str:
        paid.append((to, cents))
        return "paid"

    _ = pay_it

    async def approved() -> None:
        first = await agent.run("go")
        less = DeferredToolResults(approvals={"c1": ToolApproved(override_args={"to": "ann", "cents": cents})})
        await agent.run(message_history=first.all_messages(), deferred_tool_results=less)

    asyncio.run(approved())
    assert paid == ran
    assert [record.producer for record in store.list().records] == [Producer.PERSON] * (not ran)


def test_two_calls_with_one_id_do_not_run() -> None:
    """pydantic-ai refuses such a reply; the boundary, which finds a call by its id, may count on that."""
    bench = Bench(("pay", '{"to": "ann", "cents": 5}'), pay=Port(contract=pay))
    calls = [("pay", '{"to": "ann", "cents": 5}', "c1"), ("pay", '{"to": "ann", "cents": 501}', "c1")]
    with pytest.raises(UnexpectedModelBehavior, match="unique"):
        asyncio.run(bench.agent.run("go", model=replying(calls_of(*calls))))
    assert bench.ran == []


def test_an_id_of_any_length_is_no_reason_to_fail() -> None:
    """It is the producer's; two long ones stay two."""
    store = MemoryQuarantine()
    calls = [("pay", '{"to": "ann"}', "x" * 5_000 + end) for end in "ab"]
    agent: Agent[Any, Any] = Agent(
        replying(calls_of(*calls)), capabilities=[Boundary(tools={"pay": Port(contract=pay, quarantine=store)})]
    )

    @agent.tool_plain(name="pay")
    def pay_it(to: str, cents: int) -> str:
        return f"{to}{cents}"

    _ = pay_it
    assert asyncio.run(agent.run("go")).output == "done"
    assert store.count() == 2


def test_what_waited_for_a_person_is_kept_once() -> None:
    """It is judged in both runs: when it came, and when it was approved."""
    store = MemoryQuarantine()
    bad = '{"rank": 2, "action": "x"}'
    agent: Agent[Any, Any] = Agent(
        replying(calls_of(("file", f'{{"items": [{{"rank": 1, "action": "park"}}, {bad}]}}', "c1"))),
        output_type=[str, DeferredToolRequests],
        capabilities=[Boundary(tools={"file": Port(contract=listed, quarantine=store)})],
    )
    ran: list[int] = []

    @agent.tool_plain(requires_approval=True, name="file")
    def file_it(items: list[Advice]) -> str:
        ran.extend(item.rank for item in items)
        return "filed"

    _ = file_it

    async def approved() -> None:
        first = await agent.run("go")
        yes = DeferredToolResults(approvals={"c1": True})
        await agent.run(message_history=first.all_messages(), deferred_tool_results=yes)

    asyncio.run(approved())
    assert (ran, store.count()) == ([1], 1)


def test_the_same_slip_in_two_replies_is_two_losses() -> None:
    """Also where a provider counts its calls anew in each."""
    store = MemoryQuarantine()
    call = calls_of(("pay", '{"to": "ann"}', "call_0"))
    agent: Agent[Any, Any] = Agent(
        replying(call, calls_of(("pay", '{"to": "ann"}', "call_0"))),
        capabilities=[Boundary(tools={"pay": Port(contract=pay, quarantine=store)})],
        retries=5,
    )

    @agent.tool_plain(name="pay")
    def pay_it(to: str, cents: int) -> str:
        return f"{to}{cents}"

    _ = pay_it
    asyncio.run(agent.run("go"))
    assert store.count() == 2


@pytest.mark.parametrize("action", ["other", "PARK"])
def test_a_tool_that_runs_elsewhere_gets_nothing_that_lost_anything(action: str) -> None:
    """pydantic-ai hands an external tool what the model wrote, not what was admitted: no unit less, no edit."""
    external = ExternalToolset([ToolDefinition(name="file", parameters_json_schema={"type": "object"})])

    def handed(action: str) -> Any:
        text = f'{{"items": [{{"rank": 1, "action": "park"}}, {{"rank": 2, "action": "{action}"}}]}}'
        agent: Agent[Any, Any] = Agent(
            replying(calls_of(("file", text, "c1"))),
            output_type=[str, DeferredToolRequests],
            toolsets=[external],
            capabilities=[Boundary(tools={"file": Port(contract=listed)})],
        )
        return asyncio.run(agent.run("go")).output

    with pytest.raises(UnexpectedModelBehavior):
        handed(action)
    assert isinstance(handed("work-next"), DeferredToolRequests)


def test_every_call_of_the_output_tool_is_judged() -> None:
    """pydantic-ai takes the first and passes over the rest: here nothing is lost without a word."""
    store = MemoryQuarantine()
    port = port_of("tools", store)
    reply = calls_of(("advice", f'{{"items": [{GOOD}]}}', "c1"), ("advice", f'{{"items": [{BAD}]}}', "c2"))
    boundary = Boundary(port)
    agent: Agent[Any, Any] = Agent(replying(reply), output_type=boundary.output_type, capabilities=[boundary])
    admission = asyncio.run(agent.run("go")).output
    assert admission.status is Status.PARTIAL
    assert admission.values == (Advice(rank=1, action="park"),)
    assert [unit.reason.value for unit in admission.quarantined] == ["schema"]
    assert store.count() == 1
