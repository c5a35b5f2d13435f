"""The boundary inside pydantic-ai: what a model wrote is judged before pydantic-ai's own validation sees it.

The agent's output is the admission itself: the sound units are in its ``values``, what was lost is in it and in the
quarantine, and a cut-off reply says so. Nothing but an admission passes as output: an agent that was given the output
type and not the boundary refuses every reply.

Refuses: a reply whose finish reason nobody here knows, a stream that is not complete, a tool call with unsound
arguments. What goes back to the model are typed findings, never what it wrote.
Neighbours: ``port`` judges; ``contract.compile`` says what is asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import copy, deepcopy
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar, cast

from pydantic_core import core_schema
from typing_extensions import override

from pratique.boundary.admission import Admission, NotClean, Status
from pratique.boundary.delivery import Delivery, Stop, ToolCall
from pratique.errors import Misuse
from pratique.hooks.port import Port, lesser_end, require_tools
from pratique.hooks.wire import json_text

try:
    from anyio.to_thread import run_sync
    from pydantic_ai import ModelRetry, NativeOutput, RunContext, ToolOutput
    from pydantic_ai._json_schema import JsonSchemaTransformerWithOutputOverride
    from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.messages import ModelResponse, ToolCallPart, ToolReturn
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.output import OutputContext, OutputSpec
    from pydantic_ai.profiles import JsonSchemaTransformer
    from pydantic_ai.tools import ToolDefinition
except ImportError as error:
    raise Misuse(
        "the hook for pydantic-ai needs the package pydantic-ai-slim, 2.68 or later, which is not installed",
        remedy="pip install 'pratique[pydantic-ai]'",
    ) from error

__all__ = ["Boundary", "as_compiled", "delivery_of"]

T = TypeVar("T")


class Boundary(AbstractCapability[Any], Generic[T]):
    """Judge a model's output and its tool calls at the boundary.

    ::

        boundary = Boundary(Port(contract=triage, compiled=triage.compile("openai/chat"), quarantine=store))
        agent = Agent(model, output_type=boundary.output_type, capabilities=[boundary])
        admission = agent.run_sync("…").output

    Shape: ``output`` is the port of the agent's output, ``tools`` those of its function tools, by the tool's name.
        A port needs ``compiled`` where pydantic-ai shall ask for it: always for the output. Where one tool has a
        port, every other one is refused that is not named in ``unsafe_unjudged``.
    Errors: Misuse where a port cannot stand for what it is given for. While an agent runs: ``ModelRetry`` with typed
        findings where nothing usable came, and ``NotClean``, with the admission, where asking again cannot help: the
        reply was cut off before its first unit, was filtered, or ended in a way that nobody here knows.
    Not checked: whether what was admitted is true; keys that came twice where a provider's client had parsed the
        arguments before pydantic-ai had them.
    """

    def __init__(
        self,
        output: Port[T] | None = None,
        *,
        tools: Mapping[str, Port[Any]] | None = None,
        unsafe_unjudged: Collection[str] = (),
    ) -> None:
        self.id = None
        self.description = None
        self.defer_loading = False
        self._output = output
        self._tools = dict(tools or {})
        self._unjudged = frozenset(unsafe_unjudged)
        self._lost: dict[str, str] = {}
        if output is not None:
            _document(output)  # or Misuse
        require_tools(self._tools)

    @property
    def output_type(self) -> OutputSpec[Admission[T]]:
        """What the agent takes for ``output_type``: pydantic-ai asks for the contract and passes admissions alone.

        Shape: a contract compiled in the form ``schema`` is native output, in the form ``tools`` an output tool.
        """
        if self._output is None:
            raise Misuse("the boundary has no port for the output", remedy="write Boundary(Port(…))")
        compiled = self._output.compiled
        assert compiled is not None  # _document asked for it
        name, description = compiled.terms.tool_name, _said(self._output, "description") or None
        made = ToolOutput if compiled.form == "tools" else NativeOutput
        return cast("OutputSpec[Admission[T]]", made(_AdmissionOnly, name=name, description=description))

    # ------------------------------------------------------------------ what pydantic-ai calls

    @override
    def get_ordering(self) -> CapabilityOrdering:
        """Stand outside the other capabilities: what is judged is what the model wrote, before anybody mends it."""
        return CapabilityOrdering(position="outermost")

    @override
    async def for_run(self, ctx: RunContext[Any]) -> Boundary[T]:
        """Give each run a boundary of its own: what one run lost is told in no other."""
        mine = copy(self)
        mine._lost = {}
        return mine

    @override
    async def prepare_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Ask with what the contracts were compiled to."""
        asked = request_context.model_request_parameters
        request_context.model_request_parameters = replace(
            asked,
            function_tools=[self._asked_by(tool, self._tools.get(tool.name)) for tool in asked.function_tools],
            output_tools=[self._asked_by(tool, self._output) for tool in asked.output_tools],
        )
        if asked.output_object is not None and self._output is not None and _is_ours(asked.output_object.json_schema):
            request_context.model_request_parameters.output_object = replace(
                asked.output_object, json_schema=deepcopy(_document(self._output)), strict=_said(self._output, "strict")
            )
        return request_context

    @override
    async def wrap_output_validate(
        self, ctx: RunContext[Any], *, output_context: OutputContext, output: Any, handler: Any
    ) -> Any:
        """Judge the output; what comes out is the admission, and no other validation sees the reply."""
        if output_context.output_type is not _AdmissionOnly:
            if self._output is None:
                return await handler(output)
            raise UserError("the agent's output type is not the boundary's: write output_type=boundary.output_type")
        if self._output is None:
            raise UserError("this boundary has no port for the output: give the agent the one with the output type")
        delivery = delivery_of(_response(ctx))
        call = output_context.tool_call
        if call is None and delivery.tool_calls:
            raise ModelRetry("text beside tool calls is not the output")  # the tools run, and the model is asked again
        if call is None:
            delivery = replace(delivery, text=str(output))
        else:
            delivery = replace(delivery, text="", tool_calls=(_call(call),))
        admission = await run_sync(partial(self._output.admit, delivery, run_id=ctx.run_id, attempt=ctx.run_step))
        if admission.values or admission.status is Status.EMPTY:
            return admission
        raise _nothing_usable(self._output, admission)

    @override
    async def wrap_tool_validate(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any, handler: Any
    ) -> dict[str, Any]:
        """Judge the arguments of a function tool; the tool gets what was admitted, in plain JSON values."""
        port = self._tools.get(call.tool_name)
        if port is None and self._tools and call.tool_name not in self._unjudged:
            raise UserError(f"no port judges the tool {call.tool_name!r}: give it one, or name it in unsafe_unjudged=")
        if port is None:
            return cast("dict[str, Any]", await handler(args))
        delivery, place = _delivery_with(ctx, call)
        takes = tool_def.parameters_json_schema.get("properties", {})
        admission, arguments = await run_sync(
            partial(port.admit_call, delivery, place, takes=takes, run_id=ctx.run_id, attempt=ctx.run_step)
        )
        if arguments is None:
            raise _nothing_usable(port, admission)
        self._lost[call.tool_call_id] = port.told(admission)
        return cast("dict[str, Any]", await handler(arguments))

    @override
    async def wrap_tool_execute(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any, handler: Any
    ) -> Any:
        """Tell the model, beside the tool's answer, what the tool did not get."""
        answer = await handler(args)
        lost = self._lost.pop(call.tool_call_id, "")
        if not lost:
            return answer
        told = answer if isinstance(answer, ToolReturn) else ToolReturn(answer)
        beside = [told.content] if isinstance(told.content, str) else list(told.content or ())
        return replace(told, content=[*beside, lost])

    # ------------------------------------------------------------------ private

    def _asked_by(self, tool: ToolDefinition, port: Port[Any] | None) -> ToolDefinition:
        """Ask for a tool with what its contract was compiled to."""
        schema = None if port is None else _schemas(port).get(tool.name)
        if port is None or schema is None or (tool.kind == "output" and not _is_ours(tool.parameters_json_schema)):
            return tool
        return replace(tool, parameters_json_schema=deepcopy(schema), strict=_said(port, "strict"))


