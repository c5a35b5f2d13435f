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
from pratique.boundary.delivery import Delivery, Stop, ToolCall, stop_of
from pratique.errors import Misuse
from pratique.hooks.port import NOTHING_THERE, Port, require_tools
from pratique.hooks.wire import in_reply, json_text, lesser_end, word_of

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
        self.id = self.description = None
        self.defer_loading = False
        require_tools(tools or {}, unsafe_unjudged)
        self._output, self._tools, self._unjudged = output, dict(tools or {}), frozenset(unsafe_unjudged)
        self._lost: dict[str, str] = {}
        if output is not None and (output.compiled is None or [*output.schemas] != [output.compiled.terms.tool_name]):
            raise Misuse(
                f"the port of {output.contract.name!r} does not ask for one document",
                remedy='give it compiled=contract.compile(target), with form="schema" where variants would be tools',
            )

    @property
    def output_type(self) -> OutputSpec[Admission[T]]:
        """What the agent takes for ``output_type``: pydantic-ai asks for the contract and passes admissions alone.

        Shape: a contract compiled in the form ``schema`` is native output, in the form ``tools`` an output tool.
        """
        if self._output is None or self._output.compiled is None:
            raise Misuse("the boundary has no port for the output", remedy="write Boundary(Port(…))")
        made = ToolOutput if self._output.compiled.form == "tools" else NativeOutput
        name, description = self._output.compiled.terms.tool_name, self._output.said("description") or None
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
        asked, port = request_context.model_request_parameters, self._output
        request_context.model_request_parameters = replace(
            asked,
            function_tools=[_asked_by(tool, self._tools.get(tool.name)) for tool in asked.function_tools],
            output_tools=[
                _asked_by(tool, port if _is_ours(tool.parameters_json_schema) else None) for tool in asked.output_tools
            ],
        )
        output = asked.output_object
        if port is not None and output is not None and _is_ours(output.json_schema):
            (schema,) = port.schemas.values()
            native = replace(output, json_schema=dict(schema), strict=port.said("strict"))
            request_context.model_request_parameters.output_object = native
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
        response, call = _response(ctx), output_context.tool_call
        delivery = delivery_of(response)
        if call is not None:  # pydantic-ai takes one call of the tool, and passes over the rest
            mine = tuple(other for other in delivery.tool_calls if other.name == call.tool_name)
            delivery = replace(delivery, text="", tool_calls=mine)
        elif delivery.tool_calls:
            raise ModelRetry("text beside tool calls is not the output")  # the tools run, and the model is asked again
        else:
            delivery = replace(delivery, text=str(output))
        admission = await run_sync(partial(self._output.admit, delivery, **_named(ctx, response)))
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
        response, delivery, place = _come_in(ctx, _call(call))
        takes = tool_def.parameters_json_schema.get("properties", {})
        admission, arguments = await run_sync(
            partial(port.admit_call, delivery, place, takes=takes, **_named(ctx, response))
        )
        if arguments is None or (tool_def.kind == "external" and _is_not_as_written(admission)):
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


def as_compiled(*ports: Port[Any], otherwise: type[JsonSchemaTransformer] | None = None) -> type[JsonSchemaTransformer]:
    """Make the ``json_schema_transformer`` of a model's profile that sends what contracts were compiled to, unchanged.

    ::

        profile={"json_schema_transformer": as_compiled(port, otherwise=OpenAIJsonSchemaTransformer)}

    Shape: a schema that no port was compiled to goes through ``otherwise``, the model's own transformer, as before;
        None: it is sent as it is.
    """
    sent = [schema for port in ports for schema in port.schemas.values()]

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

    Shape: of several words for the end, pydantic-ai's, the provider's and the response's state, the one that promises
        least; a word that neither pydantic-ai nor anybody here knows refuses.
    Not checked: arguments that a provider's client had parsed are written as JSON again; keys that came twice in them
        are gone.
    """
    own = (response.provider_details or {}).get("finish_reason")
    if response.finish_reason is not None and stop_of(word_of(own)) is Stop.UNKNOWN:
        own = None  # pydantic-ai has a word for it
    told = {
        "response": response.provider_response_id, "run": response.run_id, "conversation": response.conversation_id
    }  # fmt: skip
    return Delivery(
        text=response.text or "",
        tool_calls=tuple(_call(part) for part in response.tool_calls),
        finish_reason=lesser_end((None if response.state == "complete" else "incomplete", response.finish_reason, own)),
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


def _come_in(ctx: RunContext[Any], call: ToolCall) -> tuple[ModelResponse, Delivery, int]:
    """Return the response that a call came in, and its place there; a call that waited for a person came earlier."""
    for message in reversed(ctx.messages):
        if isinstance(message, ModelResponse):
            delivery = delivery_of(message)
            if found := in_reply(call, delivery.tool_calls, delivery):
                return message, *found
    # a call that the model did not write itself, as one of its code: it ended as the reply did
    last = _response(ctx)
    return last, replace(delivery_of(last), tool_calls=(call,)), 0


def _named(ctx: RunContext[Any], response: ModelResponse) -> dict[str, Any]:
    """Name a delivery, so that it is kept once: also when it is judged again in a later run, after a person agreed."""
    place = next(place for place, message in enumerate(ctx.messages) if message is response)
    return {"run_id": response.run_id or ctx.run_id, "attempt": place}


def _is_not_as_written(admission: Admission[Any]) -> bool:
    """Say whether more was written than admitted, or otherwise: an external tool is handed what was written."""
    return admission.review_required or any(unit.edits for unit in admission.units)


def _call(part: ToolCallPart) -> ToolCall:
    """Read a tool call: its arguments as they came, or written again where they came parsed."""
    return ToolCall(part.tool_name, json_text({} if part.args is None else part.args), part.tool_call_id)


def _nothing_usable(port: Port[Any], admission: Admission[Any]) -> Exception:
    """Say what follows where nothing usable came: ask again, or not where the same question has the same end.

    Not pydantic-ai's own exceptions for a cut or a filter: of an output tool it takes them for retries that ran out.
    """
    if admission.delivery.stop in (Stop.DECLINED, Stop.UNKNOWN, Stop.TRUNCATED):
        return NotClean(admission)
    told = port.told(admission) or NOTHING_THERE
    return ModelRetry(f"Nothing of the reply was admitted. Write all of it again and mend this: {told}")


def _asked_by(tool: ToolDefinition, port: Port[Any] | None) -> ToolDefinition:
    """Ask for a tool with what its contract was compiled to."""
    schema = None if port is None else port.schemas.get(tool.name)
    if port is None or schema is None:
        return tool
    return replace(tool, parameters_json_schema=dict(schema), strict=port.said("strict"))


def _is_ours(schema: Mapping[str, Any]) -> bool:
    """Say whether a schema stands for a boundary's output."""
    return schema.get("title") == _AdmissionOnly.__name__
