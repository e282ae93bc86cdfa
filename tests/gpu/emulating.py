"""The kernels as they are compiled for a GPU, on the processor: warps of 32 fibers (`emulated_warp.h`)."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

import numpy as np

from solidbody.gpu import kernels, layout
from solidbody.gpu.worlds import Worlds

COMPILER: Final = shutil.which("g++") or shutil.which("clang++")
HERE: Final = Path(__file__).parent
FLAGS: Final = (
    "-std=c++20",
    "-O1",
    "-shared",
    "-fPIC",
    "-w",
    "-ffp-contract=fast",
    "-U_FORTIFY_SOURCE",
)


@functools.cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="solidbody-emulated-"))


def _library(source: str) -> ctypes.CDLL:
    name = hashlib.sha256(source.encode()).hexdigest()[:16]
    made, text = _folder() / f"{name}.so", _folder() / f"{name}.cpp"
    if not made.exists():
        calls = [
            f'extern "C" void run_{name}(SbModel* m, int blocks) {{\n'
            f"  run_blocks([](void* p) {{ const SbModel* m = (const SbModel*)p; const SbItems* items = 0;\n"
            f"    (void)items; {call.format(world='m', number='(int)blockIdx.x')} }}, m, blocks);\n}}\n"
            for name, call in kernels.ON_CUDA.items()
            if "items" not in call and not ("meet" in call and "SB_NO_GROUND" in source)
        ]
        text.write_text("\n".join(['#include "emulated_warp.h"', source, *calls]))
        assert COMPILER is not None
        include = [f"-I{path}" for path in (HERE, kernels.NATIVE, kernels.LAW)]
        done = subprocess.run(
            [COMPILER, *FLAGS, *include, str(text), "-o", str(made)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[:4000]
    return ctypes.CDLL(str(made))


class EmulatedSteps:
    """Steps of worlds on the processor by the kernels of a GPU.

    Args:
        worlds: On Warp's processor device.
    """

    def __init__(self, worlds: Worlds) -> None:
        tables = worlds.tables
        counts = layout.cuda_counts(tables.counts)
        memory = layout.cuda_memory(counts)
        source = layout.cuda_source(counts, tables.reals, memory, pair_forms=tables.pair_forms)
        self._worlds, self._library = worlds, _library(source)
        self._scratch = np.full(memory.far_bytes // 8 * worlds.count, np.nan)
        self._struct = layout.ModelStruct.from_buffer_copy(worlds.struct)
        self._struct.x_SCRATCH = self._scratch.ctypes.data

    def step(self) -> None:
        """Run the kernels of one step over all worlds."""
        for name, worlds_each in kernels.STEP.items():
            if not kernels.is_needed(name, self._worlds.tables.counts):
                continue
            blocks = -(-self._worlds.count // worlds_each)
            getattr(self._library, f"run_{name}")(ctypes.byref(self._struct), blocks)
