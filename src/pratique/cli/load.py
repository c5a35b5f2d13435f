"""What the caller's words name: a contract in a module, a schema in a file, the allow-lists.

Errors: Misuse throughout, with the remedy: what is wrong here is the call, never the producer.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import json
import os
import sys
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from pratique.cli.files import read_text
from pratique.contract import Contract
from pratique.errors import Misuse
from pratique.show import show

__all__ = ["load_attribute", "load_contract", "load_module", "load_references", "load_schema"]


def load_contract(name: str) -> Contract[Any]:
    """Import the contract that ``module:name`` names; ``name`` may be dotted.

    Shape: the current directory is searched last, so that a file in it (a model's output, say) cannot
        take the place of an installed module.
    Errors: Misuse when the module, the name or the contract is not there, or the module fails.
    """
    module, found = load_attribute(name, example="write --contract MODULE:NAME, as in app.contracts:triage")
    if not isinstance(found, Contract):
        attribute = name.partition(":")[2]
        raise Misuse(f"{name} is no Contract, but of type {type(found).__name__}", remedy=_nearest(attribute, module))
    return found


def load_attribute(
    name: str, *, example: str = "write MODULE:NAME, as in app.contracts:triage"
) -> tuple[ModuleType, Any]:
    """Import what ``module:name`` names, with its module.

    Errors: Misuse when the module or the name is not there, or the module fails.
    """
    module_name, colon, attribute = name.partition(":")
    if not colon or not module_name or not attribute:
        raise Misuse(f"{show(name)} does not name a contract", remedy=example)
    module = load_module(module_name)
    found: Any = module
    for part in attribute.split("."):
        try:
            found = getattr(found, part)
        except AttributeError as error:
            raise Misuse(
                f"module {module_name} has no {show(attribute)}", remedy=_nearest(attribute, module)
            ) from error
    return module, found


def load_schema(name: str, *, at: str) -> Contract[Any]:
    """Make a contract of the JSON Schema in a file.

    Errors: Misuse when the file is not JSON, or the schema makes no sense.
    """
    text = read_text(name, what="the schema")
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Misuse(
            f"the schema {show(name)} is not JSON: {error}", remedy="give a file that holds a JSON Schema"
        ) from error
    if not isinstance(schema, (dict, bool)):
        raise Misuse(f"{show(name)} holds no JSON Schema", remedy="a JSON Schema is an object")
    return Contract.from_json_schema(schema, at=at)


def load_references(entries: Iterable[str]) -> dict[str, set[str]]:
    """Read allow-lists given as ``name=file``; the same name twice adds up.

    Shape: a file holds a JSON list of strings, or one id a line; blank lines do not count.
    Errors: Misuse when an entry or a file has another form.
    """
    lists: dict[str, set[str]] = {}
    for entry in entries:
        name, equals, file = entry.partition("=")
        if not equals or not name or not file:
            raise Misuse(f"{show(entry)} gives no allow-list", remedy="write --references NAME=FILE")
        lists.setdefault(name, set()).update(_ids(file))
    return lists


def _ids(file: str) -> Iterable[str]:
    text = read_text(file, what="the allow-list")
    if not text.lstrip().startswith("["):
        return [line.strip() for line in text.splitlines() if line.strip()]
    remedy = "write a JSON list of strings, or one id a line"
    try:
        ids = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Misuse(f"the allow-list {show(file)} is not JSON: {error}", remedy=remedy) from error
    strange = [one for one in ids if not isinstance(one, str)]
    if strange:
        raise Misuse(f"the allow-list {show(file)} holds {show(strange[0])}, which is no string", remedy=remedy)
    return list(ids)


def load_module(name: str) -> ModuleType:
    """Import a module; the current directory is searched last.

    Errors: Misuse when it is not there, or fails.
    """
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)
        importlib.invalidate_caches()
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what the module prints is no part of a report
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise Misuse(
                f"no module is called {show(error.name)}",
                remedy="call pratique from the directory that holds it, or install it",
            ) from error
        raise _failed(name, error) from error
    except Misuse as error:
        raise Misuse(f"module {name} makes a contract that cannot be: {error.message}", remedy=error.remedy) from error
    except (Exception, SystemExit) as error:  # caller's code: the module runs when it is imported
        raise _failed(name, error) from error


def _failed(name: str, error: BaseException) -> Misuse:
    why = f"{type(error).__name__}: {error}"
    return Misuse(
        f"importing {show(name)} failed with {show(why, max_chars=300)}",
        remedy="mend the module; python -c 'import " + name + "' shows where it fails",
    )


def _nearest(attribute: str, module: ModuleType) -> str:
    contracts = sorted(name for name, value in vars(module).items() if isinstance(value, Contract))
    if not contracts:
        return "make one there with Contract.items, Contract.one or Contract.batch"
    near = difflib.get_close_matches(attribute, contracts, n=1)
    told = "the contracts of the module: " + ", ".join(contracts)
    return f"did you mean {near[0]}? {told}" if near else told
