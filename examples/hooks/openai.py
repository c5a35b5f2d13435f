"""The boundary behind OpenAI's own client: ``python -m examples.hooks.openai``.

The client is the real one; the model behind it is made up, and gives three answers: two of Chat Completions, one of
Responses. Nothing goes over a network.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import httpx2
from openai import OpenAI
from pydantic import BaseModel, Field

from pratique import Admission, Contract, Limits
from pratique.hooks.openai import delivery_of
from pratique.hooks.port import Port
from pratique.quarantine import Filter, MemoryQuarantine
from pratique.show import escape

__all__ = ["answering", "main"]


class Task(BaseModel):
    """What the model is asked for, a few at a time."""

    title: Annotated[str, Field(max_length=60)]
    days: Annotated[int, Field(ge=1)]


tasks = Contract.items(Task, at="tasks", name="tasks", limits=Limits(max_items=5))
chat = tasks.compile("openai/chat")
responses = tasks.compile("openai/responses")

SOUND = '{"title": "read the log", "days": 1}'
AS_TEXT = '{"title": "mend the pump", "days": "2"}'


def completion(content: str, finish_reason: str) -> dict[str, Any]:
    """Write a reply of Chat Completions."""
    message = {"role": "assistant", "content": content, "refusal": None}
    choice = {"index": 0, "finish_reason": finish_reason, "message": message}
    return {"id": "c1", "object": "chat.completion", "created": 0, "model": "made-up", "choices": [choice]}


def refused(words: str) -> dict[str, Any]:
    """Write a reply of Responses in which the model declines."""
    message = {"type": "message", "id": "m1", "role": "assistant", "status": "completed"}
    output = [{**message, "content": [{"type": "refusal", "refusal": words}]}]
    return {
        "id": "r1",
        "object": "response",
        "created_at": 0,
        "model": "made-up",
        "status": "completed",
        "output": output,
    }


def answering(*replies: dict[str, Any]) -> OpenAI:
    """Make the SDK's client, with a transport that gives these replies in turn."""
    bodies: Iterator[str] = map(json.dumps, replies)

    def answer(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, text=next(bodies), headers={"content-type": "application/json"})

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    return OpenAI(api_key="none is needed here", http_client=http, max_retries=0)


def tell(said: str, admission: Admission[Task]) -> None:
    """Print a verdict."""
    print(said)
    print("  ", admission.status, "· truncated:", admission.truncated, "· admitted:", *admission.values)
    for unit in admission.quarantined:
        print("  ", unit.findings[0])


def main() -> None:
    """Ask three times: one unit comes back unsound, then the reply is cut off, then the model declines."""
    one_bad = completion(f'{{"tasks": [{SOUND}, {AS_TEXT}]}}', "stop")
    cut_off = completion(f'{{"tasks": [{SOUND}, {{"title": "mend the pu', "length")
    with MemoryQuarantine() as store, answering(one_bad, cut_off, refused("No.")) as client:
        port = Port(contract=tasks, compiled=chat, quarantine=store)
        for said in ("One unit of two is not sound:", "The model ran out of tokens:"):
            reply = client.chat.completions.create(
                model="made-up", messages=[{"role": "user", "content": "What is to be done?"}], **chat.request
            )
            tell(said, port.admit(delivery_of(reply)))
        port = Port(contract=tasks, compiled=responses, quarantine=store)
        declined = client.responses.create(model="made-up", input="What is to be done?", **responses.request)
        tell("The model declines, and the reply is complete all the same:", port.admit(delivery_of(declined)))
        print("In quarantine:")
        for record in store.list(Filter()).records:
            print("  ", record.reason, record.path, escape(record.snippet.strip()))


if __name__ == "__main__":
    main()
