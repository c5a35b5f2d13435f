"""A hook is there for those who have its framework, and costs nobody else anything."""

from __future__ import annotations

import subprocess
import sys

import pytest

HOOKS = {"anthropic": "anthropic", "mcp": "mcp", "openai": "openai"}
"""Each hook, and the package that it is for; its extra has the hook's name."""


def run(program: str) -> str:
    """Run a program in an interpreter of its own."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    return done.stdout.strip()


def test_the_room_imports_no_framework() -> None:
    """Nor does the package, nor the port."""
    frameworks = {*HOOKS.values(), "httpx", "httpx2", "langgraph", "pydantic_ai", "starlette"}
    told = run(
        "import sys, pratique, pratique.hooks, pratique.hooks.port, pratique.hooks.wire\n"
        f"print(sorted(set({sorted(frameworks)}) & set(sys.modules)))"
    )
    assert told == "[]"


@pytest.mark.parametrize("hook", sorted(HOOKS))
def test_a_hook_imports_its_own_framework_and_warns_of_nothing(hook: str) -> None:
    """And no other one."""
    others = sorted(set(HOOKS.values()) - {HOOKS[hook]})
    assert run(f"import sys, pratique.hooks.{hook}\nprint(sorted(set({others}) & set(sys.modules)))") == "[]"


@pytest.mark.parametrize("hook", sorted(HOOKS))
def test_a_hook_without_its_package_says_what_to_install(hook: str) -> None:
    """Whoever imports it reads the remedy, and not a trace through a foreign package."""
    told = run(
        f"import sys\nsys.modules[{HOOKS[hook]!r}] = None\n"
        f"try:\n    import pratique.hooks.{hook}\nexcept ImportError as error:\n    print(error)"
    )
    assert told.startswith(f"this hook needs {HOOKS[hook]}, ")
    assert told.endswith(f"pip install 'pratique[{hook}]'")
