"""What the hooks' tests share: the contracts, and real SDK clients behind a transport that is made up."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any, Literal, get_args

import httpx2
from anthropic import Anthropic
from openai import OpenAI
from pydantic import BaseModel, Field

from pratique import Contract

SECRET = "sk-live-0123456789-secret"


class Task(BaseModel):
    title: Annotated[str, Field(max_length=60)]
    days: Annotated[int, Field(ge=1)]


class Park(BaseModel):
    kind: Literal["park"]
    page: str


class Move(BaseModel):
    kind: Literal["move"]
    page: str
    to: int = 1


class Stop(BaseModel):
    kind: Literal["stop"]


tasks = Contract.items(Task, at="tasks", name="tasks")
task = Contract.one(Task, name="task")
edits = Contract.batch(Annotated[Park | Move | Stop, Field(discriminator="kind")], at="commands", name="edits")

JSON = {"content-type": "application/json"}
GOOD = '{"title": "a", "days": 1}'


def bodies(*given: str | dict[str, Any] | httpx2.Response) -> httpx2.Client:
    """Make a transport that answers with these, in turn."""
    rest = iter(given)

    def answer(_: httpx2.Request) -> httpx2.Response:
        body = next(rest)
        if isinstance(body, httpx2.Response):
            return body
        text = body if isinstance(body, str) else json.dumps(body)
        return httpx2.Response(200, text=text, headers={"request-id": "req_1", "x-request-id": "req_1", **JSON})

    return httpx2.Client(transport=httpx2.MockTransport(answer))


def anthropic(*given: str | dict[str, Any] | httpx2.Response) -> Anthropic:
    return Anthropic(api_key=SECRET, http_client=bodies(*given), max_retries=0)


def openai(*given: str | dict[str, Any] | httpx2.Response) -> OpenAI:
    return OpenAI(api_key=SECRET, http_client=bodies(*given), max_retries=0)


def events(told: list[dict[str, Any]], *, named: bool = True) -> httpx2.Response:
    """Write server-sent events."""
    lines = [(f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n" for event in told]
    lines += [] if named else ["data: [DONE]\n\n"]
    return httpx2.Response(200, text="".join(lines), headers={"content-type": "text/event-stream"})


def literals(annotation: Any) -> set[str]:
    """Return every text that a type of literals, and of unions of them, allows."""
    inner = get_args(annotation)
    return {annotation} if isinstance(annotation, str) else set().union(*map(literals, inner)) if inner else set()


def printed(main: Callable[[], None], capsys: Any) -> str:
    """Run an example; return what it prints."""
    main()
    return str(capsys.readouterr().out)
