"""The boundary inside LangGraph: ``python -m examples.hooks.langgraph``.

The graph, its ``ToolNode`` and its checkpointer are real ones; the model is LangChain's own fake. No network is used.
First the tool calls of two replies are judged before the tool runs. Then a reply lies in the graph's state as a
proposal until a person agrees, and is read through the boundary each time it is taken up.
"""

from __future__ import annotations

from typing import Annotated, Any

from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from pratique import Contract, Limits
from pratique.hooks.langgraph import Proposal, ToolPorts, proposal_of, reread
from pratique.hooks.port import Port
from pratique.quarantine import Filter, MemoryQuarantine
from pratique.show import escape

__all__ = ["called", "main"]


class Task(BaseModel):
    """What the model is asked for, a few at a time."""

    title: Annotated[str, Field(max_length=60)]
    days: Annotated[int, Field(ge=1)]


contract = Contract.items(Task, at="tasks", name="file_tasks", limits=Limits(max_items=5))

SOUND = '{"title": "read the log", "days": 1}'
TWICE = '{"title": "mend the pump", "days": 2, "days": 20}'
QUESTION = HumanMessage("What is to be done?")


@tool
def file_tasks(tasks: list[dict[str, Any]]) -> str:
    """File tasks."""
    return f"filed {len(tasks)}: " + ", ".join(task["title"] for task in tasks)


def called(arguments: str, finish_reason: str, id: str) -> AIMessage:
    """Make a message as a chat model makes it: with a call of the tool as it was sent, and how the reply ended."""
    sent = {"id": id, "type": "function", "function": {"name": "file_tasks", "arguments": arguments}}
    return AIMessage(
        "", id=f"message of {id}", additional_kwargs={"tool_calls": [sent]},
        response_metadata={"finish_reason": finish_reason},
    )  # fmt: skip


def tool_calls(port: Port[Task]) -> None:
    """Ask twice: one unit comes back unsound, then the reply is cut off."""
    one_bad = called(f'{{"tasks": [{SOUND}, {TWICE}]}}', "tool_calls", "c1")
    cut_off = called(f'{{"tasks": [{SOUND}]}}', "length", "c2")
    model = FakeMessagesListChatModel(responses=[one_bad, cut_off])
    judged = ToolPorts(ports={"file_tasks": port})

    def ask(state: MessagesState) -> dict[str, list[AnyMessage]]:
        return {"messages": [model.invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("ask", ask)
    graph.add_node("tools", ToolNode([file_tasks], wrap_tool_call=judged.wrap, awrap_tool_call=judged.awrap))
    graph.add_edge(START, "ask")
    graph.add_edge("ask", "tools")
    graph.add_edge("tools", END)
    app = graph.compile()
    for said in (
        "One unit of two says a key twice:",
        "The model ran out of tokens, and the call parses all the same:",
    ):
        last = app.invoke({"messages": [QUESTION]})["messages"][-1]
        print(said)
        print("  ", last.status, "·", last.text.replace("\n", "\n   "))


class Desk(TypedDict, total=False):
    """The state of a graph that waits for a person: what was asked, the raw reply, and what became of it."""

    asked: str
    proposal: Proposal
    done: str


def proposal(port: Port[Task]) -> None:
    """Keep a reply in the state, wait for a person, who changes it, and read it again."""

    model = FakeMessagesListChatModel(responses=[AIMessage(f'{{"tasks": [{SOUND}, {TWICE}]}}', id="m3")])

    def propose(state: Desk) -> Desk:
        return {"proposal": proposal_of(model.invoke(state["asked"]))}

    def decide(state: Desk) -> Desk:
        admission = reread(state["proposal"], port)
        who = admission.delivery.producer
        print("  ", f"read as a {who}'s:", admission.status, *admission.values)
        if interrupt([task.title for task in admission.values]) != "file them":
            return {"done": "nothing"}
        return {"done": file_tasks.invoke({"tasks": [task.model_dump() for task in admission.values]})}

    graph = StateGraph(Desk)
    graph.add_node("propose", propose)
    graph.add_node("decide", decide)
    graph.add_edge(START, "propose")
    graph.add_edge("propose", "decide")
    graph.add_edge("decide", END)
    app = graph.compile(checkpointer=InMemorySaver())
    thread: RunnableConfig = {"configurable": {"thread_id": "desk-1"}}
    app.invoke({"asked": "What is to be done?"}, thread)
    kept: Proposal = app.get_state(thread).values["proposal"]
    app.update_state(thread, {"proposal": {**kept, "text": kept["text"].replace('"days": 2, ', "")}}, as_node="propose")
    print("  ", app.invoke(Command(resume="file them"), thread)["done"])


def main() -> None:
    """Judge tool calls, then a proposal, and show what is in quarantine."""
    with MemoryQuarantine() as store:
        port = Port(contract=contract, quarantine=store)
        tool_calls(port)
        print("A proposal waits in the state, and a person mends it there:")
        proposal(port)
        print("In quarantine:")
        for record in store.list(Filter()).records:
            print("  ", record.reason, record.path, escape(record.snippet.strip()))


if __name__ == "__main__":
    main()
