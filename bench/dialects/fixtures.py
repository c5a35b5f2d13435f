"""Contracts by name: those that this project's own sources describe, and the small ones that compilers break on."""

from __future__ import annotations

from bench.dialects.spec import Field, Model, Node, Spec, Text

__all__ = ["FIXTURES"]


def _text(max_chars: int = 0, min_chars: int = 0) -> Node:
    node = Text(kind="str")
    if min_chars:
        node["min"] = min_chars
    if max_chars:
        node["max"] = max_chars
    return node


def _tag(name: str, value: str) -> Field:
    return {"name": name, "of": {"kind": "literal", "values": [value]}}


def _model(name: str, *fields: Field, doc: str = "", base: str = "", closed: bool = False) -> Model:
    model = Model(name=name, fields=list(fields))
    if doc:
        model["doc"] = doc
    if base:
        model["base"] = base
    if closed:
        model["extra"] = "forbid"
    return model


def _field(name: str, of: Node, description: str = "", *, none: bool = False) -> Field:
    field: Field = {"name": name, "of": {"kind": "nullable", "of": of} if none else of}
    if description:
        field["description"] = description
    if none:
        field["default"] = {"value": None}
    return field


def _spec(name: str, *models: Model, root: Node | None = None) -> Spec:
    node: Node = {"kind": "model", "name": models[-1]["name"]} if root is None else root
    return Spec(name=name, root=node, models={model["name"]: model for model in models}, enums={})


def _union(tag: str, *names: str) -> Node:
    arms: list[Node] = [{"kind": "model", "name": name} for name in names]
    return {"kind": "tagged", "tag": tag, "arms": arms}


def _plan_proposal() -> Spec:
    """The only four things that a planning model may say: source 000, with plain strings for its own types."""
    rationale = _field("rationale", _text(2_048), "For the audit log only.")
    path = _field("manifest_path", _text(400, 1), "Relative to the repository's root.")
    strings: Node = {"kind": "list", "of": _text(400, 1), "min": 1}
    return _spec(
        "PlanProposal",
        _model(
            "PlanProposalDepBump",
            _tag("kind", "dep_bump"),
            path,
            _field("package", _text(214, 1)),
            _field("to_version", _text(64, 1)),
            rationale,
            closed=True,
        ),
        _model(
            "PlanProposalOverride",
            _tag("kind", "override"),
            path,
            _field("overrides", {"kind": "map", "of": _text(64, 1)}, "Package to version."),
            rationale,
            closed=True,
        ),
        _model(
            "PlanProposalCallsiteRewrite",
            _tag("kind", "callsite_rewrite"),
            _field("files", strings),
            _field("diff", _text(65_536, 1), "A unified diff of these files and no others."),
            rationale,
            closed=True,
        ),
        _model(
            "PlanProposalRefuse",
            _tag("kind", "refuse"),
            _field("reason", _text(2_048, 1)),
            doc="Decline: no plan is safe.",
            closed=True,
        ),
        root=_union(
            "kind", "PlanProposalDepBump", "PlanProposalOverride", "PlanProposalCallsiteRewrite", "PlanProposalRefuse"
        ),
    )


_COMMAND = (
    _field("program", _text(0, 1), "Name of the program."),
    _field("args", {"kind": "list", "of": _text()}),
    _field("cwd", _text(), none=True),
    _field("env", {"kind": "map", "of": _text()}, none=True),
    _field("stdin", _text(), none=True),
)


def _steps_with_type() -> Spec:
    """The tool that runs commands, in the form that a model chose wrongly from: source 001, before."""
    command: Node = {"kind": "model", "name": "Command"}
    return _spec(
        "ExecStepsTagged",
        _model("Command", *_COMMAND),
        _model("SingleCommand", _tag("type", "command"), *_COMMAND),
        _model("Pipeline", _tag("type", "pipeline"), _field("commands", {"kind": "list", "of": command, "min": 2})),
        _exec_input({"kind": "list", "of": _union("type", "SingleCommand", "Pipeline"), "min": 1}),
    )


def _steps_with_commands() -> Spec:
    """The same tool with one shape: source 001, after."""
    command: Node = {"kind": "model", "name": "Command"}
    commands: Node = {"kind": "list", "of": command, "min": 1}
    length = "Commands to execute. Length 1 = single command. Length 2+ = pipeline (stdout → stdin)."
    return _spec(
        "ExecSteps",
        _model("Command", *_COMMAND),
        _model("Step", _field("commands", commands, length)),
        _exec_input({"kind": "list", "of": {"kind": "model", "name": "Step"}, "min": 1}),
    )


