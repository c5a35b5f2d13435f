"""What may be made in one place only is made there: no way around a constructor, anywhere in the source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from fences.source_tree import ROOT, files

PICKLERS = {"cPickle", "_pickle", "cloudpickle", "copyreg", "dill", "joblib", "marshal", "pickle", "shelve"}
MAKERS = {"pratique/boundary/admission.py", "pratique/boundary/account.py", "pratique/boundary/admit.py"}
"""The files that may know the key of ``Admitted`` and ``Admission``."""
CALLERS_CODE = re.compile(r"# caller's code: \S")
OUR_BUG = re.compile(r"# a bug of ours\b")
"""The one other reason to catch everything, and only for the command line: to tell a bug as one."""
WRITERS = {"update", "setdefault", "pop", "popitem", "clear", "__setitem__", "__delitem__", "__ior__"}


class Found(NamedTuple):
    """One forbidden thing in a program."""

    line: int
    what: str


def bypasses(tree: ast.AST) -> Iterator[Found]:
    """Yield every way around a constructor that a program takes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in ("model_construct", "construct"):
            yield Found(node.lineno, "model_construct")
        elif isinstance(node, ast.Attribute) and node.attr in ("__setattr__", "__delattr__", "__setstate__"):
            yield Found(node.lineno, node.attr)
        elif isinstance(node, ast.Call):
            yield from _calls(node)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            if any((name or "").split(".")[0] in PICKLERS for name in names):
                yield Found(node.lineno, "pickling")
        elif isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete, ast.For)):
            targets = node.targets if isinstance(node, (ast.Assign, ast.Delete)) else [node.target]
            for target in targets:
                for part in ast.walk(target):
                    if _is_dict_of(part.value if isinstance(part, ast.Subscript) else part):
                        yield Found(node.lineno, "__dict__ written")


def _calls(node: ast.Call) -> Iterator[Found]:
    named = node.func
    if isinstance(named, ast.Attribute):
        if named.attr in ("model_copy", "copy") and any(word.arg in ("update", None) for word in node.keywords):
            yield Found(node.lineno, "model_copy(update=…)")
        if named.attr in WRITERS and _is_dict_of(named.value):
            yield Found(node.lineno, "__dict__ written")
    if isinstance(named, ast.Name) and named.id in ("setattr", "delattr", "getattr"):
        said = node.args[1] if len(node.args) > 1 else None
        if isinstance(said, ast.Constant) and said.value in ("model_construct", "__setattr__", "__dict__"):
            yield Found(node.lineno, f"{said.value}, by name")


