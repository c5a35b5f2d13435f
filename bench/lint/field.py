"""The field report of ``pratique lint``: the tools of real servers, its findings, which were looked at, and schemafit.

Run: ``python -m bench.lint.collect --install`` first, then ``python -m bench.lint.field``. It writes the generated part
of ``docs/lint-field-report.md``; ``--sample N`` prints N findings of each rule that nobody has judged yet instead.
``judged.json`` holds the verdicts that people gave by hand: what they call wrong must not be found again.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import platform
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

from bench.lint.collect import LISTS
from bench.lint.environments import DEFAULT_FOLDER, PEER
from bench.lint.page import MARKERS, tables
from bench.lint.plot import draw
from pratique.lint import LintFinding, lint
from pratique.lint.sources.documents import document_subjects

__all__ = ["Judgement", "Run", "Saved", "main"]

PAGE = Path(__file__).parents[2] / "docs" / "lint-field-report.md"
JUDGED = Path(__file__).parent / "judged.json"
RUNNER = Path(__file__).parent / "schemafit_runner.py"
SEED = 20_261_122
PEER_TARGETS = {"openai": "openai/chat", "anthropic": "anthropic/tools", "gemini": "google", "mistral": "mistral"}
"""The peer's providers, and the endpoint of ours that is nearest; cohere has none."""


@dataclass(frozen=True)
class Judgement:
    """What somebody said of one finding: ``right``, ``arguable`` (true, and many would leave it) or ``wrong``."""

    verdict: str
    why: str


@dataclass(frozen=True)
class Saved:
    """One server's list, and what was found in it. ``limits`` is for all targets of ``PEER_TARGETS``."""

    name: str
    version: str
    registry: str
    tools: int
    findings: tuple[LintFinding, ...]
    limits: tuple[LintFinding, ...]
    peer: dict[str, list[dict[str, str]]]


@dataclass(frozen=True)
class Run:
    """Everything that one run has to tell."""

    machine: str
    saved: Sequence[Saved]
    judged: dict[str, Judgement]

    def verdict(self, server: Saved, finding: LintFinding) -> Judgement | None:
        """What was said of one finding; None when nobody looked at it."""
        return self.judged.get(key_of(server.name, finding))


def key_of(server: str, finding: LintFinding) -> str:
    """Name one finding so that it is found again in another run."""
    return f"{server} {finding.code} {finding.place}"


def main(words: Sequence[str] | None = None) -> int:
    """Write the page, or print a sample; 1 when what was judged wrong is found again, 2 without lists."""
    parser = argparse.ArgumentParser(prog="python -m bench.lint.field", description=__doc__.partition("\n")[0])
    parser.add_argument("--sample", type=int, metavar="N", help="print N findings of each rule that nobody judged yet")
    parser.add_argument("--only", action="append", metavar="CODE", help="with --sample: of this rule; repeatable")
    asked = parser.parse_args(words)
    files = sorted(LISTS.glob("*.json"))
    if not files:
        print("no lists; run python -m bench.lint.collect --install first", file=sys.stderr)
        return 2
    machine = f"{date.today()}; Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    run = Run(machine, [_saved(file) for file in files], _judged())
    if asked.sample is not None:
        print("\n".join(_sample(run, asked.sample, asked.only or ())))
        return 0
    whole = PAGE.read_text(encoding="utf-8")
    begin, end = MARKERS
    body = f"{begin}\n\n{tables(run, PEER_TARGETS)}\n\n{end}"
    if importlib.util.find_spec("matplotlib") is not None:
        draw(run, PEER_TARGETS, PAGE.with_suffix(".png"))
    PAGE.write_text(re.sub(re.escape(begin) + ".*" + re.escape(end), lambda _: body, whole, flags=re.S), "utf-8")
    again = [key for key, told in _found_again(run)]
    print("\n".join([f"found again, though judged wrong: {key}" for key in again] or [f"wrote {PAGE.name}"]))
    return 1 if again else 0


def _found_again(run: Run) -> Iterator[tuple[str, Judgement]]:
    for server in run.saved:
        for finding in (*server.findings, *server.limits):
            told = run.verdict(server, finding)
            if told is not None and told.verdict == "wrong":
                yield key_of(server.name, finding), told


def _judged() -> dict[str, Judgement]:
    if not JUDGED.is_file():
        return {}
    return {key: Judgement(*told) for key, told in json.loads(JUDGED.read_text(encoding="utf-8")).items()}


def _saved(file: Path) -> Saved:
    text = file.read_text(encoding="utf-8")
    said = json.loads(text)
    subjects = document_subjects(text, file=file.name)
    found = lint(*subjects).findings
    limits = lint(*subjects, target=tuple(PEER_TARGETS.values())).findings
    return Saved(
        file.stem, said["version"], said["registry"], len(said["tools"]), found,
        tuple(finding for finding in limits if finding.target), _peer(said["tools"]),
    )  # fmt: skip


def _peer(tools: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, str]]]:
    """Ask schemafit, in its own environment, for each tool's input schema."""
    python = DEFAULT_FOLDER / PEER.stem / "bin" / "python"
    schemas = DEFAULT_FOLDER / "schemafit-input.json"
    schemas.write_text(json.dumps({tool["name"]: tool["inputSchema"] for tool in tools}), encoding="utf-8")
    done = subprocess.run([python, RUNNER, schemas], capture_output=True, text=True, timeout=300, check=True)
    found: dict[str, list[dict[str, str]]] = json.loads(done.stdout)
    return found


def _sample(run: Run, many: int, only: Sequence[str]) -> Iterator[str]:
    """Yield findings that nobody judged, some of each rule, with the schema that they stand in."""
    by_code: dict[str, list[tuple[Saved, LintFinding]]] = {}
    for server in run.saved:
        for finding in server.findings:
            if run.verdict(server, finding) is None and (not only or finding.code in only):
                by_code.setdefault(finding.code, []).append((server, finding))
    rng = Random(SEED)
    for code in sorted(by_code):
        chosen = rng.sample(by_code[code], min(many, len(by_code[code])))
        yield f"== {code}: {len(by_code[code])} not judged"
        for server, finding in chosen:
            yield json.dumps({
                "key": key_of(server.name, finding), "level": finding.level.value, "message": finding.message,
                "schema": _shown(server.name, finding),
            }, ensure_ascii=False)  # fmt: skip


def _shown(server: str, finding: LintFinding) -> Any:
    """Return what stands at the finding's place, and the tool's description at its root."""
    said = json.loads((LISTS / f"{server}.json").read_text(encoding="utf-8"))
    name = finding.subject.removeprefix("tools/")
    tool = next(tool for tool in said["tools"] if tool["name"] == name)
    part: Any = tool["inputSchema"]
    for key in (word.replace("~1", "/").replace("~0", "~") for word in finding.pointer.split("/")[1:]):
        inner = part[int(key)] if isinstance(part, list) else part.get(key, part.get("definitions", {}))
        part = inner
    return part if finding.pointer else {"description": tool.get("description"), "schema": part}


if __name__ == "__main__":
    sys.exit(main())
