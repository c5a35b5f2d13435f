"""The boundary inside LangGraph, run against its own graph, tool node and checkpointer."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from examples.hooks import langgraph as example
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.messages.utils import message_chunk_to_message
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from pratique import Contract, Delivery, Misuse, Producer, Status
from pratique.hooks.langgraph import Proposal, ToolPorts, delivery_of, proposal_of, reread
from pratique.hooks.port import NOTHING_THERE, Port
from pratique.quarantine import MemoryQuarantine


class Pay(BaseModel):
    to: str
    cents: Annotated[int, Field(ge=1, le=5000)]


class Park(BaseModel):
    kind: Literal["park"]
    page: str


class Move(BaseModel):
    kind: Literal["move"]
    page: str
    to: int = 1


class Advice(BaseModel):
    rank: Annotated[int, Field(ge=1)]
    action: Literal["park", "work-next"]


pay_contract = Contract.one(Pay, name="pay")
edits = Contract.batch(Annotated[Park | Move, Field(discriminator="kind")], at="commands", name="edits")
listed = Contract.items(Advice, at="items", name="file")

GOOD = '{"rank": 1, "action": "park"}'
BAD = '{"rank": 2, "action": "SECRET WORD"}'


class Tools:
    """Four tools, and what they ran with."""

    def __init__(self) -> None:
        self.ran: list[tuple[Any, ...]] = []
        ran = self.ran

        @tool
        def pay(to: str, cents: int) -> str:
            """Pay."""
            ran.append(("pay", to, cents))
            return "paid"

        @tool
        def park(page: str) -> str:
            """Park."""
            ran.append(("park", page))
            return "parked"

        @tool
        def move(page: str, to: int) -> str:
            """Move."""
            ran.append(("move", page, to))
            return "moved"

        @tool
        def file(items: list[dict[str, Any]]) -> str:
            """File."""
            ran.append(("file", *(item["rank"] for item in items)))
            return "filed"

        self.all = [pay, park, move, file]


def called(*calls: tuple[str, str], finish_reason: str | None = "tool_calls", **metadata: Any) -> AIMessage:
    """Make the message of a chat model that keeps the arguments as they were sent."""
    sent = [
        {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": text}}
        for number, (name, text) in enumerate(calls)
    ]
    told = {} if finish_reason is None else {"finish_reason": finish_reason}
    return AIMessage("", id="m1", additional_kwargs={"tool_calls": sent}, response_metadata={**told, **metadata})


def run(
    message: Any, *, store: MemoryQuarantine | None = None, way: str = "sync", **ports: Port[Any]
) -> tuple[list[tuple[Any, ...]], list[ToolMessage]]:
    """Run a graph of one tool node; return what the tools ran with, and their answers in the order of the calls."""
    tools = Tools()
    judged = ToolPorts(ports=ports or {"pay": Port(contract=pay_contract, quarantine=store)})
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode(tools.all, wrap_tool_call=judged.wrap, awrap_tool_call=judged.awrap))
    graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    app = graph.compile(checkpointer=InMemorySaver())
    thread: RunnableConfig = {"configurable": {"thread_id": "t"}}
    state: MessagesState = {"messages": [message]}
    final = app.invoke(state, thread) if way == "sync" else asyncio.run(app.ainvoke(state, thread))
    answers = [answer for answer in final["messages"] if isinstance(answer, ToolMessage)]
    return sorted(tools.ran), sorted(answers, key=lambda answer: answer.tool_call_id)


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_tool_runs_with_what_was_admitted(way: str) -> None:
    """And answers as ever."""
    ran, (answer,) = run(called(("pay", '{"to": "ann", "cents": 5}')), way=way)
    assert ran == [("pay", "ann", 5)]
    assert (answer.status, answer.content) == ("success", "paid")


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ('{"to": "SECRET", "cents": 5, "cents": 50}', "validate.duplicate_key"),
        ('{"to": "SECRET", "cents": "5"}', "validate.type"),
        ('{"to": "SECRET", "cents": 5001}', "validate.bound"),
        ('{"to": "ann", "cents": 5, "SECRET": 1}', "validate.extra"),
    ],
)
def test_a_tool_does_not_run_with_what_was_refused(way: str, arguments: str, code: str) -> None:
    """The model is told why in typed findings, and none of its words come back to it."""
    store = MemoryQuarantine()
    ran, (answer,) = run(called(("pay", arguments)), store=store, way=way)
    assert ran == []
    assert answer.status == "error"
    assert [finding["code"] for finding in json.loads(str(answer.content))["refused"]] == [code]
    assert "SECRET" not in str(answer)
    (record,) = store.list().records
    assert (record.run_id, "SECRET" in record.snippet) == ("t/c0", True)


def test_a_key_that_came_twice_passes_without_the_boundary() -> None:
    """Why the raw text is read: LangChain keeps the last one."""
    assert called(("pay", '{"to": "ann", "cents": 5, "cents": 50}')).tool_calls[0]["args"]["cents"] == 50


@pytest.mark.parametrize(
    "metadata",
    [
        {"end": "length"},
        {"stop_reason": "max_tokens"},
        {"stopReason": "max_tokens"},
        {"done_reason": "length"},
        {"status": "incomplete"},
        {"end": "MAX_TOKENS", "status": "completed"},
    ],
)
def test_a_cut_off_reply_is_told_as_such(metadata: dict[str, str]) -> None:
    """Whatever the provider calls it, and although the arguments parse."""
    metadata = dict(metadata)
    message = called(("pay", '{"to": "ann", "cents": 5}'), finish_reason=metadata.pop("end", None), **metadata)
    assert delivery_of(message).finish_reason is not None
    ran, (answer,) = run(message)
    assert ran == []
    assert json.loads(str(answer.content))["truncated"] is True


def test_an_end_that_nobody_knows_refuses_and_one_that_nobody_told_does_not() -> None:
    """Told, but unknown, may mean anything."""
    arguments = '{"to": "ann", "cents": 5}'
    assert run(called(("pay", arguments), finish_reason="mostly_done"))[0] == []
    assert run(called(("pay", arguments), finish_reason=None))[0] == [("pay", "ann", 5)]


CLOSED = AIMessageChunk(
    content="",
    tool_call_chunks=[
        {"name": "pay", "args": '{"to": "ann", "cents": 12', "id": "c0", "index": 0, "type": "tool_call_chunk"}
    ],
)
"""A stream that ended in the middle of 1200 cents."""


def test_what_langchain_closed_is_seen_where_the_text_is_left() -> None:
    """Chunks are read with their tails closed: 12 cents would have been paid."""
    assert CLOSED.tool_calls[0]["args"] == {"to": "ann", "cents": 12}
    assert delivery_of(CLOSED).tool_calls[0].arguments == '{"to": "ann", "cents": 12'
    assert Port(contract=pay_contract).admit(delivery_of(CLOSED)).values == ()


def test_what_langchain_closed_does_not_run_where_the_text_is_gone() -> None:
    """A graph keeps no chunks: values whose end nobody told may be the head of what was meant, and are no more."""
    ran, (answer,) = run(CLOSED)
    assert ran == []
    assert json.loads(str(answer.content))["truncated"] is True
    told = CLOSED.model_copy(update={"response_metadata": {"finish_reason": "length"}})
    assert run(message_chunk_to_message(told))[0] == []
    ended = CLOSED.model_copy(update={"response_metadata": {"finish_reason": "tool_calls"}})
    assert run(message_chunk_to_message(ended))[0] == [("pay", "ann", 12)]


def test_a_call_that_somebody_changed_is_judged_as_it_is_now() -> None:
    """The text of what was sent stays in the message, and is not what runs."""
    message = called(("pay", '{"to": "ann", "cents": 5}'))
    message.tool_calls[0]["args"]["cents"] = 7
    assert run(message)[0] == [("pay", "ann", 7)]
    message.tool_calls[0]["args"]["cents"] = 70_000
    assert run(message)[0] == []


def test_a_batch_is_all_or_nothing() -> None:
    """One unsound call, and none of its sisters runs; all sound, and all run."""
    port = Port(contract=edits, compiled=edits.compile("openai/chat", form="tools"))
    calls = [("park", '{"page": "a"}'), ("move", '{"page": "b", "to": null}')]
    assert run(called(*calls), park=port, move=port)[0] == [("move", "b", 1), ("park", "a")]
    ran, answers = run(called(*calls, ("move", '{"page": "c", "to": "x"}')), park=port, move=port)
    assert ran == []
    assert [answer.status for answer in answers] == ["error"] * 3


def test_a_batch_does_not_run_beside_a_call_that_langchain_could_not_read() -> None:
    """The tool node never sees that call; its sisters are told."""
    port = Port(contract=edits)
    message = called(("park", '{"page": "a"}'), ("move", '{"page": "b", "to": '))
    assert [call["name"] for call in message.invalid_tool_calls] == ["move"]
    assert run(message, park=port, move=port)[0] == []


def test_the_loss_of_a_batch_is_kept_once() -> None:
    """Each call is judged with its sisters; a node that runs again keeps nothing twice."""
    store = MemoryQuarantine()
    port = Port(contract=edits, quarantine=store)
    message = called(("park", '{"page": "a"}'), ("move", '{"page": 1}'))
    for _ in range(2):
        run(message, park=port, move=port)
    assert sorted(record.reason for record in store.list().records) == ["batch", "schema"]


def test_a_list_that_is_the_argument_comes_without_its_unsound_units_and_the_model_is_told() -> None:
    """The tool runs with what is sound; nothing of the reply is in what is told."""
    ran, (answer,) = run(called(("file", f'{{"items": [{GOOD}, {BAD}]}}')), file=Port(contract=listed))
    assert ran == [("file", 1)]
    assert answer.status == "success"
    assert "filed" in str(answer.content)
    assert "validate.choice" in str(answer.content)
    assert "SECRET" not in str(answer)
    assert run(called(("file", f'{{"items": [{GOOD}]}}')), file=Port(contract=listed))[1][0].content == "filed"


def test_a_list_without_a_sound_unit_does_not_run_its_tool() -> None:
    """An empty one does: nothing was lost."""
    assert run(called(("file", f'{{"items": [{BAD}]}}')), file=Port(contract=listed))[0] == []
    assert run(called(("file", '{"items": []}')), file=Port(contract=listed))[0] == [("file",)]


def test_a_tool_without_a_port_does_not_run() -> None:
    """Unless it was named as one that runs unjudged; a tool that there is not is the tool node's to refuse."""
    message = called(("park", '{"page": "a"}'))
    with pytest.raises(Misuse, match="no port judges the tool 'park'"):
        run(message)
    assert run(called(("fly", "{}")))[1][0].status == "error"
    judged = ToolPorts(ports={}, unsafe_unjudged=["park"])
    tools = Tools()
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode(tools.all, wrap_tool_call=judged.wrap))
    graph.add_edge(START, "tools")
    graph.compile().invoke({"messages": [message]})
    assert tools.ran == [("park", "a")]


