"""The boundary behind Anthropic's own client: ``python -m examples.hooks.anthropic``.

The client is the real one; the model behind it is made up, and gives two answers. Nothing goes over a network.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated

import httpx2
from anthropic import Anthropic
from pydantic import BaseModel, Field

from pratique import Admission, Contract, Limits
from pratique.hooks.anthropic import delivery_of
from pratique.hooks.port import Port
from pratique.quarantine import Filter, MemoryQuarantine
from pratique.show import escape

__all__ = ["answering", "main"]


class Task(BaseModel):
    """What the model is asked for, a few at a time."""

    title: Annotated[str, Field(max_length=60)]
    days: Annotated[int, Field(ge=1)]


file_tasks = Contract.items(Task, at="tasks", name="file_tasks", limits=Limits(max_items=5))
asked = file_tasks.compile("anthropic/tools")

SOUND = '{"title": "read the log", "days": 1}'
TWICE = '{"title": "mend the pump", "days": 2, "days": 20}'


def reply(arguments: str, stop_reason: str) -> str:
    """Write a reply of the Messages API that calls the tool."""
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "made-up", "stop_reason": stop_reason}
    told = json.dumps({**head, "usage": {"input_tokens": 40, "output_tokens": 30}})[1:]
    return f'{{"content": [{{"type": "tool_use", "id": "t1", "name": "file_tasks", "input": {arguments}}}], {told}'


def answering(*replies: str) -> Anthropic:
    """Make the SDK's client, with a transport that gives these replies in turn."""
    bodies: Iterator[str] = iter(replies)

    def answer(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, text=next(bodies), headers={"content-type": "application/json"})

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    return Anthropic(api_key="none is needed here", http_client=http, max_retries=0)


def ask(client: Anthropic, port: Port[Task]) -> Admission[Task]:
    """Ask with what the contract was compiled to; judge the reply as it was sent."""
    response = client.messages.with_raw_response.create(
        model="made-up",
        max_tokens=file_tasks.max_tokens(),
        messages=[{"role": "user", "content": "What is to be done?"}],
        **asked.request,
    )
    return port.admit(delivery_of(response))


def main() -> None:
    """Ask twice: one unit comes back unsound, then the reply is cut off."""
    one_bad = reply(f'{{"tasks": [{SOUND}, {TWICE}]}}', "tool_use")
    cut_off = reply(f'{{"tasks": [{SOUND}]}}', "max_tokens")
    with MemoryQuarantine() as store, answering(one_bad, cut_off) as client:
        port = Port(contract=file_tasks, compiled=asked, quarantine=store)
        for said in (
            "One unit of two says a key twice:",
            "The model ran out of tokens, and the call parses all the same:",
        ):
            admission = ask(client, port)
            print(said)
            print("  ", admission.status, "· truncated:", admission.truncated, "· admitted:", *admission.values)
            for unit in admission.quarantined:
                print("  ", unit.findings[0])
        print("In quarantine:")
        for record in store.list(Filter()).records:
            print("  ", record.reason, record.path, escape(record.snippet.strip()))


if __name__ == "__main__":
    main()
