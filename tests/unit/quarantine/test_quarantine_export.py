"""An export is whole or not there, runs nothing in a spreadsheet, and a pytest file of it passes."""

from __future__ import annotations

import csv
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

from pratique import Contract, Delivery, Limits, Misuse, Outage, ToolCall
from pratique.quarantine import Filter, MemoryQuarantine, Resolution, SqliteQuarantine
from pratique.quarantine.export import Format, export, export_lines
from unit.quarantine import export_contracts
from unit.quarantine.export_contracts import ITEMS, STEPS, TASKS

ROOT = Path(__file__).parents[3]


class Word(BaseModel):
    """A unit that must be short."""

    word: str
    size: int


WORDS = Contract.items(Word, name="words")
HOSTILE = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1")


@pytest.fixture
def store() -> MemoryQuarantine:
    """A store with odd text in it."""
    store = MemoryQuarantine()
    store.keep(WORDS.admit('[{"word": "a\0\ud800\u202e", "size": 1, "x": 2}, {"word": 3, "size": 1}]'))
    return store


def rows(path: Path) -> list[dict[str, str]]:
    """Read a CSV file back."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_ndjson_holds_every_record_exactly(store: MemoryQuarantine, tmp_path: Path) -> None:
    """One JSON object a line, in ASCII, with the raw text as it came."""
    path = tmp_path / "out.ndjson"
    assert export(store, path) == 2
    told = [json.loads(line) for line in path.read_bytes().decode("ascii").splitlines()]
    records = store.list().records
    assert [one["id"] for one in told] == [record.id for record in records]
    assert [one["raw"] for one in told] == [store.show(record.id).raw for record in records]
    assert "text" not in told[0]["delivery"], "a delivery would come once for each of its units"


@pytest.mark.parametrize("cell", HOSTILE)
def test_a_spreadsheet_runs_nothing(tmp_path: Path, cell: str) -> None:
    """Whatever field a producer can write into: raw text, model, finish reason."""
    store = MemoryQuarantine()
    store.keep(WORDS.admit(Delivery(text=cell, model=cell, finish_reason=cell)), run_id=cell, attempt=1)
    export(store, tmp_path / "out.csv", format="csv")
    [row] = rows(tmp_path / "out.csv")
    for name in ("raw", "model", "finish_reason", "run_id"):
        assert row[name].startswith("'"), name
    assert not any(value.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝")) for value in row.values())


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("glue", ["", "a", "a;", 'a;"', "a|", "a| ", 'a;""', "a\t", 'a",', "a;|"])
@pytest.mark.parametrize("formula", HOSTILE)
def test_a_spreadsheet_runs_nothing_whatever_it_splits_at(delimiter: str, glue: str, formula: str) -> None:
    """A reader that splits at another character sees no formula begin either, not even behind a quote."""
    store = MemoryQuarantine()
    text = glue + formula
    store.keep(WORDS.admit(Delivery(text=text, model=text, finish_reason=text)), run_id=text, attempt=1)
    lines = list(export_lines(store, "csv"))
    assert all(line.startswith('"') and line.endswith('"') for line in lines)
    cells = [cell for row in csv.reader(lines, delimiter=delimiter) for cell in row]
    assert len(cells) >= 2
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r", "＝"))]


def test_a_csv_row_is_one_line_without_hidden_characters(store: MemoryQuarantine, tmp_path: Path) -> None:
    """Control and bidirectional characters are escaped."""
    export(store, tmp_path / "out.csv", format=Format.CSV)
    text = (tmp_path / "out.csv").read_text(encoding="utf-8")
    assert len(text.splitlines()) == 3
    assert not set(text) & set("\0\u202e\ud800\x1b")
    assert "\\u202e" in rows(tmp_path / "out.csv")[0]["raw"]


def test_a_filter_says_which(store: MemoryQuarantine) -> None:
    """And ids, and a group; without one it is every record, whatever its state."""
    first, second = store.list().records
    store.resolve(first.id, Resolution.discarded("noise"))
    assert len(list(export_lines(store, "ndjson"))) == 2
    assert len(list(export_lines(store, "ndjson", where=Filter(status="open")))) == 1
    [line] = export_lines(store, "ndjson", where=[second.id])
    assert json.loads(line)["id"] == second.id


def test_an_existing_path_is_refused(store: MemoryQuarantine, tmp_path: Path) -> None:
    """Unless the caller says otherwise; a link that leads nowhere exists, too."""
    path = tmp_path / "out.ndjson"
    path.write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("out.ndjson", "link"):
        with pytest.raises(Misuse, match=r"exists; name another file, or say overwrite=True"):
            export(store, tmp_path / name)
    assert path.read_text() == "mine"
    assert export(store, path, overwrite=True) == 2
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["link", "out.ndjson"], "nothing is left beside it"


def test_a_link_is_followed_and_the_old_mode_is_kept(store: MemoryQuarantine, tmp_path: Path) -> None:
    """``overwrite`` replaces the content, and nothing else."""
    path, link = tmp_path / "out.ndjson", tmp_path / "link"
    path.write_text("mine")
    path.chmod(0o640)
    link.symlink_to(path)
    assert export(store, link, overwrite=True) == 2
    assert link.is_symlink()
    assert len(path.read_text().splitlines()) == 2
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_pipe_is_written_through_and_stays_one(store: MemoryQuarantine, tmp_path: Path) -> None:
    """A rename would put a file in its place; a device is treated alike."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert export(store, pipe, overwrite=True) == 2
        assert os.read(reader, 1_000_000).count(b"\n") == 2
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert [entry.name for entry in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.parametrize("name", ["q.db", "q.db-wal", "q.db-shm", "q.db-journal", "other", "link/q.db-wal"])
def test_the_store_itself_is_never_written_over(tmp_path: Path, name: str) -> None:
    """Nor what SQLite keeps beside its file, there or not, by whatever name."""
    (tmp_path / "link").symlink_to(tmp_path)
    with SqliteQuarantine(tmp_path / "q.db") as store:
        store.keep(WORDS.admit("[{}]"))
        (tmp_path / "other").hardlink_to(tmp_path / "q.db-wal")
        with pytest.raises(Misuse, match="belongs to the store itself"):
            export(store, tmp_path / name, overwrite=True)
        assert store.stats().units == 1


def test_a_path_made_meanwhile_is_refused(tmp_path: Path) -> None:
    """Between the look and the rename."""
    path = tmp_path / "out.ndjson"

    class Late(MemoryQuarantine):
        def delivery_state(self, id: str):  # type: ignore[no-untyped-def]  # as the original
            path.write_text("mine")
            return super().delivery_state(id)

    late = Late()
    late.keep(WORDS.admit("[{}]", finish_reason="stop"))
    with pytest.raises(Misuse, match="exists"):
        export(late, path)
    assert [entry.read_text() for entry in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize(("name", "told"), [(".", "is a folder"), ("no/out", "make the folder first")])
def test_what_is_no_place_for_a_file_is_refused(store: MemoryQuarantine, tmp_path: Path, name: str, told: str) -> None:
    """Before anything is written."""
    with pytest.raises(Misuse, match=told):
        export(store, tmp_path / name)


def test_a_failing_disk_leaves_nothing_behind(store: MemoryQuarantine) -> None:
    """Nobody can write there."""
    folder = Path("/proc/self")
    if not folder.is_dir():
        pytest.skip("no folder that refuses every file")
    with pytest.raises(Outage, match="cannot be written"):
        export(store, folder / "out.ndjson")


def test_an_export_that_breaks_off_leaves_what_was_there(store: MemoryQuarantine, tmp_path: Path) -> None:
    """A record that does not exist, in the middle of the list."""
    path = tmp_path / "out.ndjson"
    path.write_text("mine")
    with pytest.raises(Misuse, match="no record"):
        export(store, path, where=[store.list().records[0].id, "u-gone"], overwrite=True)
    assert [entry.read_text() for entry in tmp_path.iterdir()] == ["mine"]


def test_unknown_words_are_refused(store: MemoryQuarantine) -> None:
    """A format, or a pytest file without the contract's name."""
    with pytest.raises(Misuse, match='no format is called "xls"; use ndjson, csv, pytest'):
        export_lines(store, "xls")
    for contract in (
        None,
        "items",
        "a.b:c; import os",
        "a:b\n",
        "a:class",
        "a..b:c",
        "a.if:c",
        "a:b:c",
        ":",
        "1a:b",
        "a:b.",
    ):
        with pytest.raises(Misuse, match="a pytest file needs the contract's name"):
            export_lines(store, "pytest", contract=contract)


# ---------------------------------------------------------------------- the pytest file


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the tests in a folder, as a stranger would."""
    search = os.pathsep.join(map(str, (ROOT / "src", ROOT / "tests")))
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), str(folder)],
        env={**os.environ, "PYTHONPATH": search}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def test_the_pytest_file_passes_against_the_contract_it_came_from(tmp_path: Path) -> None:
    """Every reason, tool calls, finish reasons, odd characters, quotes that would end a literal."""
    store = MemoryQuarantine()
    for source in (
        '[{"rank": "x"}, {"rank": 1}, {"rank": 1}, {"rank": 2, "rank": 2}, {"rank": 3 "z"}, {"rank": ',
        Delivery(text="''' \"\"\" \\ \0 \ud800 {", tool_calls=(ToolCall("items", '{"rank": "\u202e"}', "1"),)),
        Delivery(text='[{"rank": "x"}]', finish_reason="length", producer=export_contracts.PERSON),
        Delivery(text="no", finish_reason="refusal"),
    ):
        store.keep(ITEMS.admit(source))
    store.keep(STEPS.admit('[{"rank": 1}, {"rank": "x"}]'))
    name = "unit.quarantine.export_contracts:"
    assert export(
        store, tmp_path / "test_items.py", format="pytest", where=Filter(contract="items"), contract=name + "ITEMS"
    )
    assert export(
        store, tmp_path / "test_steps.py", format="pytest", where=Filter(contract="steps"), contract=name + "STEPS"
    )
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout
    assert f"{store.stats().units} passed" in done.stdout


def test_the_pytest_file_brings_its_allow_lists(tmp_path: Path) -> None:
    """A unit that was refused for a name needs the names."""
    store = MemoryQuarantine()
    people = {"person": ["bo", "ann"]}
    store.keep(TASKS.admit('[{"owner": "cy"}, {"owner": "bo"}]', references=people))
    target = "unit.quarantine.export_contracts:TASKS"
    export(store, tmp_path / "test_tasks.py", format="pytest", contract=target, references=people)
    assert run(tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("references", "told"),
    [
        (None, "no allow-list came"),
        ({}, "no allow-list came"),
        ({"person": "bo"}, "is a text, not a list of names"),
        ({"person": ["bo"], "place": ["x"]}, "no field of tasks is a Reference"),
    ],
)
@pytest.mark.parametrize("text", ['[{"owner": "cy"}]', '[{"owner": 3}]'])
def test_a_pytest_file_without_its_allow_lists_is_refused(
    text: str, references: dict[str, list[str]] | None, told: str
) -> None:
    """Without them the units would be refused for another reason, or for none."""
    store = MemoryQuarantine()
    store.keep(TASKS.admit(text, references={"person": ["bo"]}))
    target = "unit.quarantine.export_contracts:TASKS"
    with pytest.raises(Misuse, match=told):
        export_lines(store, "pytest", contract=target, references=references)


def test_a_record_that_was_refused_for_a_name_needs_an_allow_list_whatever_the_module() -> None:
    """The module is not imported: the record says enough."""
    store = MemoryQuarantine()
    store.keep(TASKS.admit('[{"owner": "cy"}]', references={"person": ["bo"]}))
    with pytest.raises(Misuse, match=r"was refused for a name, and no allow-list came; give references="):
        export_lines(store, "pytest", contract="elsewhere.contracts:TASKS")
    assert list(export_lines(store, "pytest", contract="elsewhere.contracts:TASKS", references={"person": ["bo"]}))


def test_the_pytest_file_says_which_unit_and_which_allow_list_it_misses(tmp_path: Path) -> None:
    """A unit that is admitted today; a list that the contract asks for by now."""
    store = MemoryQuarantine()
    store.keep(ITEMS.admit('[{"rank": "x"}]'))
    export(store, tmp_path / "test_items.py", format="pytest", contract="unit.quarantine.export_contracts:WIDE")
    assert "unit 0 of d-" in (said := run(tmp_path).stdout)
    assert "is admitted today, or the contract sees other units" in said
    text = "\n".join(export_lines(store, "pytest", contract="elsewhere:TASKS"))
    (tmp_path / "test_items.py").write_text(text.replace("'elsewhere'", "'unit.quarantine.export_contracts'"))
    assert "REFERENCES has no allow-list for ['person']" in run(tmp_path).stdout


def test_the_pytest_file_fails_when_the_contract_changes(tmp_path: Path) -> None:
    """That is what it is for."""
    store = MemoryQuarantine()
    store.keep(ITEMS.admit('[{"rank": "x"}]'))
    export(store, tmp_path / "test_items.py", format="pytest", contract="unit.quarantine.export_contracts:WIDE")
    assert run(tmp_path).returncode == 1


def test_the_pytest_file_needs_whole_deliveries(tmp_path: Path) -> None:
    """A head would be refused for another reason; what is left out is said in the file."""
    store = MemoryQuarantine(limits=Limits(max_kept_delivery_bytes=30))
    store.keep(ITEMS.admit('[{"rank": "a long one, longer than thirty"}]'))
    target = "unit.quarantine.export_contracts:ITEMS"
    with pytest.raises(Misuse, match="kept whole"):
        export(store, tmp_path / "test_items.py", format="pytest", contract=target)
    assert list(tmp_path.iterdir()) == []
    store.keep(ITEMS.admit('[{"rank": "x"}]'))
    text = "\n".join(export_lines(store, "pytest", contract=target))
    assert "is left out: only the head of its delivery was kept" in text
