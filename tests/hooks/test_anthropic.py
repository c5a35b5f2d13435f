"""Anthropic's own client: what it brings is judged by what was sent, and by how it ended, before its content."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import httpx2
import pytest
from anthropic import Anthropic, AsyncAnthropic
from anthropic.types import Message, RawMessageStreamEvent, StopReason
from anthropic.types.content_block import ContentBlock
from examples.hooks import anthropic as example

from hooks import replies
from hooks.replies import GOOD, SECRET, edits, literals, task, tasks
from pratique import Admission, Contract, Misuse, Status, anthropic_chunks
from pratique.boundary.delivery import Stop, stop_of
from pratique.hooks.anthropic import delivery_of
from pratique.hooks.port import Port
from pratique.quarantine import Filter, MemoryQuarantine

ENDED = {
    "end_turn": Stop.COMPLETE,
    "stop_sequence": Stop.COMPLETE,
    "tool_use": Stop.COMPLETE,
    "max_tokens": Stop.TRUNCATED,
    "pause_turn": Stop.TRUNCATED,
    "model_context_window_exceeded": Stop.TRUNCATED,
    "refusal": Stop.DECLINED,
}
READ = {"text", "tool_use"}
PASSED_OVER = {
    "thinking", "redacted_thinking", "server_tool_use", "web_search_tool_result", "web_fetch_tool_result",
    "code_execution_tool_result", "bash_code_execution_tool_result", "text_editor_code_execution_tool_result",
    "tool_search_tool_result", "container_upload",
}  # fmt: skip
"""What the provider does itself, and what a model says to itself: no payload of a contract."""


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def call(name: str, arguments: str, id: str = "t1") -> str:
    return f'{{"type": "tool_use", "id": "{id}", "name": "{name}", "input": {arguments}}}'


def message(*blocks: Any, stop_reason: Any = "end_turn", **more: Any) -> str:
    """Write a reply as text; blocks that are text already stand as they are."""
    told = {"id": "msg_1", "type": "message", "role": "assistant", "model": "made-up", "stop_reason": stop_reason}
    told |= {
        "stop_sequence": None,
        "usage": {"input_tokens": 4, "output_tokens": 3, "service_tier": "standard"},
        **more,
    }
    content = ", ".join(block if isinstance(block, str) else json.dumps(block) for block in blocks)
    return f'{{"content": [{content}], {json.dumps(told)[1:]}'


def raw(body: str) -> Any:
    with replies.anthropic(body) as client:
        return client.messages.with_raw_response.create(model="m", max_tokens=9, messages=[])


def parsed(body: str) -> Message:
    with replies.anthropic(body) as client:
        return client.messages.create(model="m", max_tokens=9, messages=[])


def both(contract: Contract[Any], body: str, **asked: Any) -> list[Admission[Any]]:
    """Judge one reply as it was sent, and as the SDK read it."""
    return [contract.admit(delivery_of(make(body)), **asked) for make in (raw, parsed)]


# ---------------------------------------------------------------------- how it ended, before what it says


def test_every_stop_reason_that_the_sdk_knows_is_decided_here() -> None:
    """A new value in the SDK fails here, so that somebody decides what it means."""
    assert literals(StopReason) == set(ENDED)
    assert {reason: stop_of(reason) for reason in ENDED} == ENDED


@pytest.mark.parametrize("reason", sorted(ENDED))
def test_a_stop_reason_decides_before_the_content(reason: str) -> None:
    """The text is sound in each case."""
    for admission in both(tasks, message(text(f'{{"tasks": [{GOOD}]}}'), stop_reason=reason)):
        assert admission.truncated == (ENDED[reason] is Stop.TRUNCATED)
        assert (admission.status is Status.CLEAN) == (ENDED[reason] is Stop.COMPLETE)
        assert bool(admission.values) == (ENDED[reason] is not Stop.DECLINED)


@pytest.mark.parametrize("reason", ["mostly_done", "", 7, {"type": "end_turn"}, ["end_turn"]])
def test_a_stop_reason_that_nobody_knows_admits_nothing(reason: Any) -> None:
    """Also one that is no text."""
    for admission in both(tasks, message(text(f'{{"tasks": [{GOOD}]}}'), stop_reason=reason)):
        assert not admission.values
        assert [finding.code for finding in admission.findings] == ["delivery.finish_reason_unknown"]


def test_a_refusal_with_a_sound_text_admits_nothing() -> None:
    """By the stop reason, or by its details alone."""
    details = {"type": "refusal", "category": "cyber", "explanation": "no"}
    for told in ({"stop_reason": "refusal"}, {"stop_details": details}):
        for admission in both(task, message(text(GOOD), **told)):
            assert (admission.status, admission.values) == (Status.REFUSED, ())


def test_a_reply_that_was_cut_off_is_told_as_such_though_it_parses() -> None:
    """The API closes the arguments of a call that ran out of tokens."""
    for admission in both(tasks, message(call("tasks", f'{{"tasks": [{GOOD}]}}'), stop_reason="max_tokens")):
        assert admission.truncation is not None
        assert (admission.truncation.told, admission.truncation.seen) == (True, False)
        assert admission.status is Status.PARTIAL


# ---------------------------------------------------------------------- what is read


def test_every_content_block_that_the_sdk_knows_is_decided_here() -> None:
    """A new kind of block in the SDK fails here."""
    blocks = get_args(get_args(ContentBlock)[0])
    kinds = set().union(*(literals(block.model_fields["type"].annotation) for block in blocks))
    assert kinds == READ | PASSED_OVER


@pytest.mark.parametrize("kind", sorted(PASSED_OVER))
def test_what_is_no_payload_does_not_get_in_the_way(kind: str) -> None:
    """The model searched, or thought aloud in JSON; then it answered."""
    aside = {
        "type": kind,
        "id": "s1",
        "name": "web_search",
        "input": {"tasks": []},
        "thinking": f'{{"tasks": [{GOOD}]}}',
    }
    for admission in both(tasks, message(aside, text(f'{{"tasks": [{GOOD}]}}'))):
        assert admission.require_clean()


def test_text_in_pieces_is_one_text() -> None:
    """Citations cut a text into blocks."""
    for admission in both(tasks, message(text('{"tasks": [{"title": "a", "d'), text('ays": 1}]}'))):
        assert admission.require_clean()


def test_a_key_that_comes_twice_in_a_call_is_seen_where_the_text_is_there() -> None:
    """In what was sent. The SDK's own reading has forgotten the first value, and nothing can be told any more."""
    twice = message(call("tasks", f'{{"tasks": [{GOOD}, {{"title": "b", "days": 2, "days": 30}}]}}'))
    sent, read = both(tasks, twice)
    assert [unit.reason for unit in sent.quarantined] == ["duplicate_key"]
    assert [value.days for value in sent.values] == [1]
    assert [value.days for value in read.values] == [1, 30]


