"""Texts that the page's editor reads and writes: those of the world and its programs, nothing else."""

from __future__ import annotations

import json
import os
from pathlib import Path

import httpx
import pytest

import solidbody as sb
from solidbody.viewer.folder_files import FileFolder, FolderError
from solidbody.viewer.protocol_files import VERSION_HEADER, CommandOpen, CommandStore, WireText
from solidbody.viewer.server import make_panels
from solidbody.viewer.source_texts import TEXT_BYTES_LIMIT, SourceTexts, TextChangedError
from tests.viewer.serving import running_view

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { }
Viewpoint { }
DEF A Robot { name "a" controller "driver" }
DEF B Robot { name "b" controller "driver" }
DEF C Robot { name "c" controller "<none>" }
"""

PROGRAM = "controllers/driver/driver.py"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    top = tmp_path / "project"
    folder = top / "controllers" / "driver"
    folder.mkdir(parents=True)
    (top / "worlds").mkdir()
    (top / "worlds" / "a.wbt").write_text(WORLD, encoding="utf-8")
    (folder / "driver.py").write_text("print(1)\n", encoding="utf-8")
    (folder / "other.py").write_text("print(2)\n", encoding="utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (top / "secret.py").write_text("no", encoding="utf-8")
    return top


@pytest.fixture
def scene(project: Path) -> sb.Scene:
    return sb.load(str(project / "worlds" / "a.wbt"))


@pytest.fixture
def texts(project: Path, scene: sb.Scene) -> SourceTexts:
    found = SourceTexts(FileFolder(project))
    found.take(scene)
    return found


def test_the_world_and_the_sources_of_its_programs_are_listed(
    texts: SourceTexts, scene: sb.Scene
) -> None:
    event = texts.look(0.0, scene)
    assert event is not None
    assert event.texts == [
        WireText("worlds/a.wbt", []),
        WireText(PROGRAM, ["a", "b"]),
        WireText("controllers/driver/other.py", ["a", "b"]),
    ]
    assert event.changed == []


def test_a_changed_program_is_noticed_until_it_begins_anew(
    texts: SourceTexts, scene: sb.Scene, project: Path
) -> None:
    texts.look(0.0, scene)
    os.utime(project / PROGRAM, (1, 1))
    assert texts.look(0.5, scene) is None  # not yet looked at
    event = texts.look(2.0, scene)
    assert event is not None and event.changed == ["a", "b"]
    texts.note_start(["a"])
    event = texts.look(2.1, scene)
    assert event is not None and event.changed == ["b"]


def test_nothing_else_is_read_or_written(texts: SourceTexts, project: Path) -> None:
    for name in ("secret.py", "../project/secret.py", "controllers/driver/picture.png", "", "/etc"):
        with pytest.raises(FolderError, match="no text of this world"):
            texts.read(name)
        with pytest.raises(FolderError, match="no text of this world"):
            texts.write(name, "x", "")
    assert (project / "secret.py").read_text(encoding="utf-8") == "no"


def test_what_others_wrote_is_not_overwritten(texts: SourceTexts, project: Path) -> None:
    read = texts.read(PROGRAM)
    assert read.text == "print(1)\n"
    version = texts.write(PROGRAM, "print(3)\n", read.version)
    with pytest.raises(TextChangedError, match="changed by another program"):
        texts.write(PROGRAM, "print(4)\n", read.version)
    assert (project / PROGRAM).read_text(encoding="utf-8") == "print(3)\n"
    assert texts.read(PROGRAM).version == version


def test_the_server_asks_for_the_token_the_version_and_a_bounded_text(
    scene: sb.Scene, project: Path
) -> None:
    with running_view(sb.Sim(scene), paused=True, token="right") as view:
        address = f"{view.url}/api/text"
        wanted = {"name": PROGRAM}
        assert httpx.get(address, params=wanted).status_code == 403
        with httpx.Client() as client:
            assert client.get(view.url, params={"token": "right"}).status_code == 200
            found = client.get(address, params=wanted)
            assert found.text == "print(1)\n"
            version = found.headers[VERSION_HEADER]
            headers = {VERSION_HEADER: version}
            foreign = {**headers, "Origin": "http://elsewhere.example"}
            for sent, status in ((foreign, 403), ({}, 409), ({VERSION_HEADER: "old"}, 409)):
                answer = client.put(address, params=wanted, headers=sent, content=b"print(5)\n")
                assert answer.status_code == status
            large = b"#" * (TEXT_BYTES_LIMIT + 1)
            answer = client.put(address, params=wanted, headers=headers, content=large)
            assert answer.status_code == 413
            answer = client.put(address, params=wanted, headers=headers, content=b"\xff\xfe")
            assert answer.status_code == 400
            answer = client.put(
                address, params={"name": "secret.py"}, headers=headers, content=b"x"
            )
            assert answer.status_code == 400
            assert (project / PROGRAM).read_text(encoding="utf-8") == "print(1)\n"
            answer = client.put(address, params=wanted, headers=headers, content=b"print(6)\n")
            assert answer.status_code == 204
            assert answer.headers[VERSION_HEADER] != version
    assert (project / PROGRAM).read_text(encoding="utf-8") == "print(6)\n"


def test_a_page_for_other_machines_writes_and_reads_no_files(
    scene: sb.Scene, project: Path
) -> None:
    """Who reaches it there may drive and edit, and download the world."""
    panels = make_panels(sb.Sim(scene), host="0.0.0.0")
    assert panels is not None
    with pytest.raises(FolderError, match="no text of this world"):
        panels.texts.read(PROGRAM)
    for name in ("", "worlds/other.wbt"):
        panels.obey(CommandStore(name, False, True), is_running=False)
        event = json.loads(panels.answers_after(0)[-1].data)
        assert event["is_error"] and "open to other machines" in event["text"]
    panels.obey(CommandOpen("folder", "worlds/a.wbt"), is_running=False)
    assert "cannot be opened here" in json.loads(panels.messages_after(0)[-1].data)["text"]
    assert sorted(path.name for path in (project / "worlds").iterdir()) == ["a.wbt"]
