"""Templates of PROTOs are strangers' programs: what they can reach, and what is believed of their process.

Referee: the file system (nothing new is there) and the schema of answers written in `protos/answers.py`.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

import solidbody as sb
from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from solidbody.formats.webots.protos.template_answers import (
    MAX_PICTURES,
    AnswerError,
    Failure,
    Written,
    is_base_name,
    keep_pictures,
    read_answer,
)
from solidbody.formats.webots.protos.template_process import TemplateProcess
from solidbody.formats.webots.protos.templates import Script, make_script, split_template
from solidbody.viewer.panel_commands import PanelCommands
from solidbody.viewer.protocol_work import CommandReload
from solidbody.viewer.world_editor import open_editor
from tests.formats.protos.projects import JAVASCRIPT, LUA, write_project
from tests.formats.reading import the

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 8
PICTURE = base64.b64encode(PNG).decode()


def files_below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


# ------------------------------------------------------------------ built-ins that a template replaces

FORGED = (
    """'{"pieces": "0", "texts": "", "messages": [], "seconds": 0, "pictures": {"@": "CONTENT"}}'"""
).replace("CONTENT", PICTURE)
REPLACEMENTS = {
    "JSON.stringify": f"JSON.stringify = () => {FORGED};",
    "toJSON of objects": f"Object.prototype.toJSON = () => ({FORGED});",
    "toJSON of texts": f"String.prototype.toJSON = () => ({FORGED});",
    "String": f"globalThis.String = () => ({FORGED});",
    "methods of arrays": (
        f"for (const name of ['push', 'map', 'join', 'concat']) "
        f"Array.prototype[name] = () => ({FORGED});"
    ),
    "methods of texts": (
        f"for (const name of ['slice', 'indexOf', 'concat', 'replaceAll']) "
        f"String.prototype[name] = () => ({FORGED});"
    ),
    "call and apply": (
        "const made = (() => 1).constructor.prototype; "
        f"made.call = made.apply = made.bind = () => ({FORGED}); Reflect.apply = made.call;"
    ),
    "setters of indices": (
        "Object.defineProperty(Object.prototype, '0', "
        f"{{ set() {{ }}, get() {{ return {FORGED}; }} }});"
    ),
    "__run": f"globalThis.__run = () => ({FORGED});",
    "the collector itself": (
        f"__lit({{ valueOf() {{ return {FORGED}; }} }}); __lit(__put.length - 2);"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", REPLACEMENTS)
def test_replaced_built_ins_write_no_file(tmp_path: Path, name: str) -> None:
    """Before: a replaced JSON.stringify named pictures by any path, and `check` wrote them."""
    target = tmp_path / "stolen.png"
    code = REPLACEMENTS[name].replace("@", target.as_posix())
    proto = f'{JAVASCRIPT}PROTO P [ ] {{ %< {code} >% Solid {{ name "%<= 6 * 7 >%" }} }}'
    path = write_project(tmp_path, "P { }", {"P": proto})
    before = files_below(tmp_path)
    scene, log = read_scene(path, options=LoadOptions(cache=tmp_path / "cache"))
    assert files_below(tmp_path) == before
    if name == "the collector itself":  # it writes more than one body
        assert log.has_errors
    else:
        assert scene is not None and [link.name for link in scene.links()] == ["42"]
        assert [item.text for item in log] == []


def test_code_cannot_leave_its_function(tmp_path: Path) -> None:
    """Before: braces ended it, and the result of the script was the template's."""
    code = f"}}, {{}}, {{}}); {FORGED}; (function () {{"
    proto = f"{JAVASCRIPT}PROTO P [ ] {{\n%< {code} >%\nGroup {{ }} }}"
    _, log = read_scene(write_project(tmp_path, "P { }", {"P": proto}))
    found = the(log, "template-error")
    assert "SyntaxError" in found.text and found.span.line == 4


