"""The native library is used only where it fits the MuJoCo and the tables of this process."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import mujoco
import pytest

from benchmarks.scenes import pile
from solidbody.contact import layout, native
from solidbody.contact.build import build_native
from solidbody.contact.c_header import layout_hash
from solidbody.contact.native import NativeUnavailable
from solidbody.sim import Sim
from tests.physics import building as b


def library_built_for(version: int, tables: int) -> Callable[[], SimpleNamespace]:
    """Return an opener of a library that says it was built for these."""

    def hash_of_tables() -> int:
        return tables

    return lambda: SimpleNamespace(sb_mujoco_version=lambda: version, sb_layout_hash=hash_of_tables)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """As in a process that has loaded nothing yet."""
    monkeypatch.setattr(native, "_loaded", [])
    return monkeypatch


def test_library_for_another_mujoco_gives_way_to_the_reference(fresh: pytest.MonkeyPatch) -> None:
    """One warning says both versions and how to rebuild; the simulation runs all the same."""
    fresh.setattr(native, "_open", library_built_for(3009001, layout_hash()))
    with pytest.warns(RuntimeWarning, match=r"built for MuJoCo 3009001, but .* rebuild it with"):
        sim = Sim(b.scene(b.floor()))
    sim.step(2)
    assert sim.engine_name == "reference"


def test_patch_releases_of_mujoco_share_a_library(fresh: pytest.MonkeyPatch) -> None:
    """A wheel is built for one of them and installed beside the latest; the next minor one is refused."""
    mine, wrong = mujoco.mj_version(), layout_hash() ^ 1
    for version, words in (
        (mine // 1000 * 1000 + 999, "built for other tables"),  # past the check of the version
        (mine + 1000, f"built for MuJoCo {mine + 1000}, but"),
    ):
        fresh.setattr(native, "_open", library_built_for(version, wrong))
        with pytest.raises(NativeUnavailable, match=words):
            Sim(b.scene(b.floor()), engine="native")


def test_library_for_other_tables_is_refused(fresh: pytest.MonkeyPatch) -> None:
    """Right MuJoCo, but a field has moved: both hashes are named."""
    mine = layout_hash()
    fresh.setattr(native, "_open", library_built_for(mujoco.mj_version(), mine ^ 1))
    words = f"other tables .layout {mine ^ 1:016x}, but .* {mine:016x}.*rebuild it with"
    with pytest.raises(NativeUnavailable, match=words):
        Sim(b.scene(b.floor()), engine="native")


def test_library_without_a_hash_is_refused(fresh: pytest.MonkeyPatch) -> None:
    """As those are that were built before there was one."""
    fresh.setattr(native, "_open", SimpleNamespace)
    with pytest.raises(NativeUnavailable, match="older source; rebuild it with"):
        Sim(b.scene(b.floor()), engine="native")


def test_hash_is_of_what_is_read_not_of_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two fields of a type that change places, a number of another meaning; not another comment."""
    before, last = layout_hash(), layout.STRUCTS[-1]
    fields = list(last.fields.items())
    for changed, is_other in (
        (replace(last, fields=dict(reversed(fields))), True),
        (replace(last, doc="x " * 100, fields=dict.fromkeys(last.fields, "other words")), False),
    ):
        monkeypatch.setattr(layout, "STRUCTS", [*layout.STRUCTS[:-1], changed])
        assert (layout_hash() != before) == is_other
    monkeypatch.setitem(layout.ENUMS, "SB_MOTOR_", layout.AxisKind)
    assert layout_hash() != before


@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_every_compiler_gives_the_same_bytes_without_a_warning(
    compiler: str, fresh: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Also without optimisation: nothing rests on the order in which a compiler takes sums."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} on this machine")
    fresh.setenv("CC", compiler)
    strict = ("-O0", "-pedantic", "-Werror")
    built = build_native(output=tmp_path / "library.so", extra_flags=strict)
    assert built.ok, built.message

    def end_of_pile() -> bytes:
        sim = Sim(pile(12), engine="native")
        sim.step(150)
        return sim.data.qpos.tobytes() + sim.data.qvel.tobytes()

    expected = end_of_pile()
    fresh.setattr(native, "_loaded", [])
    fresh.setattr(native, "library_path", lambda: built.library)
    assert end_of_pile() == expected


@pytest.mark.parametrize("row", layout.STRUCTS, ids=lambda row: row.name)
def test_tables_have_no_bytes_without_a_name(row: layout.Struct) -> None:
    """Copies leave such bytes as they find the memory, and snapshots of equal states would differ."""
    assert sum(row.dtype[name].itemsize for name in row.dtype.names or ()) == row.dtype.itemsize
