"""What the caller's words name, and what is said when they name nothing."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path

import pytest

from pratique.cli.load import load_contract, load_references, load_schema
from pratique.errors import Misuse
from pratique.terms import Locality

CONTRACTS = """
from pydantic import BaseModel
from pratique import Contract

class Item(BaseModel):
    rank: int

class held:
    inner = Contract.one(Item)

triage = Contract.items(Item, at="items")
plan = Contract.one(Item)
LIMIT = 7
"""

_NUMBERS = itertools.count()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty directory, and forget what was imported from it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return tmp_path


def module(here: Path, source: str) -> str:
    """Write a module that nobody has imported yet; return its name."""
    name = f"contracts_{next(_NUMBERS)}"
    here.joinpath(f"{name}.py").write_text(source)
    return name


def remedy(name: str) -> str:
    """Return the message and remedy of a name that leads to no contract."""
    with pytest.raises(Misuse) as caught:
        load_contract(name)
    return f"{caught.value.message} | {caught.value.remedy}"


def test_a_contract_is_found_in_the_current_directory(here: Path) -> None:
    assert load_contract(f"{module(here, CONTRACTS)}:triage").terms.locality is Locality.ITEM


def test_a_contract_may_be_an_attribute_of_something(here: Path) -> None:
    assert load_contract(f"{module(here, CONTRACTS)}:held.inner").terms.locality is Locality.ONE


def test_a_file_in_the_current_directory_does_not_shadow_an_installed_module(here: Path) -> None:
    """A model's output folder may hold anything; ``colorsys`` is of the standard library."""
    here.joinpath("colorsys.py").write_text(CONTRACTS)
    sys.modules.pop("colorsys", None)
    assert "module colorsys has no" in remedy("colorsys:triage")


@pytest.mark.parametrize("name", ["triage", ":triage", "contracts:", ""])
def test_a_name_of_another_form_is_told_the_form(name: str) -> None:
    assert "write --contract MODULE:NAME" in remedy(name)


def test_a_module_that_is_not_there_is_named(here: Path) -> None:
    assert here.exists()
    assert remedy("no_such.contracts:triage") == (
        'no module is called "no_such" | call pratique from the directory that holds it, or install it'
    )


def test_a_relative_module_is_a_misuse() -> None:
    assert "importing" in remedy(".contracts:triage")


def test_a_name_that_is_not_there_gets_the_nearest_contract(here: Path) -> None:
    told = remedy(f"{module(here, CONTRACTS)}:triag")
    assert 'has no "triag"' in told
    assert told.endswith("did you mean triage? the contracts of the module: plan, triage")


def test_a_name_that_is_no_contract_gets_the_contracts_there(here: Path) -> None:
    told = remedy(f"{module(here, CONTRACTS)}:LIMIT")
    assert "is no Contract, but of type int" in told
    assert "the contracts of the module: plan, triage" in told


def test_a_module_without_contracts_says_how_to_make_one(here: Path) -> None:
    assert "Contract.items" in remedy(f"{module(here, 'x = 1')}:x")


def test_a_module_that_fails_is_no_traceback(here: Path) -> None:
    told = remedy(f"{module(here, 'raise ValueError(chr(27) + chr(10))')}:x")
    assert "failed with" in told
    assert "ValueError" in told
    assert "\x1b" not in told


def test_a_module_that_lacks_one_of_its_own_imports_is_told_from_one_that_is_not_there(here: Path) -> None:
    assert "ModuleNotFoundError: No module named 'no_such'" in remedy(f"{module(here, 'import no_such')}:x")


def test_a_module_that_exits_does_not_end_the_program(here: Path) -> None:
    assert "SystemExit" in remedy(f"{module(here, 'import sys; sys.exit(0)')}:x")


def test_a_contract_that_makes_no_sense_keeps_its_own_remedy(here: Path) -> None:
    source = CONTRACTS + "\nbad = Contract.items(Item, at='items', unique=('rnk',))"
    told = remedy(f"{module(here, source)}:triage")
    assert "the unit has no field 'rnk'" in told
    assert "use one of: rank" in told


def test_a_schema_makes_a_contract(here: Path) -> None:
    schema = {
        "type": "object",
        "properties": {"items": {"type": "array", "maxItems": 7, "items": {"type": "object"}}},
    }
    here.joinpath("schema.json").write_text(json.dumps(schema))
    assert load_schema("schema.json", at="items").terms.limits.max_items == 7


@pytest.mark.parametrize("text", ["", "{", "[1]", '"x"', "[" * 100_000])
def test_a_file_that_holds_no_schema_is_a_misuse(text: str, here: Path) -> None:
    here.joinpath("schema.json").write_text(text)
    with pytest.raises(Misuse, match="JSON"):
        load_schema("schema.json", at="items")


@pytest.mark.parametrize("text", ["a\nb\n", "\n  a \r\n\r\nb", '["a", "b"]', '\n["b", "a", "a"]', "\ufeffa\nb"])
def test_an_allow_list_is_lines_or_a_json_list(text: str, here: Path) -> None:
    here.joinpath("ids").write_text(text, "utf-8")
    assert load_references(["workstream=ids"]) == {"workstream": {"a", "b"}}


def test_two_files_for_one_reference_add_up(here: Path) -> None:
    here.joinpath("one").write_text("a")
    here.joinpath("two").write_text("b")
    assert load_references(["workstream=one", "workstream=two"]) == {"workstream": {"a", "b"}}


def test_an_empty_allow_list_is_one(here: Path) -> None:
    here.joinpath("ids").write_text("")
    assert load_references(["workstream=ids"]) == {"workstream": set()}


@pytest.mark.parametrize("entry", ["workstream", "=ids", "workstream=", ""])
def test_an_allow_list_of_another_form_is_told_the_form(entry: str) -> None:
    with pytest.raises(Misuse, match="write --references NAME=FILE"):
        load_references([entry])


@pytest.mark.parametrize("text", ['["a", 1]', '["a"', '["a"] x', '[["a"]]'])
def test_an_allow_list_that_is_no_list_of_strings_is_a_misuse(text: str, here: Path) -> None:
    here.joinpath("ids").write_text(text)
    with pytest.raises(Misuse, match="write a JSON list of strings, or one id a line"):
        load_references(["workstream=ids"])
