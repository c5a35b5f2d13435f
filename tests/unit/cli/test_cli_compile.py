"""``pratique compile`` from argument to exit code."""

from __future__ import annotations

import inspect
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pratique import Constraint, Contract, Fate, targets
from pratique.cli import main
from pratique.cli.compiled.residue import MAX_ROWS, residue
from pratique.cli.terminal import Terminal
from unit.cli.room import Room

MODULE = '''
from typing import Annotated, Literal
from pydantic import BaseModel, Field, create_model
from pratique import Contract, Limits, Reference

class Item(BaseModel):
    """A secret remark."""
    rank: Annotated[int, Field(ge=1)]
    action: Literal["work-next", "park"]
    why: Annotated[str, Field(max_length=60)]

class Task(BaseModel):
    stream: Annotated[str, Reference("workstream")]

class Tree(BaseModel):
    name: str
    kids: list["Tree"]

class Note(BaseModel):
    kind: Literal["note"]
    text: str

class Stop(BaseModel):
    kind: Literal["stop"]

triage = Contract.items(Item, at="items", name="triage", unique=("rank",), limits=Limits(max_items=7))
tasks = Contract.items(Task, at="items")
labels = Contract.from_json_schema({"type": "object", "properties": {"name": {"type": "string"}}}, locality="one")
trees = Contract.one(Tree)
steps = Contract.one(Annotated[Note | Stop, Field(discriminator="kind")])
many = Contract.one(create_model("Many", **{f"field_{n}": (str | None, None) for n in range(40)}))
'''
SCHEMA = {
    "title": "report",
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"rank": {"type": "integer", "description": "red \x1b[31m \u202e"}},
                "required": ["rank"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["items"],
    "additionalProperties": False,
}
SNAPSHOT = """\
{
  "name": "triage",
  "description": "",
  "schema": {
    "type": "object",
    "properties": {
      "items": {
        "type": "array",
        "items": {
          "type": "object",
          "properties": {
            "rank": {
              "type": "integer",
              "description": "At least 1."
            },
            "action": {
              "type": "string",
              "enum": [
                "work-next",
                "park"
              ]
            },
            "why": {
              "type": "string",
              "description": "At most 60 characters."
            }
          },
          "required": [
            "rank",
            "action",
            "why"
          ],
          "additionalProperties": false
        },
        "description": "At most 7 elements."
      }
    },
    "required": [
      "items"
    ],
    "additionalProperties": false
  }
}

triage@1 for portable, by schema: 15 constraints: 7 enforced, 3 hinted, 5 dropped

hinted, 3: told in words; the boundary checks it
  the endpoint does not keep it:
    unit#/properties/rank/minimum       1
    unit#/properties/why/maxLength      60
  a limit of the boundary:
    contract#/limits/max_items          7

dropped, 5: not told; the boundary checks it
  a limit of the boundary:
    contract#/limits/max_bytes          67108864
    contract#/limits/max_depth          8
    contract#/limits/max_string_chars   4000
    contract#/limits/max_number_digits  308
  a schema says nothing about two units together:
    contract#/unique                    ["rank"]
"""


