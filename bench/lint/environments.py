"""The servers' environments: one virtual environment or one npm prefix each, made once, kept in a folder.

npm runs no install script of a package here: what a server fetches for itself (a browser) is not needed to list
its tools. ``process`` starts what stands here; ``bench.peers.environments`` is the house pattern.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.lint.servers import Registry, Server
from pratique.show import show

__all__ = ["DEFAULT_FOLDER", "PEER", "install", "install_peer", "libraries", "program_of"]

DEFAULT_FOLDER = Path(__file__).parents[2] / "build" / "lint-servers"
PEER = Path(__file__).parent / "requirements" / "schemafit.txt"
INSTALL_S = 600
"""Seconds one install may take; the slowest here takes 40, all of them, 3 GB, some seven minutes."""
MAKERS = {
    Registry.NPM: ("@modelcontextprotocol/sdk", "@modelcontextprotocol/server", "fastmcp", "zod", "zod-to-json-schema"),
    Registry.PYPI: ("fastmcp", "mcp", "pydantic"),
}
"""The libraries that write a server's schemas for it: their versions shape a list as much as the server's does."""


def program_of(folder: Path, server: Server) -> Path:
    """Return the command that starts a server."""
    programs = "bin" if server.registry is Registry.PYPI else "node_modules/.bin"
    return folder / server.name / programs / server.program


def install(folder: Path, server: Server) -> str:
    """Make a server's environment, unless it stands already with the same version; return why it could not."""
    place = folder / server.name
    if server.registry is Registry.PYPI:
        wanted = [f"{server.package}=={server.version}", *server.beside]
        return _made(place, wanted, _pip_steps(place, wanted))
    wanted = [f"{server.package}@{server.version}", *server.beside]
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    return _made(place, wanted, [["npm", "install", "--prefix", str(place), "--save-exact", *quiet, *wanted]])


def install_peer(folder: Path) -> str:
    """Make schemafit's environment, unless it stands already with the same requirements; return why it could not."""
    wanted = PEER.read_text(encoding="utf-8").split()
    return _made(folder / PEER.stem, wanted, _pip_steps(folder / PEER.stem, wanted))


def libraries(folder: Path, server: Server) -> dict[str, str]:
    """Return the installed versions of the libraries that write a server's schemas."""
    place = folder / server.name
    found = {}
    for library in MAKERS[server.registry]:
        if server.registry is Registry.NPM:
            manifest = place / "node_modules" / library / "package.json"
            if manifest.is_file():
                found[library] = str(json.loads(manifest.read_text(encoding="utf-8"))["version"])
        else:
            for metadata in place.glob(f"lib/python*/site-packages/{library}-*.dist-info"):
                found[library] = metadata.name.removeprefix(f"{library}-").removesuffix(".dist-info")
    return found


def _pip_steps(place: Path, wanted: Sequence[str]) -> list[list[str]]:
    pip = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return [[sys.executable, "-m", "venv", "--clear", str(place)], [*pip, *wanted]]


def _made(place: Path, wanted: Sequence[str], steps: Sequence[Sequence[str]]) -> str:
    """Run the steps in a fresh folder, and stamp it; return why they failed."""
    stamp = place / "installed.txt"
    told = "".join(f"{line}\n" for line in wanted)
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == told:
        return ""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    path = place.parent / f"{place.name}.log"
    with open(path, "w", encoding="utf-8") as log:
        for step in steps:
            try:
                done = subprocess.run(
                    step, stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=INSTALL_S, check=False
                )
            except subprocess.TimeoutExpired:
                return f"not installed within {INSTALL_S} s; see {path.name}"
            except OSError as error:
                return f"not installed: {show(str(error))}"
            if done.returncode:
                return f"not installed: {step[0]} ended with {done.returncode}; see {path.name}"
    stamp.write_text(told, encoding="utf-8")
    return ""