def _exec_input(steps: Node) -> Model:
    chaining: Field = {
        "name": "chaining",
        "of": {"kind": "literal", "values": ["bail_on_error", "sequential", "independent"]},
        "default": {"value": "bail_on_error"},
    }
    return _model("ExecInput", _field("steps", steps), chaining)


def _recommendation() -> Spec:
    """One recommendation of the daily triage report: source 004."""
    component: Node = {"kind": "float", "ge": 0.0}
    names = ("strategic_value", "time_criticality", "risk_reduction", "opportunity_enablement")
    actions: Node = {
        "kind": "literal",
        "values": ["work-next", "needs-human", "revisit", "park", "needs-consistency-sync", "close-out", "split"],
    }
    return _spec(
        "Recommendation",
        _model(
            "Wsjf",
            _field("score", component, "(value + time + RR|OE) / job size"),
            *(_field(name, component) for name in names),
            _field("job_size", {"kind": "float", "gt": 0.0}),
            doc="The estimate behind one recommendation, each component explicit so that it can be audited.",
        ),
        _model(
            "Recommendation",
            _field("rank", {"kind": "int", "ge": 1}),
            _field("candidate", _text(100, 1)),
            _field("action", actions),
            _field("confidence", {"kind": "literal", "values": ["high", "medium", "low"]}, none=True),
            _field("wsjf", {"kind": "model", "name": "Wsjf"}, none=True),
            _field("why", _text(600, 1)),
            doc="One recommendation: what to do about one workstream, and why.",
        ),
    )


def _inherited_tag() -> Spec:
    """A tag that stands behind inherited fields: an endpoint that wants distinct first keys refuses it."""
    shape = _field("note", _text())
    return _spec(
        "InheritedTag",
        _model("Shape", shape, _field("area", {"kind": "float", "ge": 0.0})),
        _model("Circle", _tag("kind", "circle"), base="Shape"),
        _model("Square", _tag("kind", "square"), _field("side", {"kind": "int"}), base="Shape"),
        _model("Drawing", _field("shapes", {"kind": "list", "of": _union("kind", "Circle", "Square")})),
    )


def _map_or_pairs() -> Spec:
    """A map, or a list of what a map is rewritten to: on the wire the two look the same."""
    pairs: Node = {"kind": "list", "of": {"kind": "model", "name": "Pair"}}
    return _spec(
        "MapOrPairs",
        _model("Pair", _field("key", _text()), _field("value", {"kind": "int"})),
        _model("Either", _field("scores", {"kind": "union", "arms": [{"kind": "map", "of": {"kind": "int"}}, pairs]})),
    )


def _tree() -> Spec:
    """A model inside itself, with a description beside the reference; and two inside each other."""
    return _spec(
        "Tree",
        _model(
            "Node",
            _field("label", _text(20, 1)),
            _field("children", {"kind": "list", "of": {"kind": "model", "name": "Node"}}),
            _field("twin", {"kind": "model", "name": "Node"}, "The same, mirrored.", none=True),
            _field("owner", {"kind": "model", "name": "Owner"}, none=True),
        ),
        _model(
            "Owner", _field("name", _text()), _field("trees", {"kind": "list", "of": {"kind": "model", "name": "Node"}})
        ),
        root={"kind": "model", "name": "Node"},
    )


def _corners() -> Spec:
    """A field of every kind that a dialect has trouble with."""
    return _spec(
        "Corners",
        _model("Inner", _field("x", {"kind": "int"}), doc="Something inside."),
        _model(
            "Corners",
            _field("counts", {"kind": "map", "of": {"kind": "int", "ge": 0}}),
            _field("pair", {"kind": "tuple", "of": [{"kind": "int"}, _text()]}),
            _field("unique", {"kind": "set", "of": {"kind": "int"}}),
            _field("anything", {"kind": "any"}),
            _field("mixed", {"kind": "literal", "values": ["x", 1, None]}),
            _field("inner", {"kind": "model", "name": "Inner"}, "Described beside its reference."),
            {"name": "label", "of": _text(), "default": {"value": "none"}},
            {"name": "retries", "of": {"kind": "nullable", "of": {"kind": "int"}}, "default": {"value": 3}},
            {"name": "from_", "alias": "from", "of": {"kind": "format", "format": "date"}},
        ),
    )


FIXTURES: dict[str, Spec] = {
    spec["name"]: spec
    for spec in (
        _plan_proposal(),
        _steps_with_type(),
        _steps_with_commands(),
        _recommendation(),
        _inherited_tag(),
        _map_or_pairs(),
        _tree(),
        _corners(),
    )
}
"""Every fixture by its name."""