def as_compiled(*ports: Port[Any], otherwise: type[JsonSchemaTransformer] | None = None) -> type[JsonSchemaTransformer]:
    """Make the ``json_schema_transformer`` of a model's profile that sends what contracts were compiled to, unchanged.

    ::

        profile={"json_schema_transformer": as_compiled(port, otherwise=OpenAIJsonSchemaTransformer)}

    Shape: a schema that no port was compiled to goes through ``otherwise``, the model's own transformer, as before;
        None: it is sent as it is.
    """
    sent = [schema for port in ports for schema in _schemas(port).values()]

    class AsCompiled(JsonSchemaTransformer):
        def transform(self, schema: dict[str, Any]) -> dict[str, Any]:
            return schema

        def walk(self) -> dict[str, Any]:
            if otherwise is None or self.schema in sent:
                return deepcopy(self.schema)
            own = otherwise(self.schema, strict=self.strict)
            walked = own.walk()
            self.is_strict_compatible = own.is_strict_compatible
            return walked

    if otherwise is None or not issubclass(otherwise, JsonSchemaTransformerWithOutputOverride):
        return AsCompiled
    of_output = as_compiled(*ports, otherwise=otherwise.output_object_transformer)

    class AsCompiledWithOutput(AsCompiled, JsonSchemaTransformerWithOutputOverride):
        output_object_transformer: ClassVar[type[JsonSchemaTransformer]] = of_output

    return AsCompiledWithOutput


