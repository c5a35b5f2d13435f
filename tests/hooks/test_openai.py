"""OpenAI's own client: what it brings is judged by how it ended, and by a refusal, before its content."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest
from examples.hooks import openai as example
from openai.types.chat import ChatCompletion
from openai.types.chat.chat_completion import Choice
from openai.types.chat.chat_completion_message import ChatCompletionMessage
from openai.types.responses import Response
from openai.types.responses.response import IncompleteDetails
from openai.types.responses.response_output_item import ResponseOutputItem
from openai.types.responses.response_output_message import Content
from openai.types.responses.response_status import ResponseStatus

from hooks import replies
from hooks.replies import GOOD, SECRET, edits, literals, task, tasks
from pratique import Contract, Misuse, Status, openai_chunks
from pratique.boundary.delivery import Stop, stop_of
from pratique.hooks.openai import delivery_of
from pratique.hooks.port import Port
from pratique.quarantine import Filter, MemoryQuarantine

SOUND = f'{{"tasks": [{GOOD}]}}'
FINISHED = {
    "stop": Stop.COMPLETE,
    "tool_calls": Stop.COMPLETE,
    "function_call": Stop.COMPLETE,
    "length": Stop.TRUNCATED,
    "content_filter": Stop.DECLINED,
}
ENDED = {
    "completed": Stop.COMPLETE,
    "incomplete": Stop.TRUNCATED,
    "failed": Stop.FAILED,
    "cancelled": Stop.FAILED,
    "in_progress": Stop.UNKNOWN,
    "queued": Stop.UNKNOWN,
}
"""A reply that is still being written ends in no way that admits anything."""
INCOMPLETE = {
    "max_output_tokens": Stop.TRUNCATED,
    "max_messages": Stop.TRUNCATED,
    "steered": Stop.TRUNCATED,
    "content_filter": Stop.DECLINED,
}
READ = {"message", "function_call", "custom_tool_call"}
PASSED_OVER = {
    "additional_tools", "apply_patch_call", "apply_patch_call_output", "code_interpreter_call", "compaction",
    "computer_call", "computer_call_output", "custom_tool_call_output", "file_search_call", "function_call_output",
    "image_generation_call", "local_shell_call", "local_shell_call_output", "mcp_approval_request",
    "mcp_approval_response", "mcp_call", "mcp_list_tools", "program", "program_output", "reasoning", "shell_call",
    "shell_call_output", "tool_search_call", "tool_search_output", "web_search_call",
}  # fmt: skip
"""What the provider's own tools did, calls that want another answer than ours, and reasoning: no payload."""


def function(name: str, arguments: Any, id: str = "t1") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def chat(content: Any = None, *, finish_reason: Any = "stop", **message: Any) -> dict[str, Any]:
    """Write a reply of Chat Completions."""
    choice = {"index": 0, "finish_reason": finish_reason}
    choice["message"] = {"role": "assistant", "content": content, "refusal": None, **message}
    usage = {
        "prompt_tokens": 4,
        "completion_tokens": 3,
        "total_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 1},
    }
    return {
        "id": "c1",
        "object": "chat.completion",
        "model": "made-up",
        "created": 0,
        "choices": [choice],
        "usage": usage,
    }


