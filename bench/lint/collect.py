"""Collect the tool lists of real servers, one JSON file a server, into ``build/lint-servers/lists``.

Run: ``python -m bench.lint.collect [--install] [--only NAME]``. Without ``--install`` only what stands already is
started. A server that does not answer is told with the reason, and its old list is removed; the command then
ends with 1. A list holds ``server, version, registry, command, protocol, tools`` and how it came about.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from bench.lint.environments import DEFAULT_FOLDER, PEER, install, install_peer, libraries, program_of
from bench.lint.process import Listing, is_cut_off, listed
from bench.lint.servers import REFUSED, SERVERS, Server

__all__ = ["LISTS", "main"]

LISTS = DEFAULT_FOLDER / "lists"
TIMEOUT_S = 60.0
"""Seconds from start to the whole list; the slowest here takes 3, a first start of Python code some more."""


def main(words: Sequence[str] | None = None) -> int:
    """Collect all lists, or those that are named; return how the command ends."""
    arguments = _parser().parse_args(words)
    DEFAULT_FOLDER.mkdir(parents=True, exist_ok=True)
    # A banner on standard output is no message: the SDK logs each such line with a traceback, which belongs here.
    logging.basicConfig(filename=DEFAULT_FOLDER / "collect.log", filemode="w")
    chosen = [server for server in SERVERS if not arguments.only or server.name in arguments.only]
    if not is_cut_off():
        print("no network namespace here: the servers run with the network there is", flush=True)
    peer = install_peer(DEFAULT_FOLDER) if arguments.install and not arguments.only else ""
    if peer:
        print(f"{PEER.stem}: {peer}", flush=True)
    lists = 0
    for number, server in enumerate(chosen, 1):
        began = monotonic()
        told, done = _collected(server, installs=arguments.install, timeout_s=arguments.timeout_s)
        lists += done
        took = f"{monotonic() - began:.1f} s"
        print(f"{number}/{len(chosen)} {server.name} {server.version}: {told} ({took})", flush=True)
    if not arguments.only:
        for package, why in sorted(REFUSED.items()):
            print(f"not tried again: {package}: {why}", flush=True)
    print(f"{lists} of {len(chosen)} lists in {LISTS}")
    return 1 if peer or lists < len(chosen) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.lint.collect", description="Collect tool lists of servers.")
    parser.add_argument("--install", action="store_true", help="install what is missing, the peer too")
    names = [server.name for server in SERVERS]
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help="this server alone; repeatable")
    parser.add_argument("--timeout-s", type=float, default=TIMEOUT_S, help="seconds one server has for its list")
    return parser


def _collected(server: Server, *, installs: bool, timeout_s: float) -> tuple[str, bool]:
    """Install and start one server, and save its list; return what to print, and whether there is a list."""
    path = LISTS / f"{server.name}.json"
    path.unlink(missing_ok=True)
    if installs and (why := install(DEFAULT_FOLDER, server)):
        return why, False
    if not program_of(DEFAULT_FOLDER, server).is_file():
        return "not installed; run with --install", False
    listing = listed(DEFAULT_FOLDER, server, timeout_s=timeout_s)
    if isinstance(listing, str):
        return f"not listed: {listing}", False
    _save(path, server, listing)
    return f"{len(listing.tools)} tools, protocol {listing.protocol}", True


def _save(path: Path, server: Server, listing: Listing) -> None:
    saved = {
        "server": server.package,
        "version": server.version,
        "registry": server.registry.value,
        "command": [server.program, *server.arguments],
        "protocol": listing.protocol,
        "server_info": listing.server_info,
        "libraries": libraries(DEFAULT_FOLDER, server),
        "cut_off": is_cut_off(),
        "pages": listing.pages,
        "tools": listing.tools,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(saved, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
