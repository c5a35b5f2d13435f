"""A server of the MCP SDK: what a tool runs with was admitted, and what was lost is told to the caller."""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any

import anyio
import httpx2
import pytest
from examples.hooks import mcp as example
from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, Field, SecretStr

from hooks import replies
from hooks.replies import SECRET, Task, edits, task, tasks
from pratique import Contract, Misuse, Outage, Reference
from pratique.hooks.mcp import FINISH_REASON, ToolPorts
from pratique.hooks.port import Port
from pratique.quarantine import Filter, MemoryQuarantine, QuarantineStore

A = {"title": "a", "days": 1}
B = {"title": "b", "days": 2}
MODES = ["auto", "legacy"]
"""The protocol of 2026, without a handshake, and those before it."""


class Batch(BaseModel):
    """What stands around a list."""

    author: str


around = Contract.items(Task, at="tasks", envelope=Batch, name="around")
whole = Contract.batch(Task, at="tasks", name="whole")


class Served:
    """A server with one tool for each port, and a list of what its tools ran with."""

    def __init__(self, *ports: Port[Any], unjudged: tuple[str, ...] = ()) -> None:
        self.ran: list[dict[str, Any]] = []
        self.server: MCPServer[Any] = MCPServer(
            "served",
            log_level="CRITICAL",
            middleware=[ToolPorts(ports={port.contract.name: port for port in ports}, unsafe_unjudged=unjudged)],
        )
        for tool in (self.tasks, self.task, self.around, self.whole):
            self.server.add_tool(tool)

    def tasks(self, tasks: list[Any]) -> str:
        self.ran.append({"tasks": tasks})
        return "done"

    def task(self, title: Any, days: Any, mode: Any = None) -> str:
        self.ran.append({"title": title, "days": days, "mode": mode})
        return "done"

    def around(self, author: str, tasks: list[Any]) -> str:
        self.ran.append({"author": author, "tasks": tasks})
        return "done"

    def whole(self, tasks: list[Any]) -> str:
        self.ran.append({"tasks": tasks})
        return "done"

    def call(self, name: str, arguments: Any, *, mode: Any = "auto", **meta: Any) -> CallToolResult:
        """Call a tool with the SDK's own client."""
        told: Any = meta or None
        result: CallToolResult = self.do(lambda client: client.call_tool(name, arguments, meta=told), mode)
        return result

    def listed(self, mode: Any = "auto") -> dict[str, Any]:
        """Return the schemas of the tools, by name."""
        return {tool.name: tool.input_schema for tool in self.do(lambda client: client.list_tools(), mode).tools}

    def do(self, act: Callable[[Client], Awaitable[Any]], mode: Any = "auto") -> Any:
        """Connect a client in this process, and let it do one thing."""

        async def session() -> Any:
            async with Client(self.server, mode=mode) as client:
                return await act(client)

        return anyio.run(session)

    def post(self, body: str) -> dict[str, Any]:
        """Send the very characters of a request over HTTP, in this process."""

        async def session() -> Any:
            app = self.server.streamable_http_app(stateless_http=True, json_response=True)
            accepted = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
            async with (
                app.router.lifespan_context(app),
                httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://127.0.0.1:8000") as http,
            ):
                return (await http.post("/mcp", content=body, headers={**accepted, **replies.JSON})).json()

        answer: dict[str, Any] = anyio.run(session)
        return answer


def told(result: CallToolResult) -> Any:
    """Return what the hook told at the end of an answer; None when it told nothing."""
    last = result.content[-1]
    assert isinstance(last, TextContent)
    return json.loads(last.text)["pratique"] if last.text.startswith('{"pratique"') else None


def codes(result: CallToolResult) -> list[str]:
    return [finding["code"] for finding in told(result)["findings"]]


# ---------------------------------------------------------------------- what the tool runs with


@pytest.mark.parametrize("mode", MODES)
def test_a_sound_call_passes_as_it_is(mode: str) -> None:
    """And nothing is added to its answer."""
    served = Served(Port(contract=tasks))
    result = served.call("tasks", {"tasks": [A, B]}, mode=mode)
    assert (result.is_error, told(result), served.ran) == (False, None, [{"tasks": [A, B]}])