def test_a_port_for_a_tool_that_its_contract_has_not_is_the_callers_mistake() -> None:
    """Every call would be refused; so would be each call of a contract that is a bare list."""
    with pytest.raises(Misuse, match="no tool called 'send'"):
        ToolPorts(ports={"send": Port(contract=pay_contract)})
    with pytest.raises(Misuse, match="wants a bare list"):
        ToolPorts(ports={"file": Port(contract=Contract.items(Advice, name="file"))})


def test_a_call_without_its_message_does_not_run() -> None:
    """Nothing would tell how the reply ended."""
    tools = Tools()
    judged = ToolPorts(ports={"pay": Port(contract=pay_contract)}, messages_key="letters")
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode(tools.all, wrap_tool_call=judged.wrap))
    graph.add_edge(START, "tools")
    with pytest.raises(Misuse, match="no one message of the state has this tool call"):
        graph.compile().invoke({"messages": [called(("pay", '{"to": "ann", "cents": 5}'))]})
    assert tools.ran == []


def test_calls_at_once_do_not_meet() -> None:
    """Twenty calls of one reply, on many threads or one loop: each sound one runs, each unsound one is kept once."""
    calls = [
        ("pay", json.dumps({"to": "ann", "cents": number if number % 2 else str(number)})) for number in range(1, 21)
    ]
    for way in ("sync", "async"):
        store = MemoryQuarantine()
        ran, answers = run(called(*calls), store=store, way=way)
        assert ran == [("pay", "ann", number) for number in range(1, 21, 2)]
        assert sum(answer.status == "error" for answer in answers) == 10
        assert store.count() == 10