def test_the_characters_of_arguments_are_those_that_were_sent() -> None:
    """Digits and spaces too; from a message they are written anew."""
    body = message(text("I call."), call("task", '{ "title": "\\u00e9", "days": 1.50 }'))
    assert delivery_of(raw(body)).tool_calls[0].arguments == '{ "title": "\\u00e9", "days": 1.50 }'
    assert delivery_of(parsed(body)).tool_calls[0].arguments == '{"title": "é", "days": 1.5}'


def test_several_calls_are_judged_together() -> None:
    """A batch of two sound calls passes; with one that is not sound it does not."""
    sound = [call("park", '{"page": "a"}'), call("move", '{"page": "b", "to": 3}', "t2")]
    for admission in both(edits, message(*sound, stop_reason="tool_use")):
        assert [value.kind for value in admission.require_clean()] == ["park", "move"]
    for admission in both(edits, message(*sound, call("move", '{"page": 7}', "t3"), stop_reason="tool_use")):
        assert not admission.values


def test_a_call_of_a_tool_that_was_not_offered_is_lost_and_told() -> None:
    """It costs itself in a list, and everything in a batch."""
    body = message(call("tasks", f'{{"tasks": [{GOOD}]}}'), call("delete_all", "{}", "t2"), stop_reason="tool_use")
    for admission in both(tasks, body):
        assert (len(admission.values), admission.counts["quarantined"]) == (1, 1)
        assert "frame.unknown_tool" in [finding.code for finding in admission.all_findings]
    for admission in both(edits, message(call("park", '{"page": "a"}'), call("delete_all", "{}", "t2"))):
        assert not admission.values


