"""What the native step is linked with on Windows: names that a DLL exports, read without Windows."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import pytest

from solidbody.contact import build
from solidbody.contact.build import CONTROLLER, STEP, BuildError, exported_names, import_library
from tools import cross_build

CODE, DATA = 0x60000020, 0xC0000040
"""Flags of sections."""


def made_dll(path: Path, names: dict[str, bool], *, bits: int = 0x20B) -> Path:
    """Write a DLL with nothing but a table of exports: a section of code, and one with that table."""
    base = 0x2000
    head = b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 0x40)
    sections = [(".text", 0x1000, CODE), (".edata", base, DATA)]
    optional = struct.pack("<H", bits).ljust(112, b"\0") + struct.pack("<II", base, 40)
    start = 0x40 + 24 + len(optional) + 40 * len(sections)
    functions, listed = base + 40, base + 40 + 4 * len(names)
    places = listed + 4 * len(names)
    texts = places + 2 * len(names)
    table = struct.pack("<10I", 0, 0, 0, 0, 1, len(names), len(names), functions, listed, places)
    table += b"".join(struct.pack("<I", 0x1000 if code else base) for code in names.values())
    for name in names:
        table += struct.pack("<I", texts)
        texts += len(name) + 1
    table += struct.pack(f"<{len(names)}H", *range(len(names)))
    table += b"".join(name.encode() + b"\0" for name in names)
    content = head + b"PE\0\0" + struct.pack("<HHIIIHH", 0x8664, 2, 0, 0, 0, len(optional), 0)
    content += optional
    for title, address, kind in sections:
        size = len(table) if address == base else 0x10
        content += struct.pack(
            "<8sIIIIIIHHI", title.encode(), size, address, size, start, 0, 0, 0, 0, kind
        )
    path.write_bytes(content + table)
    return path


def test_functions_and_data_of_a_library_are_told_apart(tmp_path: Path) -> None:
    """A linker has to know which is which."""
    names = {"mj_step": True, "mjcb_control": False, "mju_add": True}
    assert exported_names(made_dll(tmp_path / "mujoco.dll", names)) == names
    assert exported_names(made_dll(tmp_path / "none.dll", {})) == {}


@pytest.mark.parametrize("length", [0, 1, 0x3F, 0x44, 0x80, 0x100, 0x140, -1])
def test_damaged_libraries_are_refused(tmp_path: Path, length: int) -> None:
    """Wherever the file ends."""
    whole = made_dll(tmp_path / "whole.dll", {"mj_step": True}).read_bytes()
    cut = tmp_path / "cut.dll"
    cut.write_bytes(whole[:length])
    with pytest.raises(BuildError, match=r"cut\.dll"):
        exported_names(cut)


def test_other_libraries_are_refused(tmp_path: Path) -> None:
    """Those of Linux, and of Windows with 32 bits."""
    other = tmp_path / "libx.so"
    other.write_bytes(b"\x7fELF" + bytes(400))
    with pytest.raises(BuildError, match="no library of Windows"):
        exported_names(other)
    with pytest.raises(BuildError, match="no 64-bit library"):
        exported_names(made_dll(tmp_path / "x.dll", {}, bits=0x10B))


def test_the_linker_is_told_the_names(tmp_path: Path) -> None:
    """By a file for dlltool, whose complaints are passed on."""
    dll = made_dll(tmp_path / "mujoco.dll", {"mj_step": True, "mjcb_control": False})
    import_library(dll, tmp_path, [sys.executable, "-c", "0"])
    lines = (tmp_path / "mujoco.def").read_text("utf-8").splitlines()
    assert lines == ["LIBRARY mujoco.dll", "EXPORTS", "mj_step", "mjcb_control DATA"]
    failing = [sys.executable, "-c", "import sys; sys.exit('no such machine')"]
    with pytest.raises(BuildError, match="no such machine"):
        import_library(dll, tmp_path, failing)


def test_dlltool_is_that_of_the_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Zig brings its own; others are looked for."""
    assert build.find_dlltool(["python", "-m", "ziglang", "cc"])[-2:] == ["ziglang", "dlltool"]
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BuildError, match="no dlltool"):
        build.find_dlltool(["gcc"])


def test_a_library_without_what_python_calls_is_refused(tmp_path: Path) -> None:
    """It would load and then fail in the first step."""
    named = set(cross_build.CALLED.findall((cross_build.PYTHON / "native.py").read_text("utf-8")))
    assert {"sb_new", "sb_run", "sb_layout_hash"} <= named
    dll = made_dll(tmp_path / "step.dll", {"sb_new": True})
    with pytest.raises(cross_build.CrossBuildError, match="sb_run"):
        cross_build.check_exports(dll)


def test_what_is_not_ported_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """libController shares memory by POSIX; the step is for all systems."""
    assert STEP.linked.keys() == build.ENDINGS.keys() and "win32" not in CONTROLLER.linked
    monkeypatch.setattr(build, "find_compiler", lambda: ["cc"])
    monkeypatch.setattr(sys, "platform", "win32")
    result = build.build_native(CONTROLLER, output=tmp_path / "x.dll")
    assert not result.ok and "libController is not ported" in result.message


@pytest.mark.slow
def test_zig_exports_what_it_compiles_for_windows(tmp_path: Path) -> None:
    """All functions, without a word about it in the sources."""
    pytest.importorskip("ziglang")
    source, dll = tmp_path / "a.c", tmp_path / "a.dll"
    source.write_text("int sb_new(int x) { return x + 1; }\n", encoding="utf-8")
    command = [*cross_build.ZIG, "cc", "-target", cross_build.TARGETS["windows-x86_64"]]
    command += [*STEP.linked["win32"], str(source), "-o", str(dll)]
    subprocess.run(command, check=True, timeout=300)
    assert exported_names(dll)["sb_new"]
