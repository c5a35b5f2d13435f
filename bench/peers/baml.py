"""baml-py: its parser alone, from BAML source at run time, without generated code and without a model call."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType

from bench.peers.peer import Answer, Document, Peer, Read

_ENVIRONMENT = "baml"
_SOURCE = """
client<llm> Never {
  provider openai
  options {
    model "never-called"
    api_key "none"
  }
}

class Wsjf {
  score float
  value int
  criticality int
  size int
}

class Unit {
  rank int
  candidate string
  action "work-next" | "needs-human" | "revisit" | "park" | "close-out"
  why string
  blocked bool
  owner string?
  wsjf Wsjf
}

class Report {
  summary string?
  recommendations Unit[]
  complete bool?
}

function ReadReport(text: string) -> Report {
  client Never
  prompt #"{{ text }} {{ ctx.output_format }}"#
}

function ReadUnits(text: string) -> Unit[] {
  client Never
  prompt #"{{ text }} {{ ctx.output_format }}"#
}
"""


def _open(partials: bool) -> Callable[[], Read]:
    def opened() -> Read:
        from pydantic import BaseModel, ConfigDict

        class Loose(BaseModel):
            """Holds whatever the parser coerced."""

            model_config = ConfigDict(extra="allow")

        runtime = import_module("baml_py").BamlRuntime.from_files("baml_src", {"report.baml": _SOURCE}, {})
        types = ModuleType("baml_types")
        types.__dict__.update(Wsjf=Loose, Unit=Loose, Report=Loose)

        def read(document: Document) -> Answer:
            name = "ReadUnits" if document.bare else "ReadReport"
            context = runtime.create_context_manager()
            return Answer(
                runtime.parse_llm_response(name, document.text, types, types, types, partials, context, None, None, {})
            )

        return read

    return opened


PEERS = (
    Peer(
        name="baml-py",
        package="baml-py",
        environment=_ENVIRONMENT,
        call="parse_llm_response(…, allow_partials=False)",
        needs=("baml_py",),
        open=_open(False),
    ),
    Peer(
        name="baml-py partials",
        package="baml-py",
        environment=_ENVIRONMENT,
        call="parse_llm_response(…, allow_partials=True)",
        needs=("baml_py",),
        open=_open(True),
    ),
)
