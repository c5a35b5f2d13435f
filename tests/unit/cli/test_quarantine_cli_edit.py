"""``pratique quarantine edit``: the raw text stays, and the edit passes the whole boundary or says why not."""

from __future__ import annotations

import io
import json
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from pratique.cli.quarantined.edited import editor_of
from pratique.errors import Misuse
from unit.cli.room import Room

STRICT = ("--contract", "shop:triage")
SOUND = '{"rank": 2, "why": "second"}'


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set an editor that writes what stands in a file over what it is given, and keeps what it was given."""
    script = tmp_path / "my editor.py"
    script.write_text(
        "import pathlib, sys\n"
        "file, home = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).parent\n"
        "home.joinpath('given').write_bytes(file.read_bytes())\n"
        "new = home.joinpath('new')\n"
        "if new.exists(): file.write_bytes(new.read_bytes())\n"
        "sys.exit(int(home.joinpath('exit').read_text()) if home.joinpath('exit').exists() else 0)\n"
    )
    monkeypatch.setenv("EDITOR", f"'{sys.executable}' '{script}'")
    return tmp_path


def edit(room: Room, id: str, text: str, *options: str) -> tuple[int, str, str]:
    """Edit a record with a text from a file."""
    room.folder.joinpath("edit.json").write_text(text, encoding="utf-8")
    ran = room.quarantine("edit", id, "--text", "edit.json", *STRICT, *options)
    return ran.code, ran.out, ran.err


def test_a_sound_edit_is_admitted_and_the_raw_text_stays(kept: Room) -> None:
    id = kept.ids()[0]
    code, out, _ = edit(kept, id[:12], SOUND + "\n", "--author", "anna", "--note", "rank is a number")
    assert code == 0
    assert out.splitlines()[:5] == [
        "--- raw text", "+++ edit", "@@ -1 +1 @@", '-{"rank": "2", "why": "second"}', f"+{SOUND}",
    ]  # fmt: skip
    assert f"admitted: edit 1 of {id}, by triage version 1; it was refused for schema\n" in out
    told = kept.quarantine("show", id, "--json").told
    assert told["raw"] == '{"rank": "2", "why": "second"}'
    assert [(one["text"], one["author"], one["note"]) for one in told["overlays"]] == [
        (SOUND, "anna", "rank is a number")
    ]
    assert told["state"] == "admitted"


def test_an_edit_that_is_refused_is_kept_and_the_record_stays_open(kept: Room) -> None:
    id = kept.ids()[0]
    code, out, _ = edit(kept, id, '{"rank": "two", "why": "second"}')
    assert code == 3
    assert f"refused: edit 1 of {id} is still refused for schema, by triage version 1\n" in out
    assert '  validate.type: expected int, got str "two" at $.items[1].rank\n    = help: ' in out
    code, out, _ = edit(kept, id, '{"rank": 2, "rank": 3, "why": "second"}')
    assert f"refused: edit 2 of {id} is refused for duplicate_key" in out
    assert kept.states() == ["open", "open", "open"]
    assert len(kept.quarantine("show", id, "--json").told["overlays"]) == 2


def test_an_edit_is_one_unit(kept: Room) -> None:
    id = kept.ids()[0]
    code, out, _ = edit(kept, id, f"{SOUND}, {SOUND}")
    assert code == 3
    assert f"not admitted: edit 1 of {id} stays open\n  quarantine.edit_is_one_unit: " in out
    assert kept.states() == ["open", "open", "open"]


def test_an_edit_is_judged_with_the_allow_lists_of_today(room: Room) -> None:
    room.folder.joinpath("ids").write_text("a\n")
    room.keep("tasks", contract="tasks", options=("--references", "workstream=ids"))
    (id,) = room.ids()
    room.folder.joinpath("edit.json").write_text('{"rank": 2, "stream": "c"}')
    call = ("edit", id, "--text", "edit.json", "--contract", "shop:tasks")
    ran = room.quarantine(*call)
    assert (ran.code, ran.out) == (2, "")
    assert "write --references workstream=FILE" in ran.err
    assert room.quarantine("show", id, "--json").told["overlays"] == []
    assert room.quarantine(*call, "--references", "workstream=ids").code == 3
    room.folder.joinpath("ids").write_text("c\n")
    assert room.quarantine(*call, "--references", "workstream=ids").code == 0
    assert room.states() == ["admitted"]


def test_the_text_may_come_on_standard_input(kept: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(SOUND.encode())))
    assert kept.quarantine("edit", kept.ids()[0], "--text", "-", *STRICT).code == 0


def test_the_admitted_value_can_be_handed_out(kept: Room) -> None:
    code, _, _ = edit(kept, kept.ids()[0], SOUND, "--emit", "out.ndjson")
    assert code == 0
    assert kept.folder.joinpath("out.ndjson").read_text() == '{"rank":2,"why":"second"}\n'
    code, out, err = edit(kept, kept.ids()[1], SOUND, "--emit", "out.ndjson")
    assert (code, out) == (2, "")
    assert "the file exists" in err
    assert kept.states() == ["admitted", "open", "open"]


def test_json_has_the_outcome(kept: Room) -> None:
    code, out, _ = edit(kept, kept.ids()[0], SOUND, "--json")
    assert code == 0
    (outcome,) = json.loads(out)["outcomes"]
    assert (outcome["record"], outcome["verdict"], outcome["overlay"]) == (kept.ids()[0], "admitted", 1)


def test_a_record_that_was_resolved_before_is_not_edited(kept: Room) -> None:
    id = kept.ids()[0]
    kept.quarantine("discard", id, "--reason", "a test", "--author", "anna")
    code, out, err = edit(kept, id, SOUND)
    assert (code, out) == (5, "")
    assert f'{id} was discarded already by "anna", 2' in err
    assert kept.quarantine("show", id, "--json").told["overlays"] == []


def test_a_whole_delivery_has_no_unit_to_edit(room: Room) -> None:
    room.keep("prose")
    (id,) = room.ids()
    code, out, err = edit(room, id, SOUND)
    assert (code, out) == (2, "")
    assert "stands for a whole delivery" in err
    assert "pratique check FILE" in err
    assert "quarantine edit" not in room.quarantine("show", id).out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("ID", *STRICT), "no text was given"),
        (("ID", "--text", "clean", "--editor", *STRICT), "both a text and an editor"),
        (("ID", "--text", "clean"), "no contract was given"),
        (("ID", "--text", "clean", "--contract", "shop:nope"), "has no"),
        (("ID", "--text", "gone", *STRICT), '"gone": no such file'),
        (("ID", "--text", "clean", "--start", "raw", *STRICT), "--start says what the editor begins with"),
        (("ID", "--text", "-", "--references", "x=-", *STRICT), "can be read only once"),
        (("ID", "--text", "clean", "--emit", "-", "--json", *STRICT), "both want standard output"),
        (("ID", "--editor", *STRICT), "no editor is set"),
        (("ID", "--text", "empty", *STRICT), "the edit is empty"),
        (("ID", "--text", "huge", *STRICT), "bytes"),
        (("u-ffff", "--text", "clean", *STRICT), "no record begins with"),
        (("--text", "clean", *STRICT), "ID"),
    ],
)
def test_a_wrong_call_writes_nothing(kept: Room, argv: tuple[str, ...], message: str) -> None:
    kept.folder.joinpath("empty").write_text("\n")
    kept.folder.joinpath("huge").write_text("x" * (1024 * 1024 + 10))
    id = kept.ids()[0]
    ran = kept.quarantine("edit", *(id if word == "ID" else word for word in argv))
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert "\n  = help: " in ran.err
    assert kept.quarantine("show", id, "--json").told["overlays"] == []


def test_what_the_producer_wrote_cannot_reach_the_terminal(room: Room) -> None:
    room.keep("hostile")
    code, out, _ = edit(room, room.ids()[0], '{"rank": "\x1b[31m\u202e", "why": "x"}')
    assert code == 3
    assert "owned" in out
    assert not set(out) & set("\x1b\x07\u202e")


def test_an_interruption_before_the_edit_is_admitted_leaves_no_file_and_keeps_the_edit(kept: Room) -> None:
    """Ctrl-C while it is judged: the record is open, and the same place is free for the next call."""
    kept.folder.joinpath("halting.py").write_text(
        "from pydantic import BaseModel\nfrom pratique import Contract\n"
        "class Item(BaseModel):\n    rank: int\n    why: str\n"
        "def stop(unit):\n    if unit.rank == 7: raise KeyboardInterrupt\n    return ()\n"
        "triage = Contract.items(Item, at='items', name='triage', version='9', checks=[stop])\n"
    )
    id = kept.ids()[0]
    for number, (rank, code) in enumerate(((7, 130), (2, 0)), start=1):
        kept.folder.joinpath("edit.json").write_text(f'{{"rank": {rank}, "why": "second"}}')
        told = ("--text", "edit.json", "--contract", "halting:triage", "--emit", "out.ndjson")
        assert kept.quarantine("edit", id, *told).code == code
        assert len(kept.quarantine("show", id, "--json").told["overlays"]) == number
        assert kept.folder.joinpath("out.ndjson").exists() == (code == 0)
    assert kept.folder.joinpath("out.ndjson").read_text() == '{"rank":2,"why":"second"}\n'


# -------------------------------------------------------------------------------- an editor


def test_the_editor_begins_with_the_raw_text_then_with_the_newest_edit(kept: Room, editor: Path) -> None:
    id = kept.ids()[0]
    editor.joinpath("new").write_text('{"rank": "two", "why": "second"}\n')
    assert kept.quarantine("edit", id, "--editor", *STRICT).code == 3
    assert editor.joinpath("given").read_text() == '{"rank": "2", "why": "second"}\n'
    editor.joinpath("new").write_text(SOUND + "\n")
    assert kept.quarantine("edit", id, "--editor", *STRICT).code == 0
    assert editor.joinpath("given").read_text() == '{"rank": "two", "why": "second"}\n'


@pytest.mark.parametrize(
    ("start", "given"),
    [("draft", '{"rank": 2, "why": "sec"}\n'), ("raw", '{"rank": 2, "why": "sec\n')],
)
def test_the_editor_may_begin_with_another_text(kept: Room, editor: Path, start: str, given: str) -> None:
    (id,) = kept.ids("--reason", "truncated")
    kept.quarantine("edit", id, "--editor", "--start", start, *STRICT)
    assert editor.joinpath("given").read_text() == given


def test_a_text_that_is_not_there_to_begin_with_is_told(kept: Room, editor: Path) -> None:
    for start, message in (("draft", "has no draft"), ("edit", "was not edited before")):
        ran = kept.quarantine("edit", kept.ids()[0], "--editor", "--start", start, *STRICT)
        assert ran.code == 2
        assert message in ran.err
    assert not editor.joinpath("given").exists()


def test_an_editor_that_changes_nothing_writes_nothing(kept: Room, editor: Path) -> None:
    ran = kept.quarantine("edit", kept.ids()[0], "--editor", *STRICT)
    assert (ran.code, ran.out) == (2, "")
    assert "the text is as it was" in ran.err
    assert editor.joinpath("given").exists()
    assert kept.quarantine("show", kept.ids()[0], "--json").told["overlays"] == []


def test_an_editor_that_fails_writes_nothing(kept: Room, editor: Path) -> None:
    editor.joinpath("new").write_text(SOUND)
    editor.joinpath("exit").write_text("3")
    ran = kept.quarantine("edit", kept.ids()[0], "--editor", *STRICT)
    assert (ran.code, ran.out) == (2, "")
    assert "ended with exit code 3" in ran.err
    assert kept.quarantine("show", kept.ids()[0], "--json").told["overlays"] == []


def test_an_editor_that_is_not_there_is_told(kept: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "/no/such/editor --wait")
    ran = kept.quarantine("edit", kept.ids()[0], "--editor", *STRICT)
    assert (ran.code, ran.out) == (2, "")
    assert 'the editor "/no/such/editor" cannot be started: no such file' in ran.err


def test_bytes_that_are_not_utf8_reach_the_editor_as_they_came(room: Room, editor: Path) -> None:
    room.folder.joinpath("bytes").write_bytes(b'{"items": [{"rank": 1, "why": "\xff"}]}')
    room.keep("bytes")
    room.quarantine("edit", room.ids()[0], "--editor", *STRICT)
    assert editor.joinpath("given").read_bytes() == b'{"rank": 1, "why": "\xff"}\n'


def test_a_resolution_while_the_editor_is_open_stands(
    kept: Room, editor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else was faster: the edit is refused, the first resolution is told, and the text is not lost."""
    monkeypatch.setattr(tempfile, "tempdir", str(kept.folder))
    id = kept.ids()[0]
    script = editor / "my editor.py"
    script.write_text(
        "import sys\nfrom pratique.cli import main\n"
        f"main(['quarantine', 'discard', {id!r}, '--reason', 'a test', '--author', 'bert'])\n"
        f"open(sys.argv[1], 'w').write({SOUND!r})\n"
    )
    ran = kept.quarantine("edit", id, "--editor", *STRICT)
    assert ran.code == 5
    assert f'{id} was discarded already by "bert"' in ran.err
    assert kept.states() == ["discarded", "open", "open"]
    (name,) = [name for name in kept.files() if name.startswith("pratique-edit-")]
    assert name in ran.err
    assert kept.folder.joinpath(name).read_text() == SOUND + "\n"
    assert kept.quarantine("edit", kept.ids()[1], "--text", name, *STRICT).code == 0


def test_the_editor_is_visual_before_editor() -> None:
    assert editor_of({"VISUAL": "code --wait", "EDITOR": "vi"}) == ["code", "--wait"]
    assert editor_of({"VISUAL": "", "EDITOR": "'my vi' -n"}) == ["my vi", "-n"]
    for wrong in ({}, {"EDITOR": " "}, {"EDITOR": "'vi"}):
        with pytest.raises(Misuse):
            editor_of(wrong)
