"""The native library is used only where it fits the MuJoCo and the tables of this process."""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import mujoco
import numpy as np
import pytest

from benchmarks.scenes import pile
from solidbody.contact import native, state, tables
from solidbody.contact.build import build_native
from solidbody.contact.native import NativeUnavailable
from solidbody.sim import Sim
from tests.physics import building as b


def library_built_for(*numbers: int) -> Callable[[], SimpleNamespace]:
    """Return an opener of a library that says it was built for these numbers."""

    def built_for(out: ctypes.Array[ctypes.c_int32]) -> None:
        for k, number in enumerate(numbers):
            out[k] = number

    return lambda: SimpleNamespace(sb_built_for=built_for)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """As in a process that has loaded nothing yet."""
    monkeypatch.setattr(native, "_loaded", [])
    return monkeypatch


def test_library_for_another_mujoco_gives_way_to_the_reference(fresh: pytest.MonkeyPatch) -> None:
    """One warning says both versions and how to rebuild; the simulation runs all the same."""
    fresh.setattr(native, "_open", library_built_for(3009001))
    with pytest.warns(RuntimeWarning, match=r"built for MuJoCo 3009001, but .* rebuild it with"):
        sim = Sim(b.scene(b.floor()))
    sim.step(2)
    assert sim.engine_name == "reference"


def test_library_from_other_sources_is_refused(fresh: pytest.MonkeyPatch) -> None:
    """Right MuJoCo, but tables of other sizes."""
    fresh.setattr(native, "_open", library_built_for(mujoco.mj_version(), 1, 1))
    with pytest.raises(NativeUnavailable, match="another source; rebuild it with"):
        Sim(b.scene(b.floor()), engine="native")


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


ALL_DTYPES = vars(tables) | vars(state)


@pytest.mark.parametrize(
    "name", [name for name, found in ALL_DTYPES.items() if isinstance(found, np.dtype)]
)
def test_tables_have_no_bytes_without_a_name(name: str) -> None:
    """Copies leave such bytes as they find the memory, and snapshots of equal states would differ."""
    table: np.dtype[np.void] = ALL_DTYPES[name]
    assert sum(table[field].itemsize for field in table.names or ()) == table.itemsize