@pytest.fixture
def shop(room: Room, monkeypatch: pytest.MonkeyPatch) -> Room:
    """Stand in a folder with contracts to compile, and a schema."""
    monkeypatch.delitem(sys.modules, "wares", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    room.folder.joinpath("wares.py").write_text(MODULE)
    room.folder.joinpath("schema.json").write_text(json.dumps(SCHEMA))
    return room


def contract(name: str) -> Contract[Any]:
    """Return a contract of the module, as the command has loaded it."""
    found = getattr(sys.modules["wares"], name)
    assert isinstance(found, Contract)
    return found


# ---------------------------------------------------------------------- one target


def test_the_report_is_the_request_then_the_counts_then_what_is_left_to_check(shop: Room) -> None:
    ran = shop("compile", "wares:triage", "--target", "portable")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == SNAPSHOT


def test_the_request_alone_is_what_the_library_gives(shop: Room) -> None:
    ran = shop("compile", "wares:triage", "--target", "openai/chat", "--request-only")
    assert (ran.code, ran.err) == (0, "")
    assert ran.told == contract("triage").compile("openai/chat").request


def test_the_residue_alone_names_each_constraint_that_is_not_enforced(shop: Room) -> None:
    ran = shop("compile", "wares:triage", "--target", "mistral", "--residue-only")
    compiled = contract("triage").compile("mistral")
    assert ran.code == 0
    listed = [line.split()[0] for line in ran.out.splitlines() if line.startswith("    ")]
    assert sorted(listed) == sorted(f"{one.part}#{one.pointer}" for one in compiled.residue)
    assert "{" not in ran.out
    assert ran.out.startswith(f"triage@1 for mistral, by schema: {len(compiled.constraints)} constraints: ")


def test_both_parts_together_are_the_whole_report(shop: Room) -> None:
    call = ("compile", "wares:triage", "--target", "google")
    request, left = shop(*call, "--request-only").out, shop(*call, "--residue-only").out
    assert shop(*call).out == f"{request}\n{left}"


def test_the_option_contract_is_the_same_as_the_argument(shop: Room) -> None:
    call = ("--target", "vllm", "--json")
    assert shop("compile", "--contract", "wares:triage", *call) == shop("compile", "wares:triage", *call)


def test_json_is_one_object_with_every_constraint(shop: Room) -> None:
    ran = shop("compile", "wares:triage", "--target", "anthropic/tools", "--json")
    told, compiled = ran.told, contract("triage").compile("anthropic/tools")
    assert ran.code == 0
    assert list(told) == ["target", "form", "request", "schema", "tools", "constraints", "warnings", "fingerprint"]
    assert (told["target"], told["form"]) == ("anthropic/tools", "tools")
    assert told["request"] == compiled.request
    assert told["schema"] == compiled.schema
    assert told["tools"] == list(compiled.tools) != []
    assert told["constraints"] == [one.to_dict() for one in compiled.constraints]
    assert told["warnings"] == list(compiled.warnings)
    assert told["fingerprint"] == contract("triage").fingerprint
    assert {one["fate"] for one in told["constraints"]} >= {"enforced", "dropped"}


def test_a_form_can_be_chosen(shop: Room) -> None:
    call = ("compile", "wares:steps", "--target", "openai/chat")
    by_tools = shop(*call, "--form", "tools", "--json").told
    assert (by_tools["form"], len(by_tools["tools"])) == ("tools", 2)
    assert shop(*call, "--form", "schema", "--json").told["form"] == "schema"
    assert shop(*call, "--form", "words", "--json").told["form"] == "words"


def test_words_are_printed_as_text_and_not_as_json(shop: Room) -> None:
    ran = shop("compile", "wares:triage", "--target", "prompt")
    text = contract("triage").compile("prompt").request["text"]
    assert ran.out.startswith(text.rstrip("\n") + "\n\ntriage@1 for prompt, by words: ")
    assert shop("compile", "wares:triage", "--target", "prompt", "--request-only").out == text.rstrip("\n") + "\n"


def test_docstrings_go_to_the_provider_only_when_that_is_said(shop: Room) -> None:
    call = ("compile", "wares:triage", "--target", "openai/chat", "--request-only")
    assert "A secret remark." not in shop(*call).out
    assert "A secret remark." in shop(*call, "--docstrings").out


def test_open_objects_are_kept_or_closed(shop: Room) -> None:
    call = ("compile", "wares:labels", "--target", "openai/chat", "--request-only")
    kept, closed = shop(*call, "--open-objects", "keep"), shop(*call, "--open-objects", "close")
    assert kept.out == shop(*call).out
    assert closed.told == contract("labels").compile("openai/chat", open_objects="close").request
    assert kept.out != closed.out


def test_levels_of_recursion_are_written_out_as_asked(shop: Room) -> None:
    call = ("compile", "wares:trees", "--target", "anthropic/messages", "--request-only")
    sizes = [len(shop(*call, "--max-recursion", levels).out) for levels in ("1", "2", "3")]
    assert sizes == sorted(set(sizes))
    assert shop(*call, "--max-recursion", "2").told == (
        contract("trees").compile("anthropic/messages", max_recursion=2).request
    )


def test_the_help_page_tells_the_librarys_own_defaults(shop: Room) -> None:
    page = " ".join(shop("compile", "--help").out.split())
    defaults = {name: one.default for name, one in inspect.signature(Contract.compile).parameters.items()}
    assert f"deeper values are asked for as text. Default: {defaults['max_recursion']}." in page
    assert f"{defaults['open_objects']} (the default" in page
    assert "Example: pratique compile app.contracts:triage --target openai/chat --request-only > body.json" in page


# ---------------------------------------------------------------------- a schema in place of a contract


def test_a_schema_compiles_without_a_contract(shop: Room) -> None:
    told = shop("compile", "--schema", "schema.json", "--at", "items", "--target", "openai/chat", "--json").told
    expected = Contract.from_json_schema(SCHEMA, at="items").compile("openai/chat")
    assert told["request"] == expected.request
    assert told["fingerprint"] == expected.fingerprint


def test_a_schema_may_come_from_standard_input(shop: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(json.dumps(SCHEMA).encode())))
    ran = shop("compile", "--schema", "-", "--at", "items", "--target", "openai/chat", "--request-only")
    assert ran.told == Contract.from_json_schema(SCHEMA, at="items").compile("openai/chat").request


