"""The commands by name, each imported when it is called; and what happens to a wrong call.

Import weight: cyclopts, and of the library only ``errors``, ``text`` and ``show``.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from io import TextIOWrapper
from typing import TextIO

from cyclopts import App, CycloptsError
from rich.console import Console

from pratique import __version__
from pratique.cli.help_page import MAX_HELP_CELLS, HelpPage
from pratique.errors import Misuse, Outage
from pratique.show import escape

__all__ = ["app", "run"]

USAGE_ERROR = 2
INTERRUPTED = 130
"""128 + SIGINT, as shells count."""
BROKEN_PIPE = 141
"""128 + SIGPIPE: whoever read our output went away."""
FAILED_OUTSIDE = 74
"""EX_IOERR of sysexits.h: the disk is full, the file is locked. Nothing was lost; the same call may work later."""
BUG = 70
"""EX_SOFTWARE of sysexits.h. Python's own 1 would say ``lost`` of a delivery that was never judged."""


def _console(*, stderr: bool) -> Console:
    """Make a console whose output depends on no terminal: the docs show what it prints."""
    return Console(
        width=MAX_HELP_CELLS,
        force_terminal=False,
        no_color=True,
        color_system=None,
        highlight=False,
        stderr=stderr,
    )


app = App(
    name="pratique",
    help="Judge what a model, an agent or a person delivered against a contract: admit the sound units, "
    "quarantine the rest with the reason and the place.",
    version=__version__,
    help_format="plaintext",
    help_formatter=HelpPage(),
    console=_console(stderr=False),
    error_console=_console(stderr=True),
    exit_on_error=False,
    print_error=False,
    verbose=False,
    suppress_keyboard_interrupt=False,
    result_action="return_value",
)
app.command(
    "pratique.cli.check:check",
    name="check",
    usage="pratique check FILE... (--contract MODULE:NAME | --schema FILE [--at NAME]) [OPTIONS]",
    help="Judge deliveries against a contract, and show what was lost, where and why.\n\n"
    "FILE is what the producer wrote, as it came; - is standard input. Exit code: 0 clean, 3 partial or "
    "empty, 1 lost, 4 refused (the producer declined), 2 a wrong call. Of several FILEs the worst counts.",
)
app.command(
    "pratique.cli.compile:compile_",
    name="compile",
    usage="pratique compile (MODULE:NAME | --schema FILE [--at NAME]) [--target TARGET] [OPTIONS]",
    help="Compile a contract for a provider: what to ask with, and what that leaves to check.\n\n"
    "It prints the part of the request, then what became of the constraints: enforced (the endpoint cannot write "
    "what breaks it), hinted (told in words), dropped (not told). Without --target: one row a target. Exit code: 0 "
    "compiled, 2 a wrong call, or the target (without --target: every target) refuses the contract.\n\n"
    "Example: pratique compile app.contracts:triage\n\n"
    "Example: pratique compile app.contracts:triage --target openai/chat --request-only > body.json",
)
app.command(
    "pratique.cli.lint:lint",
    name="lint",
    usage="pratique lint (TARGET... | --mcp COMMAND) [--target TARGET]... [OPTIONS]",
    help="Lint contracts, types, schemas and tools: what makes wrong output likely, before any call.\n\n"
    "Exit code: 0 nothing at or above --fail-on, 1 something, 2 a wrong call, 74 a server did not answer. A project's "
    "own settings, ignores with their reasons among them, stand under [tool.pratique.lint] in pyproject.toml; "
    "pratique explain CODE tells what a rule is about.\n\n"
    "Example: pratique lint app.contracts:triage --target anthropic/messages\n\n"
    "Example: pratique lint --mcp 'npx -y @modelcontextprotocol/server-memory' --target all\n\n"
    "Example: pratique lint openapi.yaml --fix > unified.py",
)
app.command(
    "pratique.cli.explain:explain",
    name="explain",
    usage="pratique explain [CODE] [--json]",
    help="Explain a code of a finding, or a lint rule: what it means, why it matters, what to do.\n\n"
    "Without CODE, list all of them.",
)
app.command(
    "pratique.cli.budget:app",
    name="budget",
    help="Look at what may be spent and what was: open budgets, override caps, sweep what dead callers left.\n\n"
    "A ledger is a SQLite file, or a schema of a PostgreSQL server. Exit code: 0 done, 1 a ledger does not add up, "
    "2 a wrong call, 74 the disk or the server failed.",
)
app.command(
    "pratique.cli.audit:app",
    name="audit",
    help="Read the chained log of what happened, and verify it.\n\n"
    "A log proves what came before a head that is held elsewhere: keep what pratique audit head prints where the log's "
    "writer cannot write.",
)
app.command(
    "pratique.cli.quarantine:app",
    name="quarantine",
    help="Look at what was refused, and decide: edit, replay, discard, snooze, export.\n\n"
    "pratique check FILE --contract MODULE:NAME --quarantine DB puts it there. Exit code: 0 done, 3 something is "
    "still refused, 5 a record was resolved before, 2 a wrong call, 74 the disk failed or the file is locked.",
)


def run(argv: Sequence[str] | None = None) -> int:
    """Run one command; turn a wrong call into a message and exit code 2."""
    _never_fail_on_a_character(sys.stdout)
    _never_fail_on_a_character(sys.stderr)
    try:
        result = app(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
    except (Misuse, Outage) as error:
        return complain_of(error)
    except CycloptsError as error:
        return complain(str(error), "pratique --help and pratique COMMAND --help say what can be written")
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The interpreter flushes standard output once more on its way out; give it a place to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        return complain_of(Outage(f"{error.strerror or error}: {escape(str(error.filename or 'the output'))}"))
    except Exception:  # noqa: BLE001  # a bug of ours, told as one
        print("\n".join(map(escape, traceback.format_exc().splitlines())), file=sys.stderr)
        return BUG
    return result if isinstance(result, int) else 0


def complain(message: str, remedy: str) -> int:
    """Tell on standard error that the call is wrong and what to write instead; return the exit code."""
    print(f"pratique: error: {escape(message)}", file=sys.stderr)
    print(f"  = help: {escape(remedy)}", file=sys.stderr)
    return USAGE_ERROR


def complain_of(error: Misuse | Outage) -> int:
    """Tell what is wrong with the call, or what failed outside; return the exit code."""
    if isinstance(error, Misuse):
        return complain(error.message, error.remedy)
    complain(str(error), "nothing was lost; call again when that is mended")
    return FAILED_OUTSIDE


def _never_fail_on_a_character(stream: TextIO) -> None:
    """Print an escape for what the terminal's encoding cannot hold, instead of failing half-way."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