def test_only_a_place_in_the_cache_is_drawn_on(tmp_path: Path) -> None:
    body = 'local gd = require("gd")\nlocal im = gd.createTrueColor(2, 2)\nim:png("{}")'
    for name in (
        "../x.png",
        "/tmp/x.png",
        "a/b.png",
        "C:x.png",
        ".hidden",
        "x\\\\..\\\\..\\\\y.png",
    ):
        code = body.replace("{}", name)
        proto = f"{LUA}PROTO P [ ] {{\n%{{\n{code}\n}}%\nGroup {{ }} }}\n"
        path = write_project(tmp_path, "P { }", {"P": proto})
        _, log = read_scene(path, options=LoadOptions(cache=tmp_path / "cache"))
        assert "pictures go to the folder of temporary files" in the(log, "template-error").text
    assert not (tmp_path / "cache").exists()


# ------------------------------------------------------------------------------- answers that are wrong

TEMPLATE = ' Group { } %< let a = 1; >% %<= "x" >% '
SCRIPT: Script = make_script(split_template(TEMPLATE, 0, "javascript"), "javascript")
"""Pieces: text, code, text, value, text."""

GOOD = {"pieces": "0 -4 4", "texts": "x\0", "messages": [["info", "hello"]], "seconds": 0.25}


def changed(**changes: object) -> str:
    return json.dumps({**GOOD, **changes})


