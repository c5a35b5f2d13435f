"""What ``pratique lint`` does: find the subjects, run the rules, print, and sum up as an exit code."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from pratique.cli.lint import FailOn, Format, LevelName
from pratique.cli.linted.report import Linted, Render
from pratique.cli.linted.targets import subjects_named, subjects_of_server
from pratique.cli.quarantined.progress import progress_on
from pratique.cli.terminal import terminal_of
from pratique.errors import Misuse
from pratique.lint.configuration import Configuration
from pratique.lint.face import dialects_named
from pratique.lint.finding import Ignore, Report
from pratique.lint.linting import lint_subjects
from pratique.lint.rule import Level, Settings
from pratique.lint.subject import Subject
from pratique.show import show

__all__ = ["Call", "run_lint"]

FOUND = 1
"""Exit code when something was found that fails."""

_FOR_PEOPLE: tuple[Format | None, ...] = (None, "full", "concise")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of ``pratique lint``, as written."""

    linted: tuple[str, ...]
    mcp: str | None = None
    env: tuple[str, ...] = ()
    timeout_s: float | None = None
    target: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    ignore: tuple[tuple[str, str, str], ...] = ()
    max_tokens: int | None = None
    level: LevelName | None = None
    fail_on: FailOn | None = None
    fix: bool = False
    statistics: bool = False
    show_ignored: bool = False
    format: Format | None = None
    config: str | None = None
    no_color: bool = False


def run_lint(call: Call) -> int:
    """Lint what one call names and print the report; return the exit code.

    Errors: Misuse when the call or the project's file is wrong; Outage when a server does not answer.
    """
    _require_sound(call)
    project = _merged(_project(call.config), call)
    subjects = _subjects(call)
    settings = Settings(project.thresholds, dialects_named(project.target), project.same_behaviour)
    with _progress(len(subjects)) as progress:
        report = lint_subjects(subjects, settings=settings, ignore=project.ignore, only=call.only, progress=progress)
    linted = Linted(report, project.level, bool(settings.targets), call.show_ignored)
    for line in _lines(call, linted):
        sys.stdout.write(line + "\n")
    return FOUND if project.fail_on is not None and report.at_least(project.fail_on) else 0


def _require_sound(call: Call) -> None:
    if not call.linted and call.mcp is None:
        raise Misuse(
            "nothing to lint was named",
            remedy="write pratique lint MODULE:NAME, a file, or --mcp COMMAND; --help has examples",
        )
    if call.mcp is None and (call.env or call.timeout_s is not None):
        raise Misuse("--env and --timeout-s are for the server of --mcp", remedy="write --mcp COMMAND, too")
    if call.fix and call.statistics:
        raise Misuse("--fix and --statistics each print in place of the report", remedy="leave one of them out")
    if call.statistics and call.format not in _FOR_PEOPLE:
        raise Misuse(f"--statistics is for people, not for --format {call.format}", remedy="leave one of them out")
    if call.fix and call.format not in (*_FOR_PEOPLE, "json"):
        raise Misuse(f"--fix prints Python source, or JSON; not {call.format}", remedy="leave --format out")


def _project(named: str | None) -> Configuration:
    """Read the project's own word: the file that was named, else the nearest one."""
    if named is not None:
        return Configuration.read(Path(named))
    here = Path.cwd()
    found = next((file for folder in (here, *here.parents) if (file := folder / "pyproject.toml").is_file()), None)
    return Configuration() if found is None else Configuration.read(found)


def _merged(project: Configuration, call: Call) -> Configuration:
    """Put what the call says over what the project says; ignores add up."""
    thresholds = project.thresholds
    if call.max_tokens is not None:
        thresholds = replace(thresholds, max_tokens=call.max_tokens)
    fail_on = project.fail_on
    if call.fail_on is not None:
        fail_on = None if call.fail_on == "never" else Level(call.fail_on)
    return replace(
        project,
        target=call.target or project.target,
        thresholds=thresholds,
        level=project.level if call.level is None else Level(call.level),
        fail_on=fail_on,
        ignore=(*project.ignore, *(Ignore(*words) for words in call.ignore)),
    )


def _subjects(call: Call) -> list[Subject]:
    found = [subject for word in call.linted for subject in subjects_named(word)]
    if call.mcp is not None:
        if sys.stderr.isatty():
            sys.stderr.write(f"starting {show(call.mcp)} …\n")
        found += subjects_of_server(call.mcp, call.env, call.timeout_s)
    return found


@contextmanager
def _progress(total: int) -> Iterator[Callable[[Subject], None]]:
    """Count subjects on a terminal."""
    with progress_on(sys.stderr, "linted") as tell:
        done = 0

        def step(subject: Subject) -> None:
            nonlocal done
            del subject
            if tell is not None:
                tell(done, total)
            done += 1

        yield step


def _lines(call: Call, linted: Linted) -> Iterator[str]:
    terminal = terminal_of(sys.stdout, no_color=call.no_color)
    if call.fix:
        yield from _fixes(call, linted.report)
    elif call.statistics:
        for code, name, level, count in linted.by_rule:
            yield f"{count:>6,}  {code}  {level.value:<5}  {name}"
        yield linted.summary
    else:
        module = importlib.import_module(f"pratique.cli.linted.formats.{call.format or 'full'}")
        yield from cast(Render, module.render)(linted, terminal)


def _fixes(call: Call, report: Report) -> Iterator[str]:
    """Yield the source of every fix, or one JSON list; how many there are is told on standard error."""
    found = [finding for finding in report.findings if finding.fix is not None]
    sys.stderr.write(f"{len(found)} {'fix' if len(found) == 1 else 'fixes'}\n")
    if call.format == "json":
        yield json.dumps([finding.to_dict() for finding in found])
        return
    for finding in found:
        assert finding.fix is not None
        yield f"# {finding.code} at {finding.place}: {finding.message}"
        yield f"# {finding.fix.title}"
        yield finding.fix.python
