"""The text of an edit: read from a file or standard input, or written by a person in an editor.

Text travels as UTF-8. Bytes of the producer that were none (they are lone surrogates here) go out as they came
and come back as they went.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from pratique.cli.files import read_bytes
from pratique.errors import Misuse
from pratique.show import show

__all__ = ["editor_of", "from_editor", "from_file", "saved"]


def from_file(name: str, *, max_bytes: int) -> str:
    """Read an edited text; one line end at its end is not part of it.

    Limits: no more is read than what the store needs to see that it is more than ``max_bytes``.
    Errors: Misuse when it cannot be read.
    """
    return _without_line_end(_decoded(read_bytes(name, max_bytes=max_bytes + len("\r\n"))))


def from_editor(start: str, *, editor: list[str]) -> str:
    """Let a person change a text in an editor, and return it.

    Errors: Misuse when the editor cannot be started, or fails.
    """
    with tempfile.TemporaryDirectory(prefix="pratique-") as folder:
        file = Path(folder, "unit.json")
        file.write_bytes(_encoded(start + "\n"))
        try:
            ran = subprocess.run([*editor, str(file)], check=False)
        except OSError as error:
            raise Misuse(
                f"the editor {show(editor[0])} cannot be started: {(error.strerror or str(error)).lower()}",
                remedy="set VISUAL or EDITOR to one that can, or write --text FILE",
            ) from error
        if ran.returncode:
            raise Misuse(
                f"the editor {show(editor[0])} ended with exit code {ran.returncode}; nothing was changed",
                remedy="end it with exit code 0, or write --text FILE",
            )
        return _without_line_end(_decoded(read_bytes(str(file))))


def saved(text: str) -> str:
    """Write a text to a new file of its own, and return the file's name."""
    handle, name = tempfile.mkstemp(prefix="pratique-edit-", suffix=".json")
    with os.fdopen(handle, "wb") as file:
        file.write(_encoded(text + "\n"))
    return name


def editor_of(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return the words that start the editor.

    Errors: Misuse when none is set.
    """
    for name in ("VISUAL", "EDITOR"):
        try:
            words = shlex.split(environ.get(name, ""))
        except ValueError as error:
            raise Misuse(f"{name} is no command: {error}", remedy=f"mend {name}, or write --text FILE") from error
        if words:
            return words
    raise Misuse("no editor is set", remedy="set VISUAL or EDITOR, or write --text FILE")


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _without_line_end(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r")
