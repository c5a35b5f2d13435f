"""What the docs show is run, and where they lead is there.

The blocks of one page share a namespace, in order. What a block prints stands in the block that follows it
directly. Generated parts are held by ``docs/generate.py --check``.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in (
        ROOT / "README.md",
        *(page for part in ("", "decisions/", "hooks/") for page in sorted(ROOT.glob(f"docs/{part}*.md"))),
    )
    if page.exists()
]
LINKING = [*PAGES, *(ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"))]

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([^`\n]*)$")
_HIDDEN = re.compile(r"^(?: {4,}|\t)\s*(?:```|~~~)", re.MULTILINE)
_CODE_SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(\s*<?([^\s<>()]*(?:\([^\s()]*\))?)>?(?:\s+\"[^\"]*\")?\s*\)")
_NAMED_LINK = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)>?", re.MULTILINE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$", re.MULTILINE)


class Block(NamedTuple):
    """One fenced block. Units: ``line`` counts from 1 and is that of the opening fence."""

    kind: str
    """All that stands behind the opening fence: ``python``, ``text``, or nothing."""
    body: str
    line: int
    follows: bool
    """Only blank lines stand between the block before and this one."""


def blocks_of(page: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page, in order."""
    body: list[str] = []
    fence, kind, opened = "", "", 0
    follows = False
    for number, line in enumerate(page.splitlines(), 1):
        found = _FENCE.match(line)
        if not fence:
            if found:
                fence, kind, opened = found[1], found[2].strip(), number
            elif line.strip():
                follows = False
        elif found and found[1].startswith(fence) and not found[2].strip():
            yield Block(kind, "\n".join(body), opened, follows)
            body, fence, follows = [], "", True
        else:
            body.append(line)
    assert not fence, f"the block at line {opened} is never closed"


def outside_blocks(page: str) -> str:
    """Return the page without its fenced blocks."""
    kept: list[str] = []
    fence = ""
    for line in page.splitlines():
        found = _FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence) and not found[2].strip():
                fence = ""
        elif found:
            fence = found[1]
        else:
            kept.append(line)
    return "\n".join(kept)


def shown_after(block: Block | None) -> str | None:
    """Return what a page says that the block before this one prints; None when it says nothing."""
    if block is None or not block.follows or block.kind not in ("text", "console"):
        return None
    first, _, rest = block.body.partition("\n")
    if block.kind == "console" and first.startswith("$ "):
        return rest if first.startswith("$ python") else None
    return block.body


def run_blocks(page: str, name: str) -> Iterator[str]:
    """Run the Python of a page; yield what is wrong with it."""
    if _HIDDEN.search(outside_blocks(page)):
        yield f"{name}: a fence is indented so far that it is no fence here, and would not be run"
    blocks = list(blocks_of(page))
    namespace: dict[str, Any] = {"__name__": f"docs.{Path(name).stem}"}
    for block, after in zip_longest(blocks, blocks[1:]):
        if not block.kind.startswith("py"):
            continue
        if block.kind != "python":
            yield f"{name}:{block.line}: a block of kind {block.kind!r}: write python, and let it run"
            continue
        printed = io.StringIO()
        code = compile("\n" * block.line + block.body, name, "exec", dont_inherit=True)
        with contextlib.redirect_stdout(printed):
            exec(code, namespace)  # the page's own code is what is tested
        shown = shown_after(after)
        if (shown or "").rstrip() != printed.getvalue().rstrip():
            yield f"{name}:{block.line}: the page shows\n{shown}\nand the block prints\n{printed.getvalue()}"


def anchors_of(page: str) -> set[str]:
    """Return the anchors that a page's headings have, as code forges make them."""
    found: set[str] = set()
    for heading in _HEADING.findall(outside_blocks(page)):
        bare = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", bare).replace(" ", "-")
        number = 0
        while (named := f"{anchor}-{number}" if number else anchor) in found:
            number += 1
        found.add(named)
    return found