def _is_dict_of(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == "__dict__"
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars"


def key_users(tree: ast.AST) -> Iterator[Found]:
    """Yield every import of a private key from the boundary."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "_KEY" for alias in node.names):
            yield Found(node.lineno, "_KEY imported")
        elif isinstance(node, ast.Attribute) and node.attr == "_KEY":
            yield Found(node.lineno, "_KEY read")


def broad_catches(source: str, *, command_line: bool = False) -> Iterator[Found]:
    """Yield every handler that catches everything, gives no reason for it and does not raise again."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        names = {ast.unparse(one).split(".")[-1] if one is not None else "everything" for one in caught}
        if not names & {"BaseException", "Exception", "everything"}:
            continue
        last = node.body[-1]
        line = lines[node.lineno - 1]
        reason = CALLERS_CODE.search(line) or (command_line and OUR_BUG.search(line))
        if not reason and not (isinstance(last, ast.Raise) and last.exc is None):
            yield Found(node.lineno, f"except {', '.join(sorted(names))}")


def prints(tree: ast.AST) -> Iterator[Found]:
    """Yield every print to a terminal."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("print", "input"):
            yield Found(node.lineno, node.func.id)
        elif isinstance(node, ast.Attribute) and ast.unparse(node) in ("sys.stdout", "sys.stderr"):
            yield Found(node.lineno, ast.unparse(node))


# ---------------------------------------------------------------------- the source

SOURCES = [pytest.param(file, id=file.relative_to(ROOT / "src").as_posix()) for file in files()]


def room_of(file: Path) -> str:
    return file.relative_to(ROOT / "src" / "pratique").parts[0].removesuffix(".py")


@pytest.mark.parametrize("file", SOURCES)
def test_no_source_goes_around_a_constructor(file: Path) -> None:
    """What is frozen, final and made in one place is not made, changed or revived in another."""
    assert list(bypasses(ast.parse(file.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize("file", SOURCES)
def test_only_the_boundary_holds_the_key(file: Path) -> None:
    """``admit`` is the only maker of ``Admitted``."""
    found = list(key_users(ast.parse(file.read_text(encoding="utf-8"))))
    assert found == [] or file.relative_to(ROOT / "src").as_posix() in MAKERS


@pytest.mark.parametrize("file", SOURCES)
def test_everything_is_caught_only_around_the_callers_code(file: Path) -> None:
    """A bug of ours must be seen as one; only code that is not ours may raise what it likes."""
    source = file.read_text(encoding="utf-8")
    assert list(broad_catches(source, command_line=room_of(file) == "cli")) == []


@pytest.mark.parametrize("file", [source for source in SOURCES if room_of(source.values[0]) not in ("cli", "__main__")])  # type: ignore[arg-type]  # the value is a path
def test_nothing_prints_but_the_command_line(file: Path) -> None:
    """A library tells through values and an event sink."""
    assert list(prints(ast.parse(file.read_text(encoding="utf-8")))) == []


# ---------------------------------------------------------------------- programs that must fire, and must not

FIRES = [
    "Unit.model_construct(a=1)",
    "make = Unit.model_construct",
    "Unit.construct(a=1)",
    "unit.model_copy(update={'a': 1})",
    "unit.model_copy(**changes)",
    "unit.copy(update={'a': 1})",
    "object.__setattr__(admission, 'status', 'clean')",
    "force = object.__setattr__",
    "super().__setattr__('a', 1)",
    "type(x).__setattr__(x, 'a', 1)",
    "object.__delattr__(admission, 'key')",
    "unit.__setstate__(state)",
    "setattr(unit, '__dict__', {})",
    "getattr(Unit, 'model_construct')(a=1)",
    "unit.__dict__['a'] = 1",
    "unit.__dict__ = {}",
    "unit.__dict__ |= {'a': 1}",
    "unit.__dict__.update(a=1)",
    "unit.__dict__.pop('a')",
    "del unit.__dict__['a']",
    "for unit.__dict__['a'] in range(3): pass",
    "(unit.__dict__['a'], b) = 1, 2",
    "vars(unit)['a'] = 1",
    "vars(unit).update(a=1)",
    "import pickle",
    "import pickle as safe",
    "from pickle import loads",
    "import shelve, json",
    "def later():\n    import copyreg",
]
PASSES = [
    "held = unit.__dict__",
    "held = unit.__dict__['a']",
    "part = value.__dict__.get('a')",
    "names = list(vars(unit))",
    "unit.model_copy()",
    "unit.model_copy(deep=True)",
    "copied = values.copy()",
    "table.update(a=1)",
    "setattr(target, name, None)",
    "getattr(unit, 'a')",
    "class A:\n    def __setattr__(self, name, value):\n        raise AttributeError(name)",
    "note = 'model_construct and object.__setattr__ are forbidden'",
    "import json, dataclasses",
    "from pickled import loads",
]
CATCHES = [
    "try:\n    f()\nexcept Exception:\n    pass",
    "try:\n    f()\nexcept BaseException as error:\n    log(error)",
    "try:\n    f()\nexcept:\n    pass",
    "try:\n    f()\nexcept (ValueError, Exception):\n    pass",
    "try:\n    f()\nexcept builtins.Exception:\n    pass",
    "try:\n    f()\nexcept Exception:  # caller's code\n    pass",
    "try:\n    f()\nexcept Exception:  # noqa: BLE001\n    pass",
    "try:\n    f()\nexcept Exception:  # a bug of ours\n    pass",
    "try:\n    f()\nexcept Exception as error:\n    raise ValueError from error",
]
CATCHES_WITH_REASON = [
    "try:\n    f()\nexcept ValueError:\n    pass",
    "try:\n    f()\nexcept Exception:  # caller's code: a check may raise what it likes\n    pass",
    "try:\n    f()\nexcept BaseException:\n    os.unlink(name)\n    raise",
]


@pytest.mark.parametrize("program", FIRES)
def test_a_way_around_a_constructor_is_seen(program: str) -> None:
    """The fence would catch it."""
    assert list(bypasses(ast.parse(program)))


@pytest.mark.parametrize("program", PASSES)
def test_what_is_no_way_around_passes(program: str) -> None:
    """The fence does not cry wolf."""
    assert list(bypasses(ast.parse(program))) == []


@pytest.mark.parametrize("program", CATCHES)
def test_a_catch_of_everything_without_a_reason_is_seen(program: str) -> None:
    """The marker alone is no reason: something must follow it."""
    assert list(broad_catches(program))


@pytest.mark.parametrize("program", CATCHES_WITH_REASON)
def test_a_catch_with_a_reason_passes(program: str) -> None:
    """So does one that cleans up and raises again."""
    assert list(broad_catches(program)) == []


def test_the_command_line_may_tell_a_bug() -> None:
    """There, and nowhere else."""
    program = "try:\n    f()\nexcept Exception:  # noqa: BLE001  # a bug of ours, told as one\n    return 70"
    assert (
        list(broad_catches(f"def main():\n    {program.replace(chr(10), chr(10) + '    ')}", command_line=True)) == []
    )


@pytest.mark.parametrize("program", ["print('x')", "def f():\n    input()", "sys.stderr.write('x')", "x = sys.stdout"])
def test_a_print_is_seen(program: str) -> None:
    """Also one to the error stream."""
    assert list(prints(ast.parse(program)))


@pytest.mark.parametrize("program", ["from pratique.boundary.admission import _KEY", "admission._KEY"])
def test_a_borrowed_key_is_seen(program: str) -> None:
    """By import or by attribute."""
    assert list(key_users(ast.parse(program)))