# ---------------------------------------------------------------------- proposals


class Desk(TypedDict, total=False):
    proposal: Any
    done: str
    seen: Any


THREAD: RunnableConfig = {"configurable": {"thread_id": "desk"}}


class Office:
    """A graph that keeps a proposal, waits for a person, and files what is read then."""

    def __init__(self, port: Port[Advice], reply: AIMessage | Delivery) -> None:
        self.read: list[Any] = []

        def propose(state: Desk) -> Desk:
            assert not state.get("proposal")
            return {"proposal": proposal_of(reply)}

        def decide(state: Desk) -> Desk:
            admission = reread(state["proposal"], port)
            self.read.append(admission)
            if interrupt([value.rank for value in admission.values]) != "yes":
                return {"done": "nothing"}
            return {"done": ",".join(str(value.rank) for value in admission.values)}

        graph = StateGraph(Desk)
        graph.add_node("propose", propose)
        graph.add_node("decide", decide)
        graph.add_edge(START, "propose")
        graph.add_edge("propose", "decide")
        graph.add_edge("decide", END)
        self.app = graph.compile(checkpointer=InMemorySaver())
        self.waiting = self.app.invoke({"done": ""}, THREAD)["__interrupt__"][0].value

    @property
    def proposal(self) -> dict[str, Any]:
        """What is in the state."""
        kept = self.app.get_state(THREAD).values["proposal"]
        assert isinstance(kept, dict)
        return kept

    def change(self, **changes: Any) -> None:
        """Change the proposal where it lies."""
        self.app.update_state(THREAD, {"proposal": {**self.proposal, **changes}}, as_node="propose")

    def resume(self) -> str:
        """Say yes."""
        return str(self.app.invoke(Command(resume="yes"), THREAD)["done"])


