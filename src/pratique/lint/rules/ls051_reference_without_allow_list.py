"""LS051: a field refers to something by its id, and nothing says which ids there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pratique.contract import Contract
from pratique.dialects.nodes.node import Listing, Node, Scalar
from pratique.dialects.words.marks import reference_places
from pratique.errors import Misuse
from pratique.lint.names import words_of
from pratique.lint.rule import Level, Remark, Rule, Settings
from pratique.lint.subject import Kind, Part, Subject
from pratique.lint.view import Field
from pratique.lint.vocabulary import bare
from pratique.show import show
from pratique.terms.schema_document import Place
from pratique.terms.shape import Shape

__all__ = ["RULE"]

_IDS = frozenset({"id", "ids", "uuid", "uuids", "guid", "guids", "ref", "refs"})
_CANDIDATES = frozenset({"candidate", "candidates"})
_THINGS = frozenset({
    "account", "branch", "channel", "component", "device", "document", "element", "entity", "file", "folder", "group",
    "host", "issue", "item", "job", "module", "node", "object", "package", "page", "project", "record", "repo",
    "repository", "resource", "section", "service", "step", "table", "task", "team", "user", "workspace", "workstream",
})  # fmt: skip
"""What ``target_`` may stand before to make a reference; a target language or audience is none."""

_MADE = frozenset({"correlation", "idempotency", "local", "new", "temp", "temporary", "tmp", "trace"})
"""Words of ids that the producer makes up itself."""

_OPEN_FORMATS = frozenset({"date", "date-time", "email", "iri", "iri-reference", "uri", "uri-reference", "url"})
"""What names something out in the world: no list of it exists."""


def _check(subject: Subject, settings: Settings) -> Iterator[Remark]:
    """Look at answers alone: a server looks the ids of its tools up itself, and a wrong one costs one call."""
    del settings
    if subject.kind is Kind.TOOL:
        return
    for part in subject.parts:
        found = [field for field in part.view.fields if _refers(field) and not _is_own(subject, field)]
        marked = _marked(subject, part) if found else {}
        for field in found:
            if not _is_marked(field, part, marked):
                message = f"{show(field.name)} refers to something, and nothing says what there is to choose"
                yield Remark(part, field.place, message)


def _refers(field: Field) -> bool:
    """Say whether a field is a text, or a list of texts, whose name says that it refers to something."""
    return _is_reference(words_of(field.name)) and _text_of(field.node) is not None


def _is_reference(words: tuple[str, ...]) -> bool:
    if not words or _MADE & set(words):
        return False
    if len(words) == 1:
        return words[0] in _CANDIDATES
    return words[-1] in _IDS or (words[0] == "target" and len(words) == 2 and words[1].removesuffix("s") in _THINGS)


def _text_of(node: Node) -> Node | None:
    """Return the text that a value is, or that its elements are; None when it is one of a few, or something else."""
    node = bare(node)
    if isinstance(node.form, Listing) and node.form.items is not None:
        node = bare(node.form.items)
    if not isinstance(node.form, Scalar) or node.form.kind != "string":
        return None
    formats = {str(rule.value) for rule in node.form.rules if rule.keyword == "format"}
    return None if formats & _OPEN_FORMATS else node


def _is_own(subject: Subject, field: Field) -> bool:
    """Say whether it is the object's own identity: ``order_id`` of an Order or in ``orders``, or unique."""
    if subject.terms is not None and (field.name,) in subject.terms.unique:
        return True
    around = (
        field.owner.field.name if field.owner.field is not None else field.owner.path.rsplit(".", 1)[-1].rstrip("[]")
    )
    title = str(field.owner.node.name)
    for name in (around, title):
        words = [word.removesuffix("s") for word in words_of(name)]
        own = [word.removesuffix("s") for word in words_of(field.name)[:-1]]
        if (own and words[: len(own)] == own) or (own and words[-len(own) :] == own):
            return True
    return False


def _marked(subject: Subject, part: Part) -> Mapping[Place, str]:
    """Return the places of a part's schema that carry a Reference."""
    try:
        shape = _shape_of(subject, part)
    except Misuse:  # a type that no contract takes
        return {}
    return {} if shape is None else reference_places(shape, part.view.document)


def _shape_of(subject: Subject, part: Part) -> Shape[object] | None:
    terms = subject.terms
    if terms is None and subject.kind is Kind.TYPE:
        terms = Contract.one(subject.python).terms
    if terms is None:
        return None
    return terms.envelope if part.name == "envelope" else terms.unit


def _is_marked(field: Field, part: Part, marked: Mapping[Place, str]) -> bool:
    places = {field.place, part.view.place_of(field.node)}
    return any(place[: len(own)] == own for place in marked for own in places)


RULE = Rule(
    code="LS051",
    name="reference-without-allow-list",
    level=Level.WARN,
    title="a field refers to something by its id, and nothing says which ids there are",
    why="A model that does not know the id makes one up, of the right form; and text that it read can make it name "
    "another one. Only a list of what exists tells these from a sound answer; a uuid that is well formed is no proof.",
    help='mark it: Annotated[str, Reference("workstream")], and give the names with each call; for a JSON Schema, '
    'reference_fields={"/candidate": "workstream"}',
    evidence=(
        "source 004, T04: a reference allow-list, inert until a resolver fills it",
        "measured here: an item forged by a raw quote in prose is strictly valid JSON; only its candidate tells",
        "flexion/forms-lab: models invented ids, and commands got ids of their own",
    ),
    bad={
        "type": "object",
        "properties": {"page_id": {"type": "string", "format": "uuid"}, "title": {"type": "string"}},
        "required": ["page_id", "title"],
        "additionalProperties": False,
    },
    good="from pratique import Contract\n"
    "from pratique.terms import Locality\n"
    'fields = {"page_id": {"type": "string", "format": "uuid"}, "title": {"type": "string"}}\n'
    'schema = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}\n'
    'target = Contract.from_json_schema(schema, locality=Locality.ONE, reference_fields={"/page_id": "page"})\n',
    check=_check,
    judgement="Which names refer: those that end in id, uuid or ref, candidate, and target with a thing behind it.",
)
