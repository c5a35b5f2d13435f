"""The program as a whole: help, wrong calls, what is imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pratique import __version__
from pratique.cli import main
from pratique.cli.check import Format
from pratique.cli.help_page import MAX_HELP_CELLS

ROOT = Path(__file__).parents[2]


def imported_by(argv: list[str]) -> set[str]:
    """Return the modules that a fresh process has imported when a call is done."""
    script = f"import sys\nfrom pratique.cli import main\nmain({argv!r})\nprint('|', *sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(ran.stdout.rpartition("|")[2].split())


def test_help_imports_neither_the_validator_nor_the_rest_of_the_library() -> None:
    ours = {name for name in imported_by(["--help"]) if name.partition(".")[0] == "pratique"}
    assert ours == {
        "pratique",
        "pratique.cli",
        "pratique.cli.app",
        "pratique.cli.help_page",
        "pratique.errors",
        "pratique.show",
        "pratique.text",
    }


@pytest.mark.parametrize(
    "argv", [["--help"], *([name, "--help"] for name in ("check", "compile", "explain", "lint")), ["--version"]]
)
def test_no_help_page_waits_for_a_heavy_library(argv: list[str]) -> None:
    heavy = {
        "pydantic",
        "pydantic_core",
        "jiter",
        "blake3",
        "rfc8785",
        "jsonschema_rs",
        "markdown_it",
        "asyncio",
    }
    assert not heavy & imported_by(argv)


def test_no_command_shows_the_help_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    alone = capsys.readouterr().out
    assert main(["--help"]) == 0
    assert capsys.readouterr().out == alone
    assert alone.startswith("Usage: pratique COMMAND\n")


def test_the_help_page_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    main([])
    listed = capsys.readouterr().out
    assert "  check       Judge deliveries against a contract" in listed
    assert "  explain     Explain a code" in listed


@pytest.mark.parametrize("columns", ["20", "300"])
def test_a_help_page_depends_on_no_terminal(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", "--help"])
    plain = capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    main(["check", "--help"])
    assert capsys.readouterr().out == plain
    assert max(map(len, plain.splitlines())) <= MAX_HELP_CELLS


def test_the_help_of_check_names_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--help"])
    page = capsys.readouterr().out
    assert [name for name in Format.__args__ if name not in page] == []  # type: ignore[attr-defined]  # of a Literal


def test_every_format_is_one_file() -> None:
    import pratique.cli.formats

    (folder,) = pratique.cli.formats.__path__
    files = {file.stem for file in Path(folder).glob("*.py")} - {"__init__"}
    assert files == set(Format.__args__)  # type: ignore[attr-defined]  # of a Literal


def test_the_version_is_the_librarys(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"{__version__}\n"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["chek"], 'Unknown command "chek". Did you mean "check"?'),
        (["check"], "parameter FILE requires an argument"),
        (["check", "a", "--contract"], "--contract requires an argument"),
        (["check", "a", "--contract", "a:b", "--format", "xml"], 'Invalid value "xml" for --format'),
        (["check", "a", "--contract", "a:b", "--producer", "cat"], 'Invalid value "cat" for --producer'),
        (["check", "a", "--contract", "a:b", "--fail-on", "no"], 'Invalid value "no" for --fail-on'),
        (["check", "--nope", "--contract", "a:b"], 'no option is called "--nope"'),
        (["check", "a", "--contract", "a:b", "--nope"], "Unknown option: --nope"),
        (["explain", "--nope"], "Unknown option: --nope"),
    ],
)
def test_a_wrong_call_is_exit_code_2_and_a_remedy(
    argv: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert message in printed.err
    assert printed.err.startswith("pratique: error: ")
    assert "\n  = help: " in printed.err


def test_a_wrong_call_cannot_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["\x1b]0;owned\x07\udc80"]) == 2
    assert "\x1b" not in capsys.readouterr().err


def test_python_m_pratique_is_the_same_program() -> None:
    ran = subprocess.run([sys.executable, "-m", "pratique", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout == f"{__version__}\n"


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    read, write = os.pipe()
    os.close(read)
    ran = subprocess.run(
        [sys.executable, "-m", "pratique", "--help"],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write)
    assert (ran.returncode, ran.stderr) == (141, "")


def test_a_terminal_that_holds_only_ascii_gets_escapes() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pratique", "explain", b"no\xc3\xa9"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stderr.startswith(b"pratique: error: no code is called ")
    assert ran.stderr.isascii()


def test_the_generated_docs_are_not_stale() -> None:
    ran = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_a_fault_of_ours_does_not_pass_for_a_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import pratique.cli.explained

    def fail() -> None:
        raise RuntimeError("\x1b]0;owned\x07")

    monkeypatch.setattr(pratique.cli.explained, "all_codes", fail)
    assert main(["explain"]) == 70
    told = capsys.readouterr().err
    assert "RuntimeError" in told
    assert "\x1b" not in told