def reply_of(*units: str, **more: Any) -> AIMessage:
    return AIMessage(f'{{"items": [{", ".join(units)}]}}', id="m1", **more)


def test_a_proposal_is_read_again_each_time_it_is_taken_up() -> None:
    """The state has the raw reply, and the boundary stands before each use of it."""
    store = MemoryQuarantine()
    office = Office(Port(contract=listed, quarantine=store), reply_of(GOOD, BAD))
    assert office.waiting == [1]
    assert office.proposal["text"] == f'{{"items": [{GOOD}, {BAD}]}}'
    assert office.resume() == "1"
    assert [admission.status for admission in office.read] == [Status.PARTIAL] * 2
    assert store.count() == 1


def test_what_the_rules_are_today_counts() -> None:
    """An allow-list that changed while the graph waited is the one that is asked."""
    from pratique import Reference

    class Named(BaseModel):
        rank: int
        who: Annotated[str, Reference("person")]

    people = {"person": ["ann"]}
    office = Office(
        Port(contract=Contract.items(Named, at="items", name="named"), references=lambda: people),  # type: ignore[arg-type]  # another unit
        reply_of('{"rank": 1, "who": "ann"}'),
    )
    assert office.waiting == [1]
    people["person"] = ["bo"]
    assert office.resume() == ""


def test_a_person_may_change_a_proposal_and_it_is_a_persons_then() -> None:
    """The gate is the same for all."""
    office = Office(Port(contract=listed), reply_of(GOOD, BAD))
    office.change(text=f'{{"items": [{GOOD}, {BAD.replace("SECRET WORD", "park")}]}}')
    assert office.resume() == "1,2"
    assert [admission.delivery.producer for admission in office.read] == [Producer.MODEL, Producer.PERSON]