@pytest.mark.parametrize("mode", MODES)
def test_the_sound_units_go_to_the_tool_and_the_answer_tells_of_the_others(mode: str) -> None:
    """Each by its place, with the reason and what to do."""
    served = Served(Port(contract=tasks))
    result = served.call("tasks", {"tasks": [A, {"title": "x", "days": 0}, B, {"title": 7, "days": 1}]}, mode=mode)
    assert served.ran == [{"tasks": [A, B]}]
    assert not result.is_error
    verdict = told(result)
    assert (verdict["ran"], verdict["status"], verdict["seen"]) == (True, "partial", 4)
    assert verdict["lost"] == [{"unit": 1, "reason": "schema"}, {"unit": 3, "reason": "schema"}]
    assert [(finding["code"], finding["path"]) for finding in verdict["findings"]] == [
        ("validate.bound", "$.tasks[1].days"),
        ("validate.type", "$.tasks[3].title"),
    ]
    assert all(finding["help"] for finding in verdict["findings"])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"title": "a", "days": "1"}, "validate.type"),
        ({"title": "a", "days": 1, "mode": "x"}, "validate.extra"),
        ({"title": "a"}, "validate.missing"),
        ({"title": "a", "days": True}, "validate.type"),
        ({"title": "a", "days": 1.0}, "validate.type"),
        ({}, "validate.missing"),
        (None, "validate.missing"),
    ],
)
def test_what_the_sdk_would_coerce_or_drop_is_refused(arguments: Any, code: str) -> None:
    """A text for a number, a field that nobody asked for; the tool does not run."""
    served = Served(Port(contract=task))
    result = served.call("task", arguments)
    assert (result.is_error, served.ran, told(result)["ran"]) == (True, [], False)
    assert code in codes(result)


def test_the_sdk_alone_does_coerce_and_drop() -> None:
    """So the test above says something."""

    def loose(days: int, item: Annotated[Task | None, Field()] = None) -> str:
        return f"{days!r} {item!r}"

    server: MCPServer[Any] = MCPServer("loose", log_level="CRITICAL")
    server.add_tool(loose)

    async def session() -> Any:
        async with Client(server) as client:
            return await client.call_tool("loose", {"days": "1", "item": '{"title": "a", "days": "2", "mode": 1}'})

    assert anyio.run(session).content[0].text == "1 Task(title='a', days=2)"


def test_a_value_that_wholly_encodes_what_is_wanted_is_decoded_once() -> None:
    """Clients do that to lists; it loses nothing, and what is in it is judged."""
    served = Served(Port(contract=tasks))
    assert not served.call("tasks", {"tasks": json.dumps([A])}).is_error
    assert served.call("tasks", {"tasks": json.dumps([{**A, "days": "1"}])}).is_error
    assert served.ran == [{"tasks": [A]}]


def test_a_batch_is_all_or_nothing() -> None:
    """One bad unit, and the tool does not run."""
    served = Served(Port(contract=whole))
    assert not served.call("whole", {"tasks": [A, B]}).is_error
    result = served.call("whole", {"tasks": [A, {**B, "days": 0}]})
    assert (result.is_error, len(served.ran)) == (True, 1)
    assert [lost["reason"] for lost in told(result)["lost"]] == ["batch", "schema"]


def test_what_stands_around_a_list_goes_with_it() -> None:
    """Without it a call is not complete, and the tool's own defaults would fill it in."""
    served = Served(Port(contract=around))
    assert not served.call("around", {"author": "ann", "tasks": [A]}).is_error
    assert served.ran == [{"author": "ann", "tasks": [A]}]
    result = served.call("around", {"author": 7, "tasks": [A]})
    assert (result.is_error, len(served.ran)) == (True, 1)


def test_a_list_of_which_nothing_is_left_is_not_an_empty_list() -> None:
    """An empty one that was meant is."""
    served = Served(Port(contract=tasks))
    assert served.call("tasks", {"tasks": [{"title": 7}]}).is_error
    assert served.ran == []
    assert not served.call("tasks", {"tasks": []}).is_error
    assert served.ran == [{"tasks": []}]