@pytest.mark.parametrize("target", ["prompt", "openai/chat", "portable"])
@pytest.mark.parametrize("options", [(), ("--json",), ("--residue-only",)])
def test_what_a_schema_says_cannot_reach_the_terminal(shop: Room, target: str, options: tuple[str, ...]) -> None:
    ran = shop("compile", "--schema", "schema.json", "--at", "items", "--target", target, *options)
    assert ran.code == 0
    assert not {"\x1b", "\u202e"} & set(ran.out)
    if "--residue-only" not in options:
        assert "[31m" in ran.out, "else the test shows nothing"


def test_names_in_a_schema_cannot_reach_the_terminal(shop: Room) -> None:
    sly = json.dumps(SCHEMA).replace('"rank"', '"ra\\u001bnk"').replace("report", "re\\u001bport")
    shop.folder.joinpath("sly.json").write_text(sly)
    for options in (("--target", "portable"), ("--target", "prompt"), ()):
        ran = shop("compile", "--schema", "sly.json", "--at", "items", *options)
        assert ran.code == 0
        assert "\x1b" not in ran.out
        assert "re\\x1bport@1" in ran.out, "else the test shows nothing"


def test_words_piped_into_a_file_are_the_text_as_it_is(shop: Room) -> None:
    call = ("compile", "--schema", "schema.json", "--at", "items", "--target", "prompt")
    text = Contract.from_json_schema(SCHEMA, at="items").compile("prompt").request["text"]
    assert "\u202e" in text, "else the test shows nothing"
    assert shop(*call, "--request-only").out == text.rstrip("\n") + "\n"
    shop(*call, "--out", "prompt.txt")
    assert shop.folder.joinpath("prompt.txt").read_text("utf-8") == text.rstrip("\n") + "\n"


