"""The judge's end of a peer: make its environment, send it every spec, take what it put on the wire."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.dialects.peers.peer import Peer
from bench.dialects.spec import Spec
from bench.peers.environments import INSTALL_S, ROOT, python_of, variables
from pratique import Outage
from pratique.show import show

__all__ = ["REQUIREMENTS", "Answer", "ask", "install", "place_of"]

REQUIREMENTS = Path(__file__).parent / "requirements"
PREFIX = "dialects_"
"""Before the name of an environment: the folder is shared with ``bench.survival``."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a peer did with one contract: a schema on the wire, or no request and why."""

    schema: Any = None
    strict: bool = False
    error: str = ""
    warnings: tuple[str, ...] = field(default=())


def place_of(environment: str) -> str:
    """Return the folder name of an environment."""
    return PREFIX + environment


def install(folder: Path, environment: str) -> str:
    """Make an environment, unless it stands already with the same requirements; return why it could not."""
    wanted = (REQUIREMENTS / f"{environment}.txt").read_text(encoding="utf-8")
    place = folder / place_of(environment)
    stamp = place / "installed.txt"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return ""
    folder.mkdir(parents=True, exist_ok=True)
    pip = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    steps = [[sys.executable, "-m", "venv", "--clear", str(place)], [*pip, *wanted.split()]]
    with open(folder / f"{place.name}.log", "w", encoding="utf-8") as log:
        for step in steps:
            try:
                done = subprocess.run(step, stdout=log, stderr=log, timeout=INSTALL_S, check=False)
            except subprocess.TimeoutExpired:
                return f"not installed within {INSTALL_S} s"
            if done.returncode:
                return f"not installed; see {log.name}"
    stamp.write_text(wanted, encoding="utf-8")
    return ""


def ask(
    module: str, peer: Peer, specs: Sequence[Spec], *, folder: Path, answers_s: float, log: Path
) -> tuple[str, list[Answer]]:
    """Have a peer compile every spec; return its version and one answer a spec, in order.

    Limits: ``answers_s`` seconds for all of them; a spec over which the process hangs or dies has that as its error,
        and the rest are asked again.
    Errors: Outage when the process cannot be started at all.
    """
    version, answers = "", list[Answer]()
    while len(answers) < len(specs):
        lines, fate = _run(module, peer, specs[len(answers) :], folder, answers_s, log)
        if not lines:
            tail = log.read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2]
            raise Outage(f"{peer.name} {fate} before it was ready: {show(tail)}; see {log.name}")
        version = lines[0]["version"]
        answers += [_answer(line) for line in lines[1:]]
        if len(answers) < len(specs):
            answers.append(Answer(error=f"the process {fate}"))
    return version, answers


def _answer(line: dict[str, Any]) -> Answer:
    warnings = tuple(line.get("warnings", ()))
    if "error" in line:
        return Answer(error=line["error"], warnings=warnings)
    return Answer(line["schema"], strict=line["strict"], warnings=warnings)


def _run(
    module: str, peer: Peer, specs: Sequence[Spec], folder: Path, answers_s: float, log: Path
) -> tuple[list[dict[str, Any]], str]:
    """Run the process over some specs; return the lines that it gave, whole ones only."""
    python = python_of(folder, place_of(peer.environment))
    asked = "".join(json.dumps(spec) + "\n" for spec in specs)
    with open(log, "ab") as words:
        process = subprocess.Popen(
            [str(python), "-m", "bench.dialects.peers.worker", module, peer.name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=words, cwd=ROOT, env=variables(),
        )  # fmt: skip
        try:
            out, _ = process.communicate(asked.encode(), timeout=answers_s)
            fate = f"ended with {process.returncode}"
        except subprocess.TimeoutExpired:
            process.kill()
            out, _ = process.communicate()
            fate = f"gave nothing within {answers_s:g} s"
    whole = out[: out.rfind(b"\n") + 1]
    return [json.loads(line) for line in whole.splitlines()], fate
