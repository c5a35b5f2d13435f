"""The peers' environments: one virtual environment a requirements file, made once, kept in a folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from bench.peers.peer import HERE
from pratique.show import show

__all__ = ["DEFAULT_FOLDER", "REQUIREMENTS", "ROOT", "install", "python_of", "variables"]

ROOT = Path(__file__).parent.parent.parent
REQUIREMENTS = Path(__file__).parent / "requirements"
DEFAULT_FOLDER = ROOT / "build" / "peers"
INSTALL_S = 900
"""Seconds one ``pip install`` may take: guardrails-ai alone brings some hundred distributions."""


def python_of(folder: Path, environment: str) -> Path:
    """Return the interpreter of an environment."""
    return Path(sys.executable) if environment == HERE else folder / environment / "bin" / "python"


def install(folder: Path, environment: str) -> str:
    """Make an environment, unless it stands already with the same requirements; return why it could not."""
    if environment == HERE:
        return ""
    wanted = REQUIREMENTS / f"{environment}.txt"
    place = folder / environment
    stamp = place / "installed.txt"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted.read_text(encoding="utf-8"):
        return ""
    folder.mkdir(parents=True, exist_ok=True)
    python = python_of(folder, environment)
    steps = [
        [sys.executable, "-m", "venv", "--clear", str(place)],
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(wanted)],
    ]
    with open(folder / f"{environment}.log", "w", encoding="utf-8") as log:
        for step in steps:
            try:
                done = subprocess.run(step, stdout=log, stderr=log, timeout=INSTALL_S, check=False)
            except subprocess.TimeoutExpired:
                return f"not installed within {INSTALL_S} s"
            if done.returncode:
                return f"not installed: {show(_last_line(Path(log.name)))}"
    stamp.write_text(wanted.read_text(encoding="utf-8"), encoding="utf-8")
    return ""


def variables() -> dict[str, str]:
    """Return the variables a peer's process runs with: our paths, and nothing that calls home."""
    return {
        **os.environ,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}",
        "PYTHONHASHSEED": "0",
        "OTEL_SDK_DISABLED": "true",
        "LANGSMITH_TRACING": "false",
        "LANGCHAIN_TRACING_V2": "false",
        "BAML_LOG": "off",
    }


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), "no word of why")
