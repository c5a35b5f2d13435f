"""The boundary inside pydantic-ai: ``python -m examples.hooks.pydantic_ai``.

The agent is a real one; its model is pydantic-ai's own ``FunctionModel``, which gives two answers. No network is used.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Annotated

from pydantic import BaseModel, Field
from pydantic_ai import Agent
from pydantic_ai.messages import FinishReason, ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from pratique import Admission, Contract, Limits
from pratique.hooks.port import Port
from pratique.hooks.pydantic_ai import Boundary, as_compiled
from pratique.quarantine import Filter, MemoryQuarantine
from pratique.show import escape

__all__ = ["agent_of", "main"]


class Task(BaseModel):
    """What the model is asked for, a few at a time."""

    title: Annotated[str, Field(max_length=60)]
    days: Annotated[int, Field(ge=1)]


file_tasks = Contract.items(Task, at="tasks", name="file_tasks", limits=Limits(max_items=5))
asked = file_tasks.compile("anthropic/tools")

SOUND = '{"title": "read the log", "days": 1}'
TWICE = '{"title": "mend the pump", "days": 2, "days": 20}'


def agent_of(port: Port[Task], *replies: tuple[str, FinishReason]) -> Agent[object, Admission[Task]]:
    """Make an agent whose model gives these replies in turn."""
    answers: Iterator[tuple[str, FinishReason]] = iter(replies)

    def answer(_: list[ModelMessage], asked_for: AgentInfo) -> ModelResponse:
        arguments, finish_reason = next(answers)
        call = ToolCallPart(asked_for.output_tools[0].name, arguments)
        return ModelResponse(parts=[call], finish_reason=finish_reason)

    model = FunctionModel(answer, profile={"json_schema_transformer": as_compiled(port)})
    boundary = Boundary(port)
    return Agent(model, output_type=boundary.output_type, capabilities=[boundary])


def main() -> None:
    """Ask twice: one unit comes back unsound, then the reply is cut off."""
    with MemoryQuarantine() as store:
        port = Port(contract=file_tasks, compiled=asked, quarantine=store)
        agent = agent_of(
            port, (f'{{"tasks": [{SOUND}, {TWICE}]}}', "tool_call"), (f'{{"tasks": [{SOUND}]}}', "length")
        )  # fmt: skip
        for said in (
            "One unit of two says a key twice:",
            "The model ran out of tokens, and the call parses all the same:",
        ):
            admission = asyncio.run(agent.run("What is to be done?")).output
            print(said)
            print("  ", admission.status, "· truncated:", admission.truncated, "· admitted:", *admission.values)
            for unit in admission.quarantined:
                print("  ", unit.findings[0])
        print("In quarantine:")
        for record in store.list(Filter()).records:
            print("  ", record.reason, record.path, escape(record.snippet.strip()))


if __name__ == "__main__":
    main()