@pytest.mark.parametrize(
    "text",
    [
        '{"items": [{"rank": 0, "action": "park"}]}',
        '{"items": [{"rank": 1, "action": "rm -rf"}]}',
        "yes, file them",
        "",
    ],
)
def test_a_state_that_was_tampered_with_gets_no_further_than_a_reply(text: str) -> None:
    """It is judged as anything else is, with its digest written anew or not."""
    office = Office(Port(contract=listed), reply_of(GOOD))
    forged = proposal_of(Delivery(text=text))
    office.change(text=text, digest=forged["digest"])
    assert office.resume() == ""


def test_a_cut_off_proposal_stays_one() -> None:
    """Also after a person closed it: how the reply ended is in the state, beside the text."""
    office = Office(Port(contract=listed), reply_of(GOOD, response_metadata={"finish_reason": "length"}))
    office.change(text=f'{{"items": [{GOOD}]}}')
    office.resume()
    assert all(admission.truncated for admission in office.read)


@pytest.mark.parametrize(
    "changes",
    [
        {"text": 1},
        {"text": None},
        {"tool_calls": [{"name": "file"}]},
        {"tool_calls": [{"name": "file", "arguments": "{}", "id": None, "admitted": True}]},
        {"finish_reason": 0},
        {"producer": "god"},
        {"values": [{"rank": 1}]},
        {"usage": {"tokens": "many"}},
    ],
)
def test_a_state_that_holds_no_proposal_is_refused(changes: dict[str, Any]) -> None:
    """Nothing else is taken for one, and nothing of it is in the message."""
    office = Office(Port(contract=listed), reply_of(GOOD))
    office.change(**changes)
    with pytest.raises(Misuse, match="the state holds no proposal"):
        office.resume()


@pytest.mark.parametrize("state", [None, "text", [], {}, {"text": GOOD}])
def test_nothing_else_is_taken_for_a_proposal(state: Any) -> None:
    """Whatever a disk gives back."""
    with pytest.raises(Misuse, match="the state holds no proposal"):
        reread(state, Port(contract=listed))


def test_what_was_admitted_cannot_be_kept_in_a_state() -> None:
    """What came back from a disk would not have been judged."""

    def admitted(state: Desk) -> Desk:
        assert state["done"] == "go"
        return {"seen": listed.admit(f'{{"items": [{GOOD}]}}')}

    graph = StateGraph(Desk)
    graph.add_node("admitted", admitted)
    graph.add_edge(START, "admitted")
    with pytest.raises(TypeError, match="not msgpack serializable"):
        graph.compile(checkpointer=InMemorySaver()).invoke({"done": "go"}, THREAD)


def test_a_proposal_of_tool_calls_keeps_them_as_they_were_written() -> None:
    """Also one that LangChain could not read."""
    message = called(("file", f'{{"items": [{GOOD}, {GOOD[:-1]}, "rank": 3}}]}}'), ("file", '{"items": ['))
    proposal: Proposal = json.loads(json.dumps(proposal_of(message)))
    assert [call["arguments"] for call in proposal["tool_calls"]] == [
        f'{{"items": [{GOOD}, {GOOD[:-1]}, "rank": 3}}]}}',
        '{"items": [',
    ]
    admission = reread(proposal, Port(contract=listed))
    assert [value.rank for value in admission.values] == [1]
    assert [unit.reason.value for unit in admission.quarantined] == ["duplicate_key"]


def test_outside_of_a_graph_each_reading_is_a_delivery_of_its_own() -> None:
    """There is no thread to tell one from another."""
    store = MemoryQuarantine()
    for _ in range(2):
        reread(proposal_of(reply_of(BAD)), Port(contract=listed, quarantine=store))
    assert store.count() == 2