def said(*content: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": [*content], **more}


def words(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": []}


def called(name: str, arguments: Any, id: str = "t1") -> dict[str, Any]:
    return {"type": "function_call", "id": "f", "call_id": id, "name": name, "arguments": arguments}


def response(*output: Any, status: Any = "completed", **more: Any) -> dict[str, Any]:
    """Write a reply of Responses."""
    usage = {"input_tokens": 4, "output_tokens": 3, "total_tokens": 7}
    told = {"id": "r1", "object": "response", "created_at": 0, "model": "made-up", "status": status, "usage": usage}
    return {**told, "output": [*output], "incomplete_details": None, "error": None, **more}


def received(body: dict[str, Any]) -> Any:
    """Return a reply as the SDK's client gives it to its caller."""
    with replies.openai(body) as client:
        if body["object"] == "response":
            return client.responses.create(model="m", input="x")
        return client.chat.completions.create(model="m", messages=[])


def each(text: str, **told: Any) -> list[dict[str, Any]]:
    """Write a text as a reply of both endpoints."""
    return [chat(text, **told.get("chat", {})), response(said(words(text)), **told.get("response", {}))]


# ---------------------------------------------------------------------- how it ended, before what it says


def test_every_way_to_end_that_the_sdk_knows_is_decided_here() -> None:
    """A new value in the SDK fails here, so that somebody decides what it means."""
    assert literals(Choice.model_fields["finish_reason"].annotation) == set(FINISHED)
    assert literals(ResponseStatus) == set(ENDED)
    assert literals(IncompleteDetails.model_fields["reason"].annotation) == set(INCOMPLETE)
    for table in (FINISHED, ENDED, INCOMPLETE):
        assert {reason: stop_of(reason) for reason in table} == table


@pytest.mark.parametrize(
    ("body", "stop"),
    [
        *((chat(SOUND, finish_reason=reason), stop) for reason, stop in FINISHED.items()),
        *((response(said(words(SOUND)), status=status), stop) for status, stop in ENDED.items()),
        *(
            (response(said(words(SOUND)), status="incomplete", incomplete_details={"reason": reason}), stop)
            for reason, stop in INCOMPLETE.items()
        ),
        (response(said(words(SOUND)), error={"code": "server_error", "message": "x"}), Stop.FAILED),
        (response(said(words(SOUND), status="incomplete")), Stop.TRUNCATED),
        (response(said(words(SOUND), status="in_progress")), Stop.TRUNCATED),
        (response(said(words(SOUND), status="brand_new")), Stop.UNKNOWN),
        (response(said(words(SOUND), status="incomplete"), said(status="failed")), Stop.FAILED),
        (response(said(words(SOUND)), incomplete_details={"reason": "max_output_tokens"}), Stop.TRUNCATED),
    ],
)
def test_how_a_reply_ended_decides_before_the_content(body: dict[str, Any], stop: Stop) -> None:
    """The text is sound in each case."""
    delivery = delivery_of(received(body))
    admission = tasks.admit(delivery)
    assert delivery.stop is stop
    assert (admission.status is Status.CLEAN) == (stop is Stop.COMPLETE)
    assert admission.truncated == (stop is Stop.TRUNCATED)
    assert bool(admission.values) == (stop in (Stop.COMPLETE, Stop.TRUNCATED))


@pytest.mark.parametrize("reason", ["mostly_done", "", 7, {"a": 1}])
def test_an_ending_that_nobody_knows_admits_nothing(reason: Any) -> None:
    """Whatever field it stands in, and also when it is no text."""
    incomplete = response(said(words(SOUND)), status="incomplete", incomplete_details={"reason": reason})
    for body in (*each(SOUND, chat={"finish_reason": reason}, response={"status": reason}), incomplete):
        admission = tasks.admit(delivery_of(received(body)))
        assert not admission.values
        assert [finding.code for finding in admission.findings] == ["delivery.finish_reason_unknown"]


@pytest.mark.parametrize(
    "body",
    [
        chat(SOUND, refusal="I will not."),
        chat(None, refusal="I will not.", tool_calls=[function("tasks", SOUND)], finish_reason="tool_calls"),
        response(said(words(SOUND), {"type": "refusal", "refusal": "I will not."})),
        response(called("tasks", SOUND), said({"type": "refusal", "refusal": "I will not."})),
    ],
)
def test_a_refusal_beside_sound_content_admits_nothing(body: dict[str, Any]) -> None:
    """Its words are kept; both endpoints say that the reply is complete."""
    delivery = delivery_of(received(body))
    admission = tasks.admit(delivery)
    assert (admission.status, admission.values) == (Status.REFUSED, ())
    assert delivery.text.endswith("I will not.")


# ---------------------------------------------------------------------- what is read


def test_every_output_item_that_the_sdk_knows_is_decided_here() -> None:
    """A new kind of item, or of content, in the SDK fails here."""
    kinds = set().union(
        *(literals(item.model_fields["type"].annotation) for item in get_args(get_args(ResponseOutputItem)[0]))
    )
    assert kinds == READ | PASSED_OVER
    assert set().union(
        *(literals(part.model_fields["type"].annotation) for part in get_args(get_args(Content)[0]))
    ) == {"output_text", "refusal"}
    assert set(ChatCompletionMessage.model_fields) == {
        "content", "refusal", "role", "annotations", "audio", "function_call", "tool_calls",
    }  # fmt: skip


@pytest.mark.parametrize("kind", sorted(PASSED_OVER))
def test_what_is_no_payload_does_not_get_in_the_way(kind: str) -> None:
    """The model searched, or reasoned in JSON; then it answered."""
    aside = {
        "type": kind,
        "id": "i",
        "name": "tasks",
        "arguments": SOUND,
        "summary": [{"type": "summary_text", "text": SOUND}],
    }
    assert tasks.admit(delivery_of(received(response(aside, said(words(SOUND)))))).require_clean()


def test_one_bad_unit_costs_one_unit() -> None:
    """In a text, and in the arguments of a call."""
    mixed = f'{{"tasks": [{GOOD}, {{"title": "b", "days": "2"}}]}}'
    bodies = (*each(mixed), chat(tool_calls=[function("tasks", mixed)]), response(called("tasks", mixed)))
    for body in bodies:
        admission = tasks.admit(delivery_of(received(body)))
        assert [value.title for value in admission.values] == ["a"]
        assert [unit.reason for unit in admission.quarantined] == ["schema"]


def test_a_key_that_comes_twice_in_a_call_is_seen() -> None:
    """Arguments are text here, and nobody has read them before."""
    twice = f'{{"tasks": [{GOOD}, {{"title": "b", "days": 2, "days": 30}}]}}'
    for body in (chat(tool_calls=[function("tasks", twice)]), response(called("tasks", twice))):
        delivery = delivery_of(received(body))
        assert delivery.tool_calls[0].arguments == twice
        assert [unit.reason for unit in tasks.admit(delivery).quarantined] == ["duplicate_key"]


def test_arguments_that_a_server_sends_as_an_object_are_judged_all_the_same() -> None:
    """Some servers of the same API do."""
    for body in (chat(tool_calls=[function("tasks", json.loads(SOUND))]), response(called("tasks", json.loads(SOUND)))):
        assert tasks.admit(delivery_of(received(body))).require_clean()


@pytest.mark.parametrize(
    ("names", "admitted"),
    [(["park", "move"], 2), (["park", "delete_all"], 0), (["park", "park"], 2), (["park", ""], 0)],
)
def test_several_calls_are_judged_together(names: list[str], admitted: int) -> None:
    """In a batch, a call of a tool that was not offered costs all of them."""
    chats = chat(tool_calls=[function(name, '{"page": "a"}', f"t{n}") for n, name in enumerate(names)])
    items = response(*(called(name, '{"page": "a"}', f"t{n}") for n, name in enumerate(names)))
    for body in (chats, items):
        delivery = delivery_of(received(body))
        admission = edits.admit(delivery)
        assert [call.id for call in delivery.tool_calls] == ["t0", "t1"]
        assert len(admission.values) == admitted
        assert admission.status is (Status.CLEAN if admitted else Status.LOST)


def test_calls_of_other_kinds_are_calls() -> None:
    """A custom tool's input, and the one call of the old form."""
    custom = {"type": "custom", "id": "t", "custom": {"name": "task", "input": GOOD}}
    for body in (
        chat(tool_calls=[custom]),
        chat(function_call={"name": "task", "arguments": GOOD}, finish_reason="function_call"),
        response({"type": "custom_tool_call", "call_id": "t", "name": "task", "input": GOOD}),
    ):
        assert task.admit(delivery_of(received(body))).require_clean()


def test_each_choice_is_a_delivery_of_its_own() -> None:
    """The first one, or the one that is named; one that is not there is the caller's mistake."""
    two = chat(SOUND)
    two["choices"].append({**chat("none", finish_reason="length")["choices"][0], "index": 1})
    reply = received(two)
    assert tasks.admit(delivery_of(reply)).require_clean()
    assert delivery_of(reply, choice=1).stop is Stop.TRUNCATED
    for place in (2, -1):
        with pytest.raises(Misuse, match="it has 2, counted from 0"):
            delivery_of(reply, choice=place)


def test_what_the_provider_told_is_kept() -> None:
    """Usage in whole numbers, model, ids."""
    chats, items = (delivery_of(received(body)) for body in each(SOUND))
    assert chats.usage == {"prompt_tokens": 4, "completion_tokens": 3, "total_tokens": 7}
    assert items.usage == {"input_tokens": 4, "output_tokens": 3, "total_tokens": 7}
    assert [(one.model, one.ids["request"]) for one in (chats, items)] == [("made-up", "req_1")] * 2
    assert [one.ids["reply"] for one in (chats, items)] == ["c1", "r1"]


@pytest.mark.parametrize("form", ["schema", "tools"])
def test_what_was_asked_for_is_led_back(form: Any) -> None:
    """The request part goes into the client as it is; the answer in the wire's shape is read by its lens."""
    for target, make in (("openai/chat", chat), ("openai/responses", response)):
        asked = tasks.compile(target, form=form)
        call = function("tasks", SOUND) if make is chat else called("tasks", SOUND)
        body = (
            each(SOUND)[make is response]
            if form == "schema"
            else chat(tool_calls=[call])
            if make is chat
            else make(call)
        )
        with replies.openai(body) as client:
            reply: Any = (
                client.chat.completions.create(model="m", messages=[], **asked.request)
                if make is chat
                else client.responses.create(model="m", input="x", **asked.request)
            )
        assert tasks.admit(delivery_of(reply), compiled=asked).require_clean()


# ---------------------------------------------------------------------- the same in a stream


def chat_stream(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Write a reply of Chat Completions as the stream that it would have come in."""
    choice = body["choices"][0]
    message = choice["message"]
    deltas: list[dict[str, Any]] = [{"content": part} for part in re.findall(r"(?s).{1,7}", message["content"] or "")]
    deltas += [{"refusal": message["refusal"]}] if message["refusal"] else []
    for index, call in enumerate(message.get("tool_calls", ())):
        deltas.append({"tool_calls": [{**call, "index": index, "function": {**call["function"], "arguments": ""}}]})
        parts = re.findall(r"(?s).{1,7}", call["function"]["arguments"])
        deltas += [{"tool_calls": [{"index": index, "function": {"arguments": part}}]} for part in parts]
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": "made-up"}
    told = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    return [*told, {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}]


def response_stream(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Write a reply of Responses as the stream that it would have come in."""
    told: list[dict[str, Any]] = []
    for index, item in enumerate(body["output"]):
        told.append({"type": "response.output_item.added", "output_index": index, "item": item})
        for part in item.get("content", ()):
            kind = "refusal" if part["type"] == "refusal" else "output_text"
            text = part.get("text") or part.get("refusal")
            pieces = re.findall(r"(?s).{1,7}", text)
            told += [{"type": f"response.{kind}.delta", "output_index": index, "delta": piece} for piece in pieces]
        for key, kind in (("arguments", "function_call_arguments"), ("input", "custom_tool_call_input")):
            pieces = re.findall(r"(?s).{1,7}", item.get(key, ""))
            told += [{"type": f"response.{kind}.delta", "output_index": index, "delta": piece} for piece in pieces]
            told += [{"type": f"response.{kind}.done", "output_index": index}] if key in item else []
    return [*told, {"type": f"response.{body['status']}", "response": body}]


@pytest.mark.parametrize(
    ("contract", "body"),
    [
        (tasks, chat(f'{{"tasks": [{GOOD}, {{"title": 7, "days": 1}}]}}')),
        (tasks, chat(f'{{"tasks": [{GOOD}, {{"title": "cut of', finish_reason="length")),
        (tasks, chat(SOUND, refusal="No.")),
        (tasks, chat(SOUND, finish_reason="brand_new")),
        (edits, chat(tool_calls=[function("park", '{"page": "a"}'), function("stop", "{}", "t2")])),
        (tasks, response(said(words(f'{{"tasks": [{GOOD}, {{"title": 7, "days": 1}}]}}')))),
        (tasks, response(said(words(f'{{"tasks": [{GOOD}, {{"title": "cut of')), status="incomplete",
                         incomplete_details={"reason": "max_output_tokens"})),
        (tasks, response(said(words(SOUND), {"type": "refusal", "refusal": "No."}))),
        (tasks, response(said(words(SOUND)), status="incomplete", incomplete_details={"reason": "brand_new"})),
        (edits, response(called("park", '{"page": "a"}'), called("stop", "{}", "t2"))),
        (edits, response({"type": "custom_tool_call", "call_id": "t", "name": "park", "input": '{"page": "a"}'})),
    ],
)  # fmt: skip
def test_a_stream_gets_the_verdict_of_the_whole_reply(contract: Contract[Any], body: dict[str, Any]) -> None:
    """Through the SDK's own stream."""
    whole = contract.admit(delivery_of(received(body)))
    if body["object"] == "response":
        with replies.openai(replies.events(response_stream(body))) as client:
            stream = contract.stream(openai_chunks(client.responses.create(model="m", input="x", stream=True)))
            list(stream)
    else:
        with replies.openai(replies.events(chat_stream(body), named=False)) as client:
            stream = contract.stream(openai_chunks(client.chat.completions.create(model="m", messages=[], stream=True)))
            list(stream)
    told = stream.admission
    assert (told.status, told.values, told.truncated) == (whole.status, whole.values, whole.truncated)
    assert [unit.reason for unit in told.quarantined] == [unit.reason for unit in whole.quarantined]


# ---------------------------------------------------------------------- replies that are none, and secrets


@pytest.mark.parametrize(
    "held",
    [
        {}, {"choices": None}, {"choices": []}, {"choices": [None]}, {"choices": [{"message": None}]},
        {"choices": [{"message": {"content": 7, "refusal": [], "tool_calls": "x"}}], "usage": 5, "model": 7, "id": []},
        {"choices": [{"message": {"tool_calls": [None, {}, {"function": None}, {"function": {"arguments": 7}}]}}]},
        {"output": None}, {"output": [None, 7, {"type": "message"}, {"type": "message", "content": [None, {}]}]},
        {"output": [{"type": "function_call"}, {"type": "function_call", "name": 7, "arguments": {"a": [None]}}]},
        {"status": "completed", "incomplete_details": 7, "output": "x"},
    ],
)  # fmt: skip
def test_nothing_in_a_reply_raises(held: dict[str, Any]) -> None:
    """It admits nothing, however little of a reply it is."""
    for reply in (ChatCompletion.model_construct(**held), Response.model_construct(**held)):
        assert not tasks.admit(delivery_of(reply)).values


@pytest.mark.parametrize("wrong", ["text", None, 7, {"choices": []}])
def test_what_is_no_reply_is_a_mistake_of_the_callers(wrong: Any) -> None:
    """With the remedy."""
    with pytest.raises(Misuse, match="pass a ChatCompletion or a Response"):
        delivery_of(wrong)


def test_a_raw_response_is_a_mistake_with_a_remedy() -> None:
    """The arguments are text in the reply itself, so the raw one is not needed."""
    with replies.openai(chat(SOUND)) as client:
        raw = client.chat.completions.with_raw_response.create(model="m", messages=[])
    with pytest.raises(Misuse, match=r"\.parse\(\)"):
        delivery_of(raw)  # type: ignore[arg-type]  # the mistake is the test
    assert tasks.admit(delivery_of(raw.parse())).require_clean()


def test_the_key_of_the_client_is_in_nothing_that_is_told() -> None:
    """Nor in what is kept."""
    with MemoryQuarantine() as store, replies.openai(chat("no payload")) as client:
        assert client.api_key == SECRET
        delivery = delivery_of(client.chat.completions.create(model="m", messages=[]))
        admission = Port(contract=tasks, quarantine=store).admit(delivery)
        kept = store.show(store.list(Filter()).records[0].id)
        with pytest.raises(Misuse) as mistake:
            delivery_of(client)  # type: ignore[arg-type]  # the mistake is the test
        told = [repr(delivery), repr(admission), json.dumps(admission.to_dict()), repr(kept), str(mistake.value)]
    assert not [one for one in told if SECRET in one]


# ---------------------------------------------------------------------- the example


def test_the_example_prints_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    """Word for word."""
    page = Path(example.__file__).parents[2] / "docs" / "hooks" / "openai.md"
    shown = replies.printed(example.main, capsys)
    assert f"```console\n$ python -m examples.hooks.openai\n{shown}```" in page.read_text(encoding="utf-8")