def delivery_of(response: ModelResponse) -> Delivery:
    """Make a delivery of a response: its text, its tool calls, and how it ended.

    Shape: of two words for the end, pydantic-ai's and the provider's, the one that promises less; a word that only
        the provider told and nobody knows stays, and refuses.
    Not checked: arguments that a provider's client had parsed are written as JSON again; keys that came twice in them
        are gone.
    """
    told = {
        "response": response.provider_response_id, "run": response.run_id, "conversation": response.conversation_id
    }  # fmt: skip
    return Delivery(
        text=response.text or "",
        tool_calls=tuple(_call(part) for part in response.tool_calls),
        finish_reason=_finish_reason(response),
        usage={"input_tokens": response.usage.input_tokens, "output_tokens": response.usage.output_tokens},
        model=response.model_name,
        ids={name: id for name, id in told.items() if id is not None},
    )


class _AdmissionOnly:
    """The output type of a boundary: pydantic-ai's own validation passes admissions, and refuses all that is raw."""

    __is_model_like__ = True

    @classmethod
    def __get_pydantic_core_schema__(cls, *_: Any) -> core_schema.CoreSchema:
        return core_schema.is_instance_schema(Admission)

    @classmethod
    def __get_pydantic_json_schema__(cls, *_: Any) -> dict[str, Any]:
        return {"type": "object", "title": cls.__name__}


def _response(ctx: RunContext[Any]) -> ModelResponse:
    """Return the response that is judged.

    ``run_stream`` shows a hook parts of an output, then all of it, and never how the reply ended; a part, or a whole
    that might have been cut off, is not judged.
    """
    last = ctx.messages[-1] if ctx.messages else None
    if ctx.partial_output or not isinstance(last, ModelResponse):
        raise UserError(
            "run_stream() and stream_output() do not tell how a reply ended, so nothing of it is judged; "
            "use run(), or run_stream_events()"
        )
    return last


def _delivery_with(ctx: RunContext[Any], call: ToolCallPart) -> tuple[Delivery, int]:
    """Return the delivery that a call came in, and its place there; a call that waited for a person came earlier."""
    for message in reversed(ctx.messages):
        calls = message.tool_calls if isinstance(message, ModelResponse) else []
        for place, other in enumerate(calls):
            if isinstance(message, ModelResponse) and other.tool_call_id == call.tool_call_id:
                return delivery_of(message), place
    # a call that the model did not write itself, as one of its code: it ended as the reply did
    return replace(delivery_of(_response(ctx)), tool_calls=(_call(call),)), 0


def _call(part: ToolCallPart) -> ToolCall:
    """Read a tool call: its arguments as they came, or written again where they came parsed."""
    return ToolCall(part.tool_name, json_text({} if part.args is None else part.args), part.tool_call_id)


def _finish_reason(response: ModelResponse) -> str | None:
    """Choose the word that tells how a response ended."""
    if response.state != "complete":
        return "incomplete"
    return lesser_end((response.finish_reason, (response.provider_details or {}).get("finish_reason")))


def _nothing_usable(port: Port[Any], admission: Admission[Any]) -> Exception:
    """Say what follows where nothing usable came: ask again, or not where the same question has the same end.

    Not pydantic-ai's own exceptions for a cut or a filter: of an output tool it takes them for retries that ran out.
    """
    if admission.delivery.stop in (Stop.DECLINED, Stop.UNKNOWN, Stop.TRUNCATED):
        return NotClean(admission)
    return ModelRetry(f"Nothing of the reply was admitted. Write all of it again and mend this: {port.told(admission)}")


# ---------------------------------------------------------------------- what was compiled


_SCHEMAS = frozenset({"schema", "parameters", "input_schema", "inputSchema", "parameters_json_schema"})
"""Where the targets put a schema: what stands in it is not the tool's own."""


def _schemas(port: Port[Any]) -> dict[str, dict[str, Any]]:
    """Return the schemas that a port asks with, by the name of the tool; nothing where it asks with none."""
    compiled = port.compiled
    if compiled is None or compiled.form == "words":
        return {}
    variants = compiled.form == "tools" and all(
        compiled.terms.unit.tag_of(name) is not None for name in compiled.schema
    )
    return dict(compiled.schema) if variants else {compiled.terms.tool_name: dict(compiled.schema)}


def _document(port: Port[Any]) -> dict[str, Any]:
    """Return the schema of the whole document, for the output."""
    schemas = _schemas(port)
    if schemas.keys() != {port.compiled.terms.tool_name if port.compiled else ""}:
        raise Misuse(
            f"the port of {port.contract.name!r} does not ask for one document",
            remedy='give it compiled=contract.compile(target), with form="schema" where each variant would be a tool',
        )
    return next(iter(schemas.values()))


def _said(port: Port[Any], word: str) -> Any:
    """Return what the compiled request says beside its schemas."""
    parts: list[Any] = [port.compiled.request if port.compiled else None]
    while parts:
        part = parts.pop()
        if isinstance(part, Mapping):
            if word in part:
                return part[word]
            parts.extend(value for key, value in part.items() if key not in _SCHEMAS)
        elif isinstance(part, (list, tuple)):
            parts.extend(part)
    return None


def _is_ours(schema: Mapping[str, Any]) -> bool:
    """Say whether a schema stands for a boundary's output."""
    return schema.get("title") == _AdmissionOnly.__name__