def test_the_variants_of_a_union_are_tools_of_their_own() -> None:
    """The name of the tool stands for the tag."""
    names = ("park", "move")
    ran: list[Any] = []

    def park(page: str) -> str:
        ran.append(("park", page))
        return "done"

    def move(page: str, to: int) -> str:
        ran.append(("move", page, to))
        return "done"

    server: MCPServer[Any] = MCPServer(
        "edits",
        log_level="CRITICAL",
        middleware=[ToolPorts(ports=dict.fromkeys(names, Port(contract=edits, compiled=PORTABLE)))],
    )
    for tool in (park, move):
        server.add_tool(tool)

    async def session() -> list[Any]:
        async with Client(server) as client:
            calls: list[tuple[str, Any]] = [
                ("park", {"page": "a"}),
                ("move", {"page": "b", "to": None}),
                ("move", {"page": "b", "to": "3"}),
            ]
            results = [await client.call_tool(name, arguments) for name, arguments in calls]
            return [*(result.is_error for result in results), (await client.list_tools()).tools]

    *errors, listed = anyio.run(session)
    assert errors == [False, False, True]
    assert ran == [("park", "a"), ("move", "b", 1)]
    assert {tool.name: tool.input_schema for tool in listed} == {
        name: PORTABLE.schema[name] for name in ("park", "move")
    }


PORTABLE = edits.compile("portable", form="tools")


def test_references_are_checked_when_the_call_comes() -> None:
    """What exists changes while a server runs."""

    class Pick(BaseModel):
        title: Annotated[str, Reference("ticket")]
        days: int

    known = ["a"]
    contract = Contract.one(Pick, name="task")
    served = Served(Port(contract=contract, references=lambda: {"ticket": known}))
    assert served.call("task", B).is_error
    known.append("b")
    assert not served.call("task", B).is_error


# ---------------------------------------------------------------------- which calls are judged


def test_a_call_of_a_tool_without_a_contract_is_refused() -> None:
    """Whether the server has such a tool or not; and it is not listed."""
    served = Served(Port(contract=tasks))
    for name in ("task", "delete_all", ""):
        result = served.call(name, {"title": "a", "days": 1})
        assert (result.is_error, told(result)["ran"]) == (True, False)
    assert (served.ran, list(served.listed())) == ([], ["tasks"])


def test_a_tool_that_is_named_as_unjudged_passes() -> None:
    """The danger is in the word. A port goes before it."""
    served = Served(Port(contract=tasks), unjudged=("task", "tasks"))
    assert not served.call("task", {"title": 7, "days": "x", "more": 1}).is_error
    assert sorted(served.listed()) == ["task", "tasks"]
    assert served.call("tasks", {"tasks": [{"title": 7}]}).is_error


@pytest.mark.parametrize("mode", MODES)
def test_the_compiled_schema_is_published(mode: str) -> None:
    """And without one, what the server makes of the function."""
    asked = tasks.compile("portable", form="tools")
    served = Served(Port(contract=tasks, compiled=asked), Port(contract=task))
    listed = served.listed(mode)
    assert listed["tasks"] == asked.schema
    assert "additionalProperties" not in listed["task"]


def test_other_requests_pass() -> None:
    """Middleware sees every one of them."""
    served = Served(Port(contract=tasks))
    assert served.do(lambda client: client.list_prompts()).prompts == []


def test_a_request_whose_name_is_no_text_runs_nothing() -> None:
    """It comes over the wire as it likes."""
    served = Served(Port(contract=tasks))
    for name in ("7", "null", '["tasks"]', '{"a": 1}'):
        answer = served.post(f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":{name}}}}}')
        assert "error" in answer or answer["result"]["isError"]
    assert served.ran == []


# ---------------------------------------------------------------------- a call that was cut off


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["tasks", "task", "whole"])
def test_a_call_that_was_cut_off_is_told_as_such_and_does_not_run(name: str, mode: str) -> None:
    """A client that closed the tail of what its model wrote says so in ``_meta``."""
    served = Served(*(Port(contract=contract) for contract in (tasks, task, whole)))
    arguments = A if name == "task" else {"tasks": [A]}
    result = served.call(name, arguments, mode=mode, **{FINISH_REASON: "max_tokens"})
    assert (result.is_error, served.ran) == (True, [])
    assert told(result)["truncated"]
    assert "delivery.truncated" in codes(result)
    assert not served.call(name, arguments, mode=mode, **{FINISH_REASON: "tool_use"}).is_error