WRONG = {
    "nothing": "",
    "no JSON": "{",
    "a list": "[]",
    "a number": "7",
    "null": "null",
    "too deep": "[" * 100_000 + "]" * 100_000,
    "deep inside": changed(messages=0).replace("0,", "[" * 100_000 + "]" * 100_000 + ","),
    "a very long number": '{"error": "e", "line": ' + "9" * 10_000 + ', "seconds": 0}',
    "no pieces": json.dumps({k: v for k, v in GOOD.items() if k != "pieces"}),
    "no seconds": json.dumps({k: v for k, v in GOOD.items() if k != "seconds"}),
    "more than is known": changed(files={}),
    "pictures of JavaScript": changed(pictures={"a.png": PICTURE}),
    "no pictures of JavaScript": changed(pictures={}),
    "pieces as list": changed(pieces=[0]),
    "pieces of words": changed(pieces="0 x"),
    "pieces with a sign inside": changed(pieces="0-4 4"),
    "pieces with two signs": changed(pieces="0 --4 4"),
    "pieces that end with a sign": changed(pieces="0 -4 4 -"),
    "pieces of a sign alone": changed(pieces="0 - 4"),
    "pieces of other digits": changed(pieces="0 -4 \u0664"),
    "pieces of half a character": changed(pieces="0 -4 4\ud800"),
    "pieces with two spaces": changed(pieces="0 -4  4"),
    "pieces in lines": changed(pieces="0 -4\n4"),
    "a piece that is not there": changed(pieces="5", texts=""),
    "a value that is not there": changed(pieces="-6"),
    "a huge piece": changed(pieces="9" * 40, texts=""),
    "code as text": changed(pieces="1", texts=""),
    "too few texts": changed(pieces="-4 -4"),
    "too many texts": changed(texts="x\0y\0"),
    "texts without end": changed(texts="x"),
    "texts as null": changed(texts=None),
    "output without end": changed(pieces="0 " * 4_000_000, texts=""),
    "messages as text": changed(messages="m"),
    "messages of numbers": changed(messages=[1]),
    "a message of one": changed(messages=[["info"]]),
    "a message of an unknown level": changed(messages=[["fatal", "x"]]),
    "a message of an object": changed(messages=[["info", {}]]),
    "a level that is a list": changed(messages=[[[], "x"]]),
    "too many messages": changed(messages=[["info", "x"]] * 101),
    "seconds as text": changed(seconds="1"),
    "seconds below zero": changed(seconds=-1e9),
    "seconds without end": changed().replace("0.25", "Infinity"),
    "seconds that are no number": changed().replace("0.25", "NaN"),
    "true seconds": changed(seconds=True),
    "an error of an object": json.dumps({"error": {}, "line": 1, "seconds": 0}),
    "an error without line": json.dumps({"error": "e", "seconds": 0}),
    "a line of text": json.dumps({"error": "e", "line": "1", "seconds": 0}),
    "a line between lines": json.dumps({"error": "e", "line": 1.5, "seconds": 0}),
    "an error and a result": json.dumps({**GOOD, "error": "e", "line": 1}),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_answer_of_another_form_is_refused(name: str) -> None:
    with pytest.raises(AnswerError):
        read_answer(WRONG[name], SCRIPT, "javascript")


def test_answers_of_the_right_form_are_read() -> None:
    found = read_answer(json.dumps(GOOD), SCRIPT, "javascript")
    assert isinstance(found, Written)
    assert (list(found.order), found.texts, found.seconds) == ([0, -4, 4], ("x",), 0.25)
    assert found.messages == (("info", "hello"),)
    failed = json.dumps({"error": "\x1b[31mred\ud800" + "x" * 5000, "line": 3, "seconds": 1})
    failure = read_answer(failed, SCRIPT, "javascript")
    assert isinstance(failure, Failure) and (failure.line, failure.seconds) == (3, 1.0)
    assert len(failure.text) == 1000 and failure.text.startswith("\ufffd[31mred\ufffdx")


PICTURES: dict[str, object] = {
    "a list": [],
    "a number": {"a.png": 5},
    "no base 64": {"a.png": "!!!!"},
    "no picture": {"a.png": base64.b64encode(b"#!/bin/sh\n").decode()},
    "too many": {f"{i}.png": PICTURE for i in range(MAX_PICTURES + 1)},
    "an absolute path": {"/etc/cron.d/x": PICTURE},
    "a path upwards": {"../../x.png": PICTURE},
    "a path of Windows": {"..\\x.png": PICTURE},
    "a drive": {"C:x.png": PICTURE},
    "a stream of Windows": {"x.png:y": PICTURE},
    "no name": {"": PICTURE},
    "the folder": {".": PICTURE},
    "the folder above": {"..": PICTURE},
    "a hidden file": {".bashrc": PICTURE},
    "a zero": {"a\0.png": PICTURE},
    "a line end": {"a\n.png": PICTURE},
    "a long name": {"a" * 300: PICTURE},
}


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_of_another_form_are_refused(name: str) -> None:
    with pytest.raises(AnswerError):
        read_answer(changed(pictures=PICTURES[name]), SCRIPT, "lua")


def test_pictures_with_plain_names_are_read() -> None:
    found = read_answer(changed(pictures={"Sign_1 ü.png": PICTURE}), SCRIPT, "lua")
    assert isinstance(found, Written) and found.pictures == {"Sign_1 ü.png": PNG}
    assert is_base_name("Sign_1_0000.jpg") and not is_base_name("a/b")


def test_links_in_the_cache_are_not_followed(tmp_path: Path) -> None:
    """Neither one with the name of a picture nor one in place of the folder."""
    victim, elsewhere = tmp_path / "victim", tmp_path / "elsewhere"
    victim.write_text("mine", "utf-8")
    elsewhere.mkdir()
    folder = tmp_path / "cache" / "drawn" / "world"
    folder.mkdir(parents=True)
    (folder / "a.png").symlink_to(victim)
    keep_pictures({"a.png": PNG}, folder)
    assert victim.read_text("utf-8") == "mine" and (folder / "a.png").read_bytes() == PNG
    other = tmp_path / "cache" / "drawn" / "other"
    other.symlink_to(elsewhere, target_is_directory=True)
    keep_pictures({"a.png": PNG}, other)
    assert not list(elsewhere.iterdir())


# ----------------------------------------------------------------- a process that has been taken over

HOSTILE = {
    "no JSON": "Segmentation fault\n",
    "too deep": "[" * 200_000 + "\n",
    "pictures": changed(pictures={"../../../stolen.png": PICTURE}) + "\n",
    "wrong types": json.dumps({"pieces": 3, "texts": [], "messages": {}, "seconds": "x"}) + "\n",
    "unknown pieces": changed(pieces="777", texts="") + "\n",
}


@pytest.fixture
def world(tmp_path: Path) -> Path:
    proto = f'{JAVASCRIPT}PROTO P [ ] {{ Solid {{ name "%<= 1 >%" }} }}'
    return write_project(tmp_path, 'Solid { name "other" }', {"P": proto})


@pytest.fixture
def bench(world: Path) -> PanelCommands:
    sim = sb.Sim(sb.load(str(world)))
    return PanelCommands(sim, editor=open_editor(sim))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_page_survives_whatever_the_process_says(
    world: Path, bench: PanelCommands, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Before: JSONDecodeError, TypeError or RecursionError ended the session that read the world again."""
    monkeypatch.setattr(TemplateProcess, "run", lambda *_: HOSTILE[name])
    world.write_text(world.read_text("utf-8") + "\nP { }\nP { }\n", "utf-8")
    bench.obey(CommandReload(), is_running=False)
    said = b"".join(item.data for item in bench.messages_after(0))
    assert b"the answer of its process cannot be used" in said
    assert b"failed before" in said and b"was read again" in said
    assert [link.name for link in bench.sim.scene.links()] == ["other"]
    monkeypatch.undo()
    bench.obey(CommandReload(), is_running=False)
    assert [link.name for link in bench.sim.scene.links()] == ["other", "1", "1(1)"]


def test_a_process_that_ends_or_never_stops_talking_is_a_fault_of_the_proto(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "solidbody.formats.webots.protos.template_process"
    world.write_text(world.read_text("utf-8") + "\nP { }\n", "utf-8")
    monkeypatch.setattr(f"{module}.MAX_ANSWER", 1000)
    monkeypatch.setattr(f"{module}._idle", {})  # each load starts one of its own
    talk = "import sys; print('{}'); input(); [sys.stdout.write('x' * 1000) for i in range(10**6)]"
    for program, text in (
        (talk, "said more than can be read"),
        ("print('{}'); input()", "its process ended"),
        ("print('{}'); input(); print('x')", "cannot be used: it is not JSON"),
        ("1", "did not start"),
    ):
        monkeypatch.setattr(f"{module}._PROGRAM", program)
        scene, log = read_scene(world)
        assert text in the(log, "template-error").text
        assert scene is not None and [link.name for link in scene.links()] == ["other"]


# ---------------------------------------------------------------------------------- faults of templates

FAULTS = {
    "lua": {
        "a number that is no text": (
            "__put(0, setmetatable({}, {__tostring = function() return {} end}))",
            "gives no text",
        ),
        "a piece that is a text": ("__lit('x')", ""),
        "a piece that is not there": ("__lit(99)", "the template has no piece 99"),
        "a value in no place": ("__put(99, 1)", "the template has no piece -100"),
        "a zero character": ("__put(0, 'a\\0b')", "a zero character"),
        "an error that is a table": ("error({})", ""),
        "an error that is long": ("error(string.rep('x', 1e6))", "xxx"),
        "bytes that are no text": ("__put(0, '\\255\\254')", ""),
    },
    "javascript": {
        "a piece that is not there": ("__lit(99);", "the template has no piece 99"),
        "a zero character": ("__put(0, 'a\\0b');", "a zero character"),
        "an error that is long": ("throw new Error('x'.repeat(1e7));", "xxx"),
        "an error that cannot be shown": ("throw {toString() { throw 1; }};", ""),
        "a symbol": ("throw Symbol('a');", ""),
    },
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "name"), [(language, name) for language in FAULTS for name in FAULTS[language]]
)
def test_faults_of_templates_are_told(tmp_path: Path, language: str, name: str) -> None:
    code, text = FAULTS[language][name]
    head, (start, end) = (LUA, ("%{", "}%")) if language == "lua" else (JAVASCRIPT, ("%<", ">%"))
    proto = f"{head}PROTO P [ ] {{ {start} {code} {end} Group {{ }} }}"
    _, log = read_scene(write_project(tmp_path, "P { }", {"P": proto}))
    found = the(log, "template-error")
    assert text in found.text and len(found.text) < 1300
    assert "its process ended" not in found.text