def test_what_was_asked_for_is_led_back() -> None:
    """The request part goes into the client as it is; the answer in the wire's shape is read by its lens."""
    asked = edits.compile("anthropic/tools")
    seen: list[Any] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(json.loads(request.content))
        return httpx2.Response(200, text=message(call("stop", "{}"), stop_reason="tool_use"))

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    with Anthropic(api_key=SECRET, http_client=http) as client:
        reply = client.messages.with_raw_response.create(model="m", max_tokens=9, messages=[], **asked.request)
    assert seen[0]["tools"] == [dict(tool) for tool in asked.tools]
    assert [value.kind for value in edits.admit(delivery_of(reply), compiled=asked).require_clean()] == ["stop"]


def test_what_the_provider_told_is_kept() -> None:
    """Usage in whole numbers, model, ids."""
    for delivery in (delivery_of(raw(message())), delivery_of(parsed(message()))):
        assert delivery.usage == {"input_tokens": 4, "output_tokens": 3}
        assert delivery.model == "made-up"
        assert delivery.ids == {"message": "msg_1", "request": "req_1"}


# ---------------------------------------------------------------------- the same in a stream


def streamed(body: str) -> list[dict[str, Any]]:
    """Write a reply as the stream that it would have come in."""
    whole = json.loads(body)
    told: list[dict[str, Any]] = [{"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}]
    for index, block in enumerate(whole["content"]):
        opened = {**block, "text": ""} if block["type"] == "text" else {**block, "input": {}}
        told.append({"type": "content_block_start", "index": index, "content_block": opened})
        if block["type"] == "text":
            deltas = [{"type": "text_delta", "text": piece} for piece in re.findall(r"(?s).{1,7}", block["text"])]
        else:
            pieces = re.findall(r"(?s).{1,7}", json.dumps(block["input"])) if block["input"] else [""]
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
        told += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        told.append({"type": "content_block_stop", "index": index})
    told.append({"type": "message_delta", "delta": {"stop_reason": whole["stop_reason"]}, "usage": whole["usage"]})
    return [*told, {"type": "message_stop"}]


@pytest.mark.parametrize(
    ("contract", "body"),
    [
        (tasks, message(text(f'{{"tasks": [{GOOD}, {{"title": 7, "days": 1}}]}}'))),
        (tasks, message(text(f'{{"tasks": [{GOOD}, {{"title": "cut of'), stop_reason="max_tokens")),
        (tasks, message(text(f'{{"tasks": [{GOOD}]}}'), stop_reason="refusal")),
        (tasks, message(text(f'{{"tasks": [{GOOD}]}}'), stop_reason="brand_new")),
        (tasks, message({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}},
                        text(f'{{"tasks": [{GOOD}]}}'))),
        (edits, message(call("park", '{"page": "a"}'), call("stop", "{}", "t2"), stop_reason="tool_use")),
        (edits, message(call("park", '{"page": "a"}'), call("delete_all", '{"a": 1}', "t2"), stop_reason="tool_use")),
    ],
    ids=["partial", "cut", "refused", "unknown stop", "server tool", "a call without arguments", "unknown tool"],
)  # fmt: skip
def test_a_stream_gets_the_verdict_of_the_whole_reply(contract: Contract[Any], body: str) -> None:
    """Through the SDK's own stream."""
    with replies.anthropic(replies.events(streamed(body))) as client:
        stream = contract.stream(
            anthropic_chunks(client.messages.create(model="m", max_tokens=9, messages=[], stream=True))
        )
        list(stream)
    whole = contract.admit(delivery_of(body))
    told = stream.admission
    assert (told.status, told.values, told.truncated) == (whole.status, whole.values, whole.truncated)
    assert [unit.reason for unit in told.quarantined] == [unit.reason for unit in whole.quarantined]


def test_the_streams_of_these_tests_are_the_sdks() -> None:
    """Their events are of the kinds that the SDK knows."""
    kinds = set().union(
        *(literals(kind.model_fields["type"].annotation) for kind in get_args(get_args(RawMessageStreamEvent)[0]))
    )
    assert {event["type"] for event in streamed(message(text("x"), call("a", "{}")))} == kinds


# ---------------------------------------------------------------------- replies that are none, and secrets


@pytest.mark.parametrize(
    "body",
    [
        "{}", '{"content": null}', '{"content": 7, "usage": "x", "id": 5}', '{"content": {"type": "text"}}',
        '{"content": [null, 7, "x", [], {"type": "tool_use"}, {"type": "tool_use", "input": "{", "name": 5}]}',
        '{"content": [{"type": []}, {"type": "text"}, {"text": "x"}]}',
        '{"content": [{"type": "text", "text": null}], "stop_details": 7, "usage": [1], "model": {}}',
        '{"content": [], "content": [{"type": "tool_use", "name": "tasks", "input": {"tasks": 1}}]}',
        '{"content": [{"type": "tool_use", "name": "tasks", "input": ' + '{"a":' * 900 + "1" + "}" * 900 + "}]}",
    ],
)  # fmt: skip
def test_nothing_in_a_reply_raises(body: str) -> None:
    """It admits nothing, however little of a reply it is."""
    assert not tasks.admit(delivery_of(body)).values
    assert not tasks.admit(delivery_of(Message.model_construct(**json.loads(body)))).values


@pytest.mark.parametrize(
    "body", ["no reply", "[]", "", b"\xff", "[" * 100_000, '{"content": [{"a":' + '{"a":' * 100_000]
)
def test_a_body_that_cannot_be_read_is_refused_and_kept(body: str | bytes) -> None:
    """A model can write arguments deeper than any reader goes, and a proxy a page of its own."""
    admission = tasks.admit(delivery_of(body))
    assert [finding.code for finding in admission.findings] == ["delivery.finish_reason_unknown"]
    assert not admission.values
    assert len(admission.delivery.text) == len(body)


@pytest.mark.parametrize("wrong", [7, None, {"content": []}])
def test_what_is_no_reply_is_a_mistake_of_the_callers(wrong: Any) -> None:
    """With the remedy."""
    with pytest.raises(Misuse, match="pass a Message"):
        delivery_of(wrong)


def test_an_asynchronous_response_is_read_by_its_caller() -> None:
    """Reading it would wait; its text does."""
    import anyio

    async def ask() -> None:
        async with AsyncAnthropic(
            api_key=SECRET,
            http_client=httpx2.AsyncClient(
                transport=httpx2.MockTransport(lambda _: httpx2.Response(200, text=message(text(GOOD))))
            ),
        ) as client:
            response = await client.messages.with_raw_response.create(model="m", max_tokens=9, messages=[])
            with pytest.raises(Misuse, match=r"await response.text\(\)"):
                delivery_of(response)  # type: ignore[arg-type]  # that it is refused by the type checker too is meant
            assert task.admit(delivery_of(await response.text())).require_clean()

    anyio.run(ask)


def test_the_key_of_the_client_is_in_nothing_that_is_told() -> None:
    """Nor in what is kept."""
    with MemoryQuarantine() as store, replies.anthropic(message(text("no payload"))) as client:
        assert client.api_key == SECRET
        response = client.messages.with_raw_response.create(model="m", max_tokens=9, messages=[])
        delivery = delivery_of(response)
        admission = Port(contract=tasks, quarantine=store).admit(delivery)
        kept = store.show(store.list(Filter()).records[0].id)
        with pytest.raises(Misuse) as mistake:
            delivery_of(client)  # type: ignore[arg-type]  # the mistake is the test
        told = [repr(delivery), repr(admission), json.dumps(admission.to_dict()), repr(kept), str(mistake.value)]
    assert not [one for one in told if SECRET in one]


# ---------------------------------------------------------------------- the example


def test_the_example_prints_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    """Word for word."""
    page = Path(example.__file__).parents[2] / "docs" / "hooks" / "anthropic.md"
    shown = replies.printed(example.main, capsys)
    assert f"```console\n$ python -m examples.hooks.anthropic\n{shown}```" in page.read_text(encoding="utf-8")