class _Screen(io.StringIO):
    """Standard output that is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.mark.usefixtures("shop")
def test_words_on_a_terminal_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = _Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    call = ("compile", "--schema", "schema.json", "--at", "items", "--target", "prompt", "--request-only")
    assert main(call) == 0
    assert "\\u202e" in screen.getvalue()
    assert "\u202e" not in screen.getvalue()


# ---------------------------------------------------------------------- files


def test_out_takes_the_request_and_the_rest_is_printed(shop: Room) -> None:
    call = ("compile", "wares:triage", "--target", "openai/chat")
    ran = shop(*call, "--out", "body.json")
    written = shop.folder.joinpath("body.json").read_text("utf-8")
    assert written == shop(*call, "--request-only").out
    assert ran.out == shop(*call, "--residue-only").out + f'wrote {len(written):,} bytes to "body.json"\n'


def test_out_takes_everything_with_json(shop: Room) -> None:
    call = ("compile", "wares:triage", "--target", "openai/chat", "--json")
    ran = shop(*call, "--out", "all.json")
    written = shop.folder.joinpath("all.json").read_text("utf-8")
    assert written == shop(*call).out
    assert ran.out == f'wrote {len(written):,} bytes to "all.json"\n'


def test_out_and_request_only_print_no_residue(shop: Room) -> None:
    ran = shop("compile", "wares:triage", "--target", "openai/chat", "--out", "body.json", "--request-only")
    assert ran.out.startswith("wrote ")
    assert len(ran.out.splitlines()) == 1


def test_out_on_standard_output_leaves_it_to_the_machine(shop: Room) -> None:
    call = ("compile", "wares:triage", "--target", "openai/chat")
    ran = shop(*call, "--out", "-")
    assert ran.out == shop(*call, "--request-only").out
    assert ran.err == shop(*call, "--residue-only").out


def test_a_file_that_exists_stays_as_it_was_until_overwrite_says_otherwise(shop: Room) -> None:
    call = ("compile", "wares:triage", "--target", "openai/chat", "--out", "body.json")
    body = shop.folder.joinpath("body.json")
    body.write_text("mine")
    ran = shop(*call)
    assert (ran.code, ran.out, body.read_text()) == (2, "", "mine")
    assert '"body.json" exists; nothing was written' in ran.err
    assert "add --overwrite" in ran.err
    assert shop(*call, "--overwrite").code == 0
    assert json.loads(body.read_text()) == contract("triage").compile("openai/chat").request


def test_a_contract_that_is_refused_writes_no_file(shop: Room) -> None:
    ran = shop("compile", "wares:many", "--target", "anthropic/tools", "--out", "body.json")
    assert (ran.code, ran.out) == (2, "")
    assert "body.json" not in shop.files()


def test_a_folder_that_is_not_there_is_a_wrong_call(shop: Room) -> None:
    ran = shop("compile", "wares:triage", "--target", "openai/chat", "--out", "nowhere/body.json")
    assert (ran.code, ran.out) == (2, "")
    assert "= help: name a file in a directory that can be written to" in ran.err


# ---------------------------------------------------------------------- every target


def test_the_overview_has_one_row_a_target(shop: Room) -> None:
    ran = shop("compile", "wares:triage")
    assert (ran.code, ran.err) == (0, "")
    head, blank, columns, *rows = ran.out.splitlines()
    assert head == f"triage@1 {contract('triage').fingerprint}"
    assert blank == ""
    assert columns.split() == ["target", "form", "enforced", "hinted", "dropped", "bytes"]
    for target, row in zip(targets(), rows[: len(targets())], strict=True):
        compiled = contract("triage").compile(target)
        said = compiled.request["text"] if compiled.form == "words" else None
        schema = json.dumps(compiled.schema, ensure_ascii=False, separators=(",", ":"))
        fates = [sum(one.fate is fate for one in compiled.constraints) for fate in Fate][:3]
        numbers = [*fates, len((said or schema).encode())]
        assert row.split() == [target, compiled.form, *(f"{number:,}" for number in numbers)]


def test_the_overview_as_json_says_the_same(shop: Room) -> None:
    told = shop("compile", "wares:triage", "--json").told
    assert list(told) == ["contract", "version", "fingerprint", "targets"]
    assert (told["contract"], told["version"]) == ("triage", "1")
    assert [row["target"] for row in told["targets"]] == list(targets())
    for row in told["targets"]:
        assert list(row) == ["target", "form", "enforced", "hinted", "dropped", "schema_bytes", "refused"]
        many = len(contract("triage").compile(row["target"]).constraints)
        assert row["enforced"] + row["hinted"] + row["dropped"] == many
        assert row["refused"] is None


def test_the_overview_says_why_a_target_refuses(shop: Room) -> None:
    ran = shop("compile", "wares:many")
    assert ran.code == 0, "other targets take it"
    rows = {line.split()[0]: line for line in ran.out.splitlines() if line}
    assert "refused: anthropic/tools would refuse the schema of" in rows["anthropic/tools"]
    assert "words" in rows["prompt"]
    assert max(map(len, ran.out.splitlines())) <= 120
    by_target = {row["target"]: row for row in shop("compile", "wares:many", "--json").told["targets"]}
    refused = by_target["anthropic/tools"]
    assert refused["form"] is refused["enforced"] is refused["schema_bytes"] is None
    assert "properties, at most" in refused["refused"]["message"]
    assert refused["refused"]["remedy"]
    assert by_target["prompt"]["refused"] is None


def test_an_overview_in_which_nobody_takes_the_contract_is_exit_code_2(shop: Room) -> None:
    shop.folder.joinpath("never.json").write_text(
        json.dumps({"type": "array", "items": {"type": "object", "properties": {"a": False}, "required": ["a"]}})
    )
    ran = shop("compile", "--schema", "never.json", "--form", "schema")
    assert ran.out.count("refused: ") == len(targets())
    assert ran.code == 2


def test_the_overview_takes_the_options_of_a_target(shop: Room) -> None:
    rows = shop("compile", "wares:triage", "--form", "words", "--docstrings", "--json").told["targets"]
    assert {row["form"] for row in rows} == {"words"}
    text = contract("triage").compile("prompt", docstrings=True).request["text"]
    assert {row["schema_bytes"] for row in rows} == {len(text.encode())}


# ---------------------------------------------------------------------- a wrong call


@pytest.mark.parametrize(
    ("argv", "message", "remedy"),
    [
        ((), "no contract was given", "write --contract MODULE:NAME, or --schema FILE"),
        (("wares:triage", "--schema", "schema.json"), "both a contract and a schema were given", "--schema FILE"),
        (("wares:triage", "--at", "items"), "--at belongs to --schema", "leave --at out"),
        (("wares",), '"wares" does not name a contract', "MODULE:NAME"),
        (("wares:traige",), 'module wares has no "traige"', "did you mean triage?"),
        (("nowhere:triage",), 'no module is called "nowhere"', "install it"),
        (("--schema", "none.json"), '"none.json": no such file', "name a file that can be read"),
        (("wares:triage", "--target", "openai/chatt"), 'no target "openai/chatt"', "did you mean openai/chat?"),
        (("wares:triage", "--target", "prompt", "--form", "tools"), "prompt takes no tools", 'form="words"'),
        (("wares:triage", "--form", "poem"), 'Invalid value "poem" for --form', "--help"),
        (("wares:triage", "--open-objects", "drop"), 'Invalid value "drop" for --open-objects', "--help"),
        (("wares:triage", "--max-recursion", "many"), 'unable to convert "many" into int', "--help"),
        (("wares:triage", "--max-recursion", "-1"), "--max-recursion cannot be -1", "from 0 to 16"),
        (("wares:triage", "--max-recursion", "65"), "--max-recursion cannot be 65", "from 0 to 16"),
        (("wares:triage", "--request-only"), "--request-only is about one target", "write --target TARGET"),
        (("wares:triage", "--residue-only"), "--residue-only is about one target", "write --target TARGET"),
        (("wares:triage", "--out", "x"), "--out is about one target", "write --target TARGET"),
        (("wares:triage", "--target", "vllm", "--request-only", "--residue-only"), "leave everything out", "one of"),
        (("wares:triage", "--target", "vllm", "--json", "--request-only"), "--json has both", "one of"),
        (("wares:triage", "--target", "vllm", "--json", "--residue-only"), "--json has both", "one of"),
        (("wares:triage", "--target", "vllm", "--residue-only", "--out", "x"), "leaves it out", "one of them"),
        (("wares:triage", "--target", "vllm", "--overwrite"), "about the file of --out", "write --out FILE"),
        (("wares:triage", "--target", "vllm", "--overwrite", "--out", "-"), "about the file of --out", "--out FILE"),
        (
            ("--schema", "schema.json", "--target", "vllm", "--out", "./schema.json", "--overwrite"),
            "--out would write over",
            "name another file",
        ),
        (("wares:many", "--target", "anthropic/tools"), "anthropic/tools would refuse the schema of", "another target"),
        (("wares:triage", "--nope"), "Unknown option: --nope", "--help"),
    ],
)
def test_a_wrong_call_is_exit_code_2_and_a_remedy(shop: Room, argv: tuple[str, ...], message: str, remedy: str) -> None:
    before = shop.files()
    ran = shop("compile", *argv)
    assert (ran.code, ran.out) == (2, "")
    error, help_ = ran.err.splitlines()
    assert error.startswith("pratique: error: ")
    assert message in error
    assert help_.startswith("  = help: ")
    assert remedy in help_
    assert shop.files() - {"__pycache__"} == before


def test_an_unknown_target_lists_all_of_them(shop: Room) -> None:
    ran = shop("compile", "wares:triage", "--target", "\x1b]0;owned")
    assert all(target in ran.err for target in targets())
    assert "\x1b" not in ran.err


# ---------------------------------------------------------------------- on a terminal


def test_colour_changes_nothing_but_colour(shop: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    for call in (("--target", "portable"), ()):
        painted = shop("compile", "wares:triage", *call).out
        plain = shop("compile", "wares:triage", *call, "--no-color").out
        assert "\x1b[" in painted
        assert "\x1b" not in plain
        for code in ("1", "1;31", "1;36", "0"):
            painted = painted.replace(f"\x1b[{code}m", "")
        assert painted == plain


def test_a_flood_of_constraints_is_counted_and_not_printed(shop: Room) -> None:
    shop("compile", "wares:triage", "--target", "portable", "--json")
    compiled = contract("triage").compile("portable")
    flood = tuple(
        Constraint("unit", f"/properties/{'x' * 500}{index}/minimum", "y" * 9000, Fate.HINTED, "alike")
        for index in range(MAX_ROWS + 5)
    )
    object.__setattr__(compiled, "constraints", flood)
    object.__setattr__(compiled, "warnings", ("mind the \x1bgap",))
    lines = list(residue(compiled, contract("triage"), Terminal(max_cells=40)))
    assert sum(line.startswith("    unit#/properties/x") for line in lines) == MAX_ROWS
    assert "    5 more; --json has them" in lines
    assert max(map(len, lines)) < 130
    assert lines[-2:] == ["1 warning:", "  mind the \\x1bgap"]


# ---------------------------------------------------------------------- import weight


def _imported_by(argv: list[str]) -> set[str]:
    script = f"import sys\nfrom pratique.cli import main\nmain({argv!r})\nprint('|', *sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env={**os.environ, "NO_COLOR": "1"}
    )
    return set(ran.stdout.rpartition("|")[2].split())


def test_the_help_page_waits_for_no_heavy_library() -> None:
    imported = _imported_by(["compile", "--help"])
    assert "pratique.cli.compile" in imported
    assert not {"pydantic", "pydantic_core", "jiter", "blake3", "rfc8785", "jsonschema_rs", "asyncio"} & imported
    rooms = {name for name in imported if name.startswith("pratique.") and not name.startswith("pratique.cli")}
    assert rooms == {"pratique.errors", "pratique.show", "pratique.text"}


def test_compiling_imports_no_client_of_a_provider_and_opens_no_quarantine(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps(SCHEMA))
    imported = _imported_by(["compile", "--schema", str(schema), "--at", "items"])
    assert "pratique.dialects" in imported
    unwanted = {"openai", "anthropic", "google.genai", "mistralai", "boto3", "httpx", "sqlite3", "pratique.quarantine"}
    assert not unwanted & imported


def test_a_reply_in_the_shape_that_was_asked_for_is_checked_in_it(shop: Room) -> None:
    """Who compiles in a shell checks the answer there."""
    assert shop("compile", "wares:triage", "--target", "openai/chat").code == 0
    compiled = contract("triage").compile("openai/chat")
    example = contract("triage").told().example
    assert example is not None
    shop.folder.joinpath("reply.json").write_text(json.dumps(compiled.lens.out(json.loads(example))))
    call = ("check", "reply.json", "--contract", "wares:triage")
    assert shop(*call, "--target", "openai/chat").code == 0
    assert shop(*call, "--target", "opnai/chat").code == 2
