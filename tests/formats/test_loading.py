"""Files to scenes: what cannot be read, and what strictness means."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from solidbody.base.diagnostics import Severity
from solidbody.base.errors import LoadError
from solidbody.formats import loading
from solidbody.formats.loading import load, read_scene, read_scene_text

WORLD = "#VRML_SIM R2025a utf8\nWorldInfo { }\nViewpoint { }\nSolid { }\n"


def write(folder: Path, text: str | bytes, name: str = "world.wbt") -> Path:
    """Write a file and return its path."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def only_code(path: Path) -> str:
    """Return the code of the only diagnostic of a file that gives no scene."""
    scene, log = read_scene(path)
    assert scene is None
    assert [item.span.file for item in log] == [str(path)]
    return log.items[0].code


def test_world_file_is_loaded(tmp_path: Path) -> None:
    path = write(tmp_path, WORLD, "small.wbt")
    scene = load(path)
    assert (scene.name, scene.source, scene.diagnostics) == ("small", str(path), ())


def test_extension_may_be_in_capitals(tmp_path: Path) -> None:
    assert load(write(tmp_path, WORLD, "a.WBT")).bodies


def test_unknown_extension_lists_the_known_ones(tmp_path: Path) -> None:
    _, log = read_scene(write(tmp_path, WORLD, "a.txt"))
    assert log.items[0].code == "unknown-extension"
    assert '".txt"; known: .wbt' in log.items[0].text


@pytest.mark.parametrize("kind", ["wbt", "proto", "cnoid", "body", "yaml", "wrl", "urdf", "xacro"])
@pytest.mark.parametrize("path", ["../other/real name.{}", "Other.{}", "../elsewhere/file\n"])
def test_a_link_that_was_checked_out_as_text_says_so(tmp_path: Path, kind: str, path: str) -> None:
    """Git on Windows writes the path of a symbolic link into a file."""
    target = path.format(kind)
    file = write(tmp_path, target, f"a.{kind}")
    scene, log = read_scene(file)
    (said,) = log
    assert scene is None and (said.code, said.span.file) == ("link-as-text", str(file))
    assert f'holds only the path "{target.strip()}": it was a symbolic link' in said.text


def test_a_mesh_that_is_a_link_as_text_says_so(tmp_path: Path) -> None:
    for kind in ("stl", "obj", "dae", "wrl"):
        write(tmp_path, f"../meshes/part.{kind}", f"part.{kind}")
        body = "format: ChoreonoidBody\nformat_version: 1.0\nname: A\nroot_link: A\nlinks:\n"
        body += f"  - {{ name: A, elements: {{ Resource: {{ uri: part.{kind} }} }} }}\n"
        _, log = read_scene(write(tmp_path, body, "a.body"))
        said = [item.text for item in log if item.severity is Severity.ERROR]
        assert any(f'only the path "../meshes/part.{kind}"' in text for text in said), said


def test_short_files_that_are_no_paths_are_read(tmp_path: Path) -> None:
    """One line of a language is no path."""
    for name, text in (("a.wbt", "#VRML_SIM R2025a utf8"), ("a.body", "format: x.body")):
        _, log = read_scene(write(tmp_path, text, name))
        assert "link-as-text" not in [item.code for item in log]


def test_missing_file_is_an_error(tmp_path: Path) -> None:
    assert only_code(tmp_path / "nothing.wbt") == "missing-file"


def test_directory_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "folder.wbt").mkdir()
    assert only_code(tmp_path / "folder.wbt") == "unreadable-file"


def test_impossible_file_name_is_an_error() -> None:
    scene, log = read_scene("a\0b.wbt")
    assert scene is None
    assert [item.code for item in log] == ["unreadable-file"]


def test_bytes_that_are_not_utf8_are_read_as_latin_1(tmp_path: Path) -> None:
    """Old files have such letters in names and comments; what is UTF-8 beside them stays so."""
    names = 'Solid { name "é" }\n'.encode() + b'Solid { name "B\xfcro" }\n'
    path = write(tmp_path, WORLD.encode() + names)
    scene, log = read_scene(path)
    assert scene is not None
    assert {"é", "Büro"} <= {link.name for link in scene.links()}
    (said,) = log
    assert (said.code, said.severity) == ("bad-encoding", Severity.WARNING)
    assert (said.span.line, said.span.column) == (6, 16)
    assert "byte 0xfc cannot be decoded; it and its like are read as Latin-1" in said.text