@pytest.mark.parametrize("reason", ["brand_new", "", 7, {"a": 1}, [], False])
def test_a_stop_reason_that_nobody_knows_runs_nothing(reason: Any) -> None:
    """Also one that is no text. None is not told."""
    served = Served(Port(contract=tasks))
    result = served.call("tasks", {"tasks": [A]}, **{FINISH_REASON: reason})
    assert (result.is_error, codes(result), served.ran) == (True, ["delivery.finish_reason_unknown"], [])
    assert not served.call("tasks", {"tasks": [A]}, **{FINISH_REASON: None}).is_error


def test_a_model_that_declined_runs_nothing() -> None:
    """Whatever arguments came with it."""
    served = Served(Port(contract=tasks))
    result = served.call("tasks", {"tasks": [A]}, **{FINISH_REASON: "refusal"})
    assert (told(result)["status"], served.ran) == ("refused", [])


# ---------------------------------------------------------------------- the very characters


def request(arguments: str, name: str = "tasks") -> str:
    call = f'{{"name":"{name}","arguments":{arguments}}}'
    return f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{call}}}'


def test_over_http_a_key_that_comes_twice_is_seen() -> None:
    """The body of the request is still there; one bad unit costs one unit."""
    served = Served(Port(contract=tasks))
    answer = served.post(request('{"tasks": [{"title": "a", "days": 1}, {"title": "b", "days": 2, "days": 30}]}'))
    assert served.ran == [{"tasks": [A]}]
    assert json.loads(answer["result"]["content"][-1]["text"])["pratique"]["lost"][0]["reason"] == "duplicate_key"


def test_without_http_a_key_that_comes_twice_was_resolved_before() -> None:
    """In a line of stdio, the SDK's parser keeps the last one; here nobody can tell any more."""
    served = Served(Port(contract=tasks))
    arguments = json.loads('{"tasks": [{"title": "b", "days": 2, "days": 30}]}')
    assert not served.call("tasks", arguments).is_error
    assert served.ran == [{"tasks": [{"title": "b", "days": 30}]}]


def test_arguments_that_come_twice_are_those_that_the_sdk_read() -> None:
    """Two readers of one request would be a way around the boundary."""
    served = Served(Port(contract=task))
    first, second = '{"title": "a", "days": 1}', '{"title": "b", "days": 2}'
    served.post(request(f'{first},"arguments":{second}', "task"))
    assert [ran["title"] for ran in served.ran] == ["b"]


def test_what_other_middleware_rewrote_is_what_is_judged() -> None:
    """Not the body that came."""
    served = Served(Port(contract=task))

    async def rewrite(ctx: Any, call_next: Any) -> Any:
        if ctx.method == "tools/call":
            ctx.params = {**ctx.params, "arguments": {**ctx.params["arguments"], "days": "7"}}
        return await call_next(ctx)

    served.server.middleware.insert(-1, rewrite)
    assert served.post(request('{"title": "a", "days": 1}', "task"))["result"]["isError"]
    assert served.ran == []


@pytest.mark.parametrize("levels", [9, 100, 190, 900])
def test_arguments_of_any_depth_are_refused_and_not_raised(levels: int) -> None:
    """Over HTTP, where their text is read, too; what is too deep for the SDK, it refuses itself."""
    served = Served(Port(contract=tasks))
    deep = '{"a":' * levels + "1" + "}" * levels
    answer = served.post(request(f'{{"tasks": [{deep}]}}'))
    assert "error" in answer or answer["result"]["isError"]
    if levels < 200:
        assert served.call("tasks", {"tasks": [json.loads(deep)]}).is_error
    assert served.ran == []


# ---------------------------------------------------------------------- quarantine, secrets, mistakes


def test_what_was_refused_is_kept() -> None:
    """With the stop reason, before the tool runs."""
    with MemoryQuarantine() as store:
        served = Served(Port(contract=tasks, quarantine=store))
        served.call("tasks", {"tasks": [A, {**B, "days": "2"}]})
        served.call("tasks", {"tasks": [A]}, **{FINISH_REASON: "max_tokens"})
        records = store.list(Filter()).records
        assert [(record.reason, json.loads(record.snippet.strip())) for record in records] == [
            ("schema", {**B, "days": "2"}),
            ("delivery", {"tasks": [A]}),
        ]
        assert store.show(records[1].id).delivery.finish_reason == "max_tokens"


