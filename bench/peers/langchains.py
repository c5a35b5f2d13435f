"""langchain-core's JSON parser, and trustcall with a model that calls its tool once and mends nothing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from bench.peers.peer import Answer, Document, Peer, Read, as_object

_ENVIRONMENT = "langchain"


def _open_markdown() -> Read:
    parse = import_module("langchain_core.utils.json").parse_json_markdown
    return lambda document: Answer(parse(document.text))


def _open_trustcall() -> Read:
    from bench.peers.unit import Report

    messages = import_module("langchain_core.messages")
    outputs = import_module("langchain_core.outputs")
    tools = import_module("langchain_core.output_parsers.openai_tools")
    chat: Any = import_module("langchain_core.language_models").BaseChatModel
    create_extractor = import_module("trustcall").create_extractor
    says = [""]

    class Says(chat):  # type: ignore[misc]  # the peer is not installed where this is type-checked
        """Say the document as the arguments of one tool call, as a provider's class would hand it on."""

        @property
        def _llm_type(self) -> str:
            return "says"

        def bind_tools(self, _tools: Any, **_options: Any) -> Any:
            return self

        def _generate(self, *_inputs: Any, **_options: Any) -> Any:
            raw = {"id": "1", "type": "function", "function": {"name": "Report", "arguments": says[0]}}
            try:
                message = messages.AIMessage("", tool_calls=[tools.parse_tool_call(raw, return_id=True)])
            except Exception as error:  # noqa: BLE001  # as a provider's class does: the call is kept as invalid
                invalid = tools.make_invalid_tool_call(raw, str(error))
                message = messages.AIMessage("", invalid_tool_calls=[invalid])
            return outputs.ChatResult(generations=[outputs.ChatGeneration(message=message)])

    extractor = create_extractor(Says(), tools=[Report], tool_choice="Report")

    def read(document: Document) -> Answer:
        says[0] = as_object(document)
        result = extractor.invoke({"messages": [("user", "read")]})
        return Answer(list(result["responses"]), not result["responses"])

    return read


PEERS = (
    Peer(
        name="langchain-core",
        package="langchain-core",
        environment=_ENVIRONMENT,
        call="parse_json_markdown(text)",
        needs=("langchain_core",),
        open=_open_markdown,
    ),
    Peer(
        name="trustcall",
        package="trustcall",
        environment=_ENVIRONMENT,
        call="create_extractor(model that mends nothing, tools=[Report]).invoke()",
        needs=("langchain_core", "trustcall"),
        open=_open_trustcall,
    ),
)