@pytest.mark.parametrize(("encoding", "called"), [("cp932", "Shift-JIS"), ("euc_jp", "EUC-JP")])
def test_old_japanese_encodings_are_known_by_their_letters(
    tmp_path: Path, encoding: str, called: str
) -> None:
    """Body files from Japan have remarks in them; as Latin-1 those were no YAML."""
    text = "format: ChoreonoidBody # ロボット 表示\nformatVersion: 1.0\nname: 腕のロボット\n"
    path = tmp_path / "a.body"
    path.write_bytes(f"{text}links: [ {{ name: A }} ]".encode(encoding))
    scene, log = read_scene(path)
    assert scene is not None and scene.name == "腕のロボット"
    (said,) = log
    assert (said.code, said.severity) == ("bad-encoding", Severity.WARNING)
    assert said.text.endswith(f"the file is read as {called}.")


def test_one_odd_byte_in_japanese_utf_8_stays_one(tmp_path: Path) -> None:
    """These bytes are Shift-JIS, too, with kana in it, but nothing that anybody would write."""
    text = "format: ChoreonoidBody\nformatVersion: 1.0\nname: 腕アーム\nlinks: [ { name: A } ] # "
    path = tmp_path / "a.body"
    path.write_bytes(text.encode() + b"\xe9a")
    assert "ーム" not in path.read_bytes().decode("cp932")
    scene, log = read_scene(path)
    assert scene is not None and scene.name == "腕アーム"
    (said,) = log
    assert "read as Latin-1" in said.text


def test_quotes_of_windows_are_letters(tmp_path: Path) -> None:
    """They were controls, which YAML refuses."""
    path = tmp_path / "a.body"
    path.write_bytes(
        b"format: ChoreonoidBody # \x93my\x94 arm\nformatVersion: 1.0\nlinks: [ { name: A } ]"
    )
    scene, log = read_scene(path)
    assert scene is not None
    assert [item.code for item in log] == ["bad-encoding"]


@pytest.mark.parametrize(
    ("mark", "encoding"), [(codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")]
)
def test_utf_16_is_known_by_its_mark(tmp_path: Path, mark: bytes, encoding: str) -> None:
    """Windows' editors and shells write it, and Webots reads it."""
    text = WORLD + 'Solid { name "Büro ✓" }\n'
    scene, log = read_scene(write(tmp_path, mark + text.encode(encoding)))
    assert scene is not None
    assert [str(item.severity.value) for item in log] == ["warning"]
    assert "it is read as UTF-16" in next(iter(log)).text
    assert "Büro ✓" in {link.name for link in scene.links()}


def test_what_is_no_text_is_an_error(tmp_path: Path) -> None:
    assert only_code(write(tmp_path, b"PK\x03\x04\xb4\x00\x00")) == "bad-encoding"


def test_too_large_file_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MAX_FILE_BYTES", 10)
    assert only_code(write(tmp_path, WORLD)) == "file-too-large"


def test_wrong_header_is_fatal(tmp_path: Path) -> None:
    assert only_code(write(tmp_path, "Solid { }")) == "bad-header"


def test_empty_file_is_fatal(tmp_path: Path) -> None:
    assert only_code(write(tmp_path, "")) == "bad-header"


def test_load_raises_with_all_errors_if_nothing_could_be_built(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"invalid header") as caught:
        load(write(tmp_path, "Solid { }"))
    assert [item.code for item in caught.value.diagnostics] == ["bad-header"]


def test_errors_inside_the_file_leave_a_scene(tmp_path: Path) -> None:
    path = write(tmp_path, WORLD + "Solid { mas 3 }\nBlob { }\n")
    scene = load(path)
    assert [item.code for item in scene.diagnostics if item.code != "duplicate-name"] == [
        "unknown-field",
        "unknown-node",
    ]
    assert len(scene.bodies) == 2


def test_strict_raises_on_any_error(tmp_path: Path) -> None:
    path = write(tmp_path, WORLD + "Blob { }\n")
    with pytest.raises(LoadError, match=r"unknown node type"):
        load(path, strict=True)


def test_strict_accepts_warnings(tmp_path: Path) -> None:
    path = write(tmp_path, WORLD + "Background { luminosity -1 }\n")
    assert [item.code for item in load(path, strict=True).diagnostics] == ["value-reset"]


def test_byte_order_mark_and_windows_line_ends_are_fine(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf" + WORLD.replace("\n", "\r\n").encode()
    assert load(write(tmp_path, data)).diagnostics == ()


def test_unbalanced_brackets_at_the_end_build_what_is_there() -> None:
    scene, log = read_scene_text(WORLD.rstrip().rstrip("}") + 'name "last" children [ ')
    assert scene is not None
    assert [item.code for item in log] == ["missing-bracket"]
    assert scene.bodies[0].name == "last"


def test_text_is_read_without_a_file() -> None:
    scene, log = read_scene_text(WORLD, "snippet.wbt")
    assert scene is not None and scene.name == "snippet"
    assert len(log) == 0