def test_nothing_runs_that_could_not_be_kept() -> None:
    """A quarantine that cannot be written fails the request."""

    class Full(MemoryQuarantine):
        def keep(self, *_: Any, **__: Any) -> Any:
            raise Outage("the disk is full")

    full: QuarantineStore = Full()
    served = Served(Port(contract=tasks, quarantine=full))
    answer = served.post(request('{"tasks": [{"title": "a", "days": 1}, 7]}'))
    assert "error" in answer or answer["result"]["isError"]
    assert served.ran == []


def test_nothing_that_a_caller_wrote_is_said_again() -> None:
    """What is in a refused value may be a secret, or words for the model that reads the answer."""
    served = Served(Port(contract=tasks), Port(contract=task))
    for name, arguments in (
        ("tasks", {"tasks": [A, {"title": SECRET, "days": SECRET}, {"title": 7, SECRET: 1, "days": 1}]}),
        ("task", {"title": "a", "days": 1, SECRET: SECRET}),
        (SECRET, {}),
    ):
        result = served.call(name, arguments)
        assert told(result) is not None
        assert SECRET not in result.model_dump_json()
    result = served.call("tasks", {"tasks": [A]}, **{FINISH_REASON: SECRET})
    assert SECRET not in result.model_dump_json()


def test_however_much_is_lost_the_answer_stays_short() -> None:
    """Places of fifty units at most; the count tells of all."""
    served = Served(Port(contract=tasks))
    result = served.call("tasks", {"tasks": [A, *([{"title": 7, "days": 0}] * 2_000)]})
    assert (len(told(result)["lost"]), told(result)["seen"]) == (50, 2_001)
    assert len(result.model_dump_json()) < 20_000


@pytest.mark.parametrize(
    ("contract", "remedy"),
    [
        (Contract.items(Task, name="tasks"), 'at="items"'),
        (Contract.one(Task, name="other"), "name='tasks'"),
    ],
)
def test_a_port_that_cannot_judge_its_tool_is_a_mistake_with_a_remedy(contract: Contract[Any], remedy: str) -> None:
    """Told when the server is made, and not when the first call comes."""
    with pytest.raises(Misuse, match=remedy):
        ToolPorts(ports={"tasks": Port(contract=contract)})


def test_one_name_is_no_list_of_names() -> None:
    """Each part of the word would be the name of a tool that is not judged."""
    with pytest.raises(Misuse, match="unsafe_unjudged="):
        ToolPorts(ports={}, unsafe_unjudged="ping_all")


def test_a_bare_list_is_asked_for_under_a_key() -> None:
    """Arguments are an object; the compiled schema says which key."""
    bare = Contract.items(Task, name="tasks")
    ran: list[Any] = []

    def file(items: list[Task]) -> str:
        ran.append(items)
        return "done"

    port = Port(contract=bare, compiled=bare.compile("portable", form="tools"))
    server: MCPServer[Any] = MCPServer("bare", log_level="CRITICAL", middleware=[ToolPorts(ports={"tasks": port})])
    server.add_tool(file, name="tasks")

    async def session() -> Any:
        async with Client(server) as client:
            return await client.call_tool("tasks", {"items": [A, {**B, "days": 0}]})

    result = anyio.run(session)
    assert (result.is_error, ran) == (False, [[Task(title="a", days=1)]])
    assert [finding["path"] for finding in told(result)["findings"]] == ["$.items[1].days"]


def test_the_middleware_has_the_shape_that_the_sdk_calls() -> None:
    """It is provisional in mcp 2: a change of it fails here."""
    from mcp.server.context import ServerMiddleware

    ours, theirs = (inspect.signature(kind.__call__) for kind in (ToolPorts, ServerMiddleware))
    assert list(ours.parameters) == list(theirs.parameters)


# ---------------------------------------------------------------------- the example


def test_the_example_prints_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    """Word for word."""
    page = Path(example.__file__).parents[2] / "docs" / "hooks" / "mcp.md"
    shown = replies.printed(example.main, capsys)
    assert f"```console\n$ python -m examples.hooks.mcp\n{shown}```" in page.read_text(encoding="utf-8")


def test_a_type_that_writes_itself_otherwise_runs_nothing_and_tells_nothing() -> None:
    """The request fails; what was written is not in the answer."""

    class Login(BaseModel):
        title: SecretStr
        days: int

    served = Served(Port(contract=Contract.one(Login, name="task")))
    answer = served.post(
        f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"task","arguments":{{"title":"{SECRET}","days":1}}}}}}'
    )
    assert served.ran == []
    assert "error" in answer
    assert SECRET not in str(answer)
