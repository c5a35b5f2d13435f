"""A server that misbehaves is told in one line, is ended, and never has its keys repeated."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from pratique import Outage
from pratique.lint.sources.mcp_server import tools_of

pytestmark = pytest.mark.slow
KEY = "sk-live-0123456789"
SERVER = """\
import json, os, sys, time

mode = sys.argv[1]
open(sys.argv[2], "w").write(str(os.getpid()))
key = os.environ.get("KEY", "")
if mode == "garbage":
    print("starting with", key, "{", chr(27) + "[31m", flush=True)
if mode == "stderr":
    print("no such key:", key, file=sys.stderr)
    sys.exit(2)
for line in sys.stdin:
    asked = json.loads(line)
    answer = {"jsonrpc": "2.0", "id": asked.get("id")}
    if asked["method"] == "initialize":
        told = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}}}
        answer["result"] = {**told, "serverInfo": {"name": "fake", "version": "1"}}
    elif asked["method"] != "tools/list":
        continue
    elif mode == "refuses":
        answer["error"] = {"code": -1, "message": "refused " + key}
    elif mode == "dies":
        sys.exit(1)
    elif mode == "hangs":
        time.sleep(300)
    else:
        pages = {"nextCursor": "more"} if mode == "endless" else {}
        answer["result"] = {"tools": [{"name": "add", "inputSchema": {"type": "object"}, "new": 1}], **pages}
    print(json.dumps(answer), flush=True)
"""


def asked(folder: Path, mode: str, timeout_s: float = 20) -> list[dict[str, object]]:
    """Start the fake server in one of its modes, and return what it lists."""
    (folder / "server.py").write_text(SERVER, encoding="utf-8")
    command = [sys.executable, str(folder / "server.py"), mode, str(folder / "pid")]
    return tools_of(command, environment={"KEY": KEY, "SHORT": "e"}, timeout_s=timeout_s)


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        ("stderr", 'its last line: "no such key: ***"'),
        ("refuses", 'tools: "refused ***"'),
        ("dies", "did not list its tools"),
        ("endless", "more than 100 pages"),
    ],
)
def test_a_server_that_fails_is_told_without_its_keys(mode: str, told: str, tmp_path: Path) -> None:
    """The value of a variable is not repeated, whoever wrote it; one of a letter is left in the words."""
    with pytest.raises(Outage) as caught:
        asked(tmp_path, mode)
    assert told in str(caught.value)
    assert KEY not in str(caught.value)


def test_what_a_server_prints_beside_the_protocol_is_passed_over(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """The SDK would log it, traceback and key; a tool's own unknown keys are kept."""
    assert asked(tmp_path, "garbage") == [{"name": "add", "inputSchema": {"type": "object"}, "new": 1}]
    assert capfd.readouterr() == ("", "")
    assert KEY not in caplog.text


def test_a_server_that_does_not_answer_is_ended(tmp_path: Path) -> None:
    """Its process is gone when the call is over."""
    with pytest.raises(Outage, match="no list within 2 s"):
        asked(tmp_path, "hangs", timeout_s=2)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text(encoding="utf-8")), 0)