def test_a_delivery_tells_where_it_came_from() -> None:
    """Model, id and usage go into the quarantine with it; text in blocks is text."""
    message = AIMessage(
        [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        id="m1",
        response_metadata={"model_name": "m", "stop_reason": "end_turn"},
        usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
    )
    delivery = delivery_of(message)
    assert (delivery.text, delivery.model, delivery.finish_reason) == ("ab", "m", "end_turn")
    assert dict(delivery.usage) == {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
    assert delivery_of(AIMessage("")).finish_reason is None


def test_a_message_that_is_no_models_has_no_calls() -> None:
    """The tool node looks for the last message of a model; so does the boundary."""
    message = called(("pay", '{"to": "ann", "cents": 5}'))
    tools = Tools()
    judged = ToolPorts(ports={"pay": Port(contract=pay_contract)})
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode(tools.all, wrap_tool_call=judged.wrap))
    graph.add_edge(START, "tools")
    graph.compile().invoke({"messages": [message, HumanMessage("well?")]})
    assert tools.ran == [("pay", "ann", 5)]


# ---------------------------------------------------------------------- the rest


def test_without_langgraph_the_hook_says_what_to_install() -> None:
    """And nothing else of the library misses it."""
    program = """
import sys
sys.modules["langgraph"] = None
import pratique, pratique.hooks, pratique.hooks.port
try:
    import pratique.hooks.langgraph
except pratique.Misuse as mistake:
    print(mistake.remedy)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "pip install 'pratique[langgraph]'"


def test_the_example_prints_what_the_page_shows() -> None:
    """Partial result, truncated reply, a proposal in the state, quarantine."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        example.main()
    shown = printed.getvalue()
    assert "success · filed 1: read the log" in shown
    assert '"truncated": true' in shown
    assert "read as a person's: clean" in shown
    assert "\n   duplicate_key $.tasks[*] " in shown
    page = Path(example.__file__).parents[2] / "docs" / "hooks" / "langgraph.md"
    assert f"```console\n$ python -m examples.hooks.langgraph\n{shown}```" in page.read_text(encoding="utf-8")


# ---------------------------------------------------------------------- calls that are not what the message says


def through(state: Any, ports: dict[str, Port[Any]], wrap: Any = None) -> list[tuple[Any, ...]]:
    """Run a tool node on a state; ``wrap`` stands around the boundary. Return what the tools ran with."""
    tools = Tools()
    judged = ToolPorts(ports=ports)
    outer = None if wrap is None else lambda request, execute: wrap(request, lambda it: judged.wrap(it, execute))
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode(tools.all, wrap_tool_call=outer or judged.wrap))
    graph.add_edge(START, "tools")
    app = graph.compile(checkpointer=InMemorySaver())
    thread: RunnableConfig = {"configurable": {"thread_id": "t"}}
    app.invoke({"messages": state}, thread)
    return sorted(tools.ran)


@pytest.mark.parametrize(("cents", "ran"), [(7, [("pay", "ann", 7)]), (5001, []), ("7", [])])
def test_what_other_middleware_made_of_a_call_is_what_is_judged_and_runs(cents: Any, ran: list[Any]) -> None:
    """Not what stands in the message: somebody took 400 cents back to 7 before it ran."""
    store = MemoryQuarantine()

    def less(request: Any, execute: Any) -> Any:
        return execute(request.override(tool_call={**request.tool_call, "args": {"to": "ann", "cents": cents}}))

    port = Port(contract=pay_contract, quarantine=store)
    assert through([called(("pay", '{"to": "ann", "cents": 400}'))], {"pay": port}, less) == ran
    assert store.count() == (0 if ran else 1)


def test_two_calls_with_one_id_are_not_taken_for_an_older_one() -> None:
    """A provider that counts its calls anew, or a model that writes its own ids."""

    def copied(request: Any, execute: Any) -> Any:
        return execute(request.override(tool_call=dict(request.tool_call)))

    def message(id: str, *cents: int) -> AIMessage:
        calls = [{"name": "pay", "args": {"to": "ann", "cents": paid}, "id": "c0"} for paid in cents]
        return AIMessage("", id=id, tool_calls=calls, response_metadata={"finish_reason": "stop"})

    old = message("m0", 1)
    said = ToolMessage("paid", tool_call_id="c0")
    state = [old, said, message("m1", 5, 5001)]
    for wrap in (None, copied):
        assert through(state, {"pay": Port(contract=pay_contract)}, wrap) == [("pay", "ann", 5)]