def dead_links(page: str, home: Path) -> Iterator[str]:
    """Yield every relative link of a page that leads nowhere."""
    prose = _CODE_SPAN.sub("", outside_blocks(page))
    for target in (*_LINK.findall(prose), *_NAMED_LINK.findall(prose)):
        if _SCHEME.match(target) or target.startswith("//"):
            continue
        path, _, anchor = target.partition("#")
        file = (home.parent / path).resolve()
        if path and not file.exists():
            yield f"{target}: no such file"
        elif anchor and (not path or file.suffix == ".md"):
            led_to = file.read_text(encoding="utf-8") if path else page
            if anchor not in anchors_of(led_to):
                yield f"{target}: no such heading"


# ---------------------------------------------------------------------- the pages


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_block_runs_and_prints_what_is_shown(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the repository's root, in order, in one namespace a page."""
    monkeypatch.chdir(ROOT)
    name = page.relative_to(ROOT).as_posix()
    assert list(run_blocks(page.read_text(encoding="utf-8"), name)) == []


@pytest.mark.parametrize("page", LINKING, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    """To a file of this repository, and to a heading in it."""
    assert list(dead_links(page.read_text(encoding="utf-8"), page)) == []


# ---------------------------------------------------------------------- the test itself can fail

SOUND = [
    "```python\nx = 1\n```\n",
    "```python\nprint(1)\n```\n\n```text\n1\n```\n",
    "```python\nprint(1)\n```\n```console\n1\n```\n",
    "```python\nprint(1)\n```\n```console\n$ python one.py\n1\n```\n",
    "```python\nx = 1\n```\nThen:\n```python\nprint(x)\n```\n```text\n1\n```\n",
    "```python\nx = 1\n```\n```console\n$ pratique --version\n0\n```\n",
    "~~~text\n```python no-run\n~~~\n",
    "````python\nprint('```')\n````\n~~~text\n```\n~~~\n",
]
WRONG = [
    "```python\nprint(1)\n```\n",
    "```python\nprint(1)\n```\n```text\n2\n```\n",
    "```python\nprint(1)\n```\nIt prints:\n```text\n1\n```\n",
    "```python\nx = 1\n```\n```text\n1\n```\n",
    "```python no-run\nprint(1)\n```\n```text\n1\n```\n",
    "```py\nprint(1)\n```\n```text\n1\n```\n",
    "```pycon\n>>> 1\n```\n",
    "- a list:\n\n    ```python\n    x = 1\n    ```\n",
]


@pytest.mark.parametrize("page", SOUND)
def test_a_sound_page_passes(page: str) -> None:
    """Blocks share what they define, and a block of another kind is let alone."""
    assert list(run_blocks(page, "page.md")) == []


@pytest.mark.parametrize("page", WRONG)
def test_a_wrong_page_is_seen(page: str) -> None:
    """What is printed is shown, and what is shown is printed."""
    assert list(run_blocks(page, "page.md"))


def test_a_block_that_raises_is_seen() -> None:
    """With its page as the place."""
    with pytest.raises(ZeroDivisionError):
        list(run_blocks("```python\n1 / 0\n```\n", "page.md"))


def test_a_block_without_an_end_is_seen() -> None:
    """It would swallow the rest of the page."""
    with pytest.raises(AssertionError, match="never closed"):
        list(blocks_of("```python\nx = 1\n"))


@pytest.mark.parametrize(
    "page",
    [
        "[gone](gone.md)",
        "[gone](gone.md#there)",
        "# Here\n[gone](#there)",
        "![gone](gone.png)",
        "[x][gone]\n\n[gone]: gone.md",
    ],
)
def test_a_dead_link_is_seen(page: str) -> None:
    """To a file or to a heading."""
    assert list(dead_links(page, ROOT / "docs" / "page.md"))


@pytest.mark.parametrize(
    "page",
    [
        "# Where to go: `here`, now\n[it](#where-to-go-here-now)",
        "[design](design.md)",
        "[the law](../tests/property/test_cuts.py)",
        "[elsewhere](https://example.org/gone.md)",
        "`[no](link.md)` and\n```text\n[no](link.md)\n```",
    ],
)
def test_a_link_that_leads_somewhere_passes(page: str) -> None:
    """Only what is a link is looked at."""
    assert list(dead_links(page, ROOT / "docs" / "page.md")) == []