def test_the_same_slip_in_two_messages_is_two_losses() -> None:
    """Also where a provider counts its calls anew in each; and a message that is judged again is none."""
    store = MemoryQuarantine()
    port = Port(contract=pay_contract, quarantine=store)
    first = called(("pay", '{"to": "ann"}'))
    second = first.model_copy(update={"id": "m2"})
    for state in ([first], [first], [first, ToolMessage("no", tool_call_id="c0"), second]):
        through(state, {"pay": port})
    assert store.count() == 2


@pytest.mark.parametrize(
    "message",
    [
        AIMessage(f'{{"items": [{GOOD}]}}', additional_kwargs={"refusal": "I will not."}),
        AIMessage([{"type": "text", "text": f'{{"items": [{GOOD}]}}'}, {"type": "refusal", "refusal": "No."}]),
    ],
)
def test_a_refusal_is_told_as_such(message: AIMessage) -> None:
    """OpenAI calls the reply complete; Chat Completions and Responses put the refusal elsewhere."""
    message.response_metadata = {"finish_reason": "stop", "status": "completed"}
    admission = Port(contract=listed).admit(delivery_of(message))
    assert (admission.status, admission.values) == (Status.REFUSED, ())


@pytest.mark.parametrize(
    ("metadata", "stop"),
    [
        ({"finish_reason": "stop", "stop_reason": "brand_new"}, "unknown"),
        ({"finish_reason": "length", "status": "brand_new"}, "unknown"),
        ({"finish_reason": "length", "stop_reason": "content_filter"}, "declined"),
        ({"finish_reason": "stop", "stop_reason": None}, "complete"),
        ({"finish_reason": {"code": 3}}, "unknown"),
    ],
)
def test_of_several_words_for_the_end_the_one_that_promises_least_counts(metadata: Any, stop: str) -> None:
    """All are the provider's own here: one that nobody knows may mean anything."""
    assert delivery_of(AIMessage("", response_metadata=metadata)).stop == stop


def test_nothing_in_a_message_raises() -> None:
    """What a provider's client left in it, nobody has looked at."""
    store = MemoryQuarantine()
    port = Port(contract=pay_contract, quarantine=store)
    call = {"name": "pay", "args": {"to": "ann"}, "id": "x" * 5_000}
    for sent in ("text", ["text", None, 7], [{"id": "c"}, {"id": call["id"], "function": None}], {"a": 1}):
        message = AIMessage(
            "", id="y" * 5_000, tool_calls=[call], additional_kwargs={"tool_calls": sent},
            response_metadata={"model_name": 7, "finish_reason": ["stop"]},
        )  # fmt: skip
        assert through([message], {"pay": port}) == []
        assert reread(proposal_of(message), port).values == ()


@pytest.mark.parametrize("changes", [{"\x1b[31mSECRET " + "x" * 500: 1}, {"usage": {"tokens": 10**5_000}}])
def test_a_state_is_not_repeated_in_a_message(changes: dict[Any, Any]) -> None:
    """Whoever reached the disk chose its words."""
    proposal: Any = {**proposal_of(reply_of(GOOD)), **changes}
    with pytest.raises(Misuse, match="the state holds no proposal") as mistake:
        reread(proposal, Port(contract=listed))
    assert "\x1b" not in str(mistake.value)
    assert len(str(mistake.value)) < 400


@pytest.mark.parametrize("changes", [{"ids": {"message": "\ud800" * 5_000}}, {"text": "\ud800"}])
def test_no_word_in_a_state_raises(changes: dict[str, Any]) -> None:
    """It is judged, and what it lost is kept."""
    store = MemoryQuarantine()
    office = Office(Port(contract=listed, quarantine=store), reply_of(BAD))
    office.change(**changes)
    assert office.resume() == ""
    assert store.count() == 2


def test_a_call_that_is_refused_without_a_finding_is_told_so() -> None:
    """A refusal in-band is an outcome of its own: nothing in it is to be mended, and nothing runs."""
    either = Annotated[Park | Move, Field(discriminator="kind")]
    port = Port(contract=Contract.one(either, name="either", refusal=Park))
    ran, (answer,) = run(called(("park", '{"page": "a"}')), park=port)
    assert (ran, answer.status, answer.content) == ([], "error", NOTHING_THERE)
