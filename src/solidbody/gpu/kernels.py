"""The step as a Warp kernel: one world per thread on the processor, one per warp on a GPU."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

import warp as wp

from solidbody.gpu import layout
from solidbody.gpu.model_tables import ModelTables

NATIVE: Final = Path(__file__).parent / "native"
LAW: Final = Path(__file__).parents[1] / "contact" / "native"
"""Headers of the kernels, and those of the native step that they share."""

LANES: Final = 32
"""Threads that work on one world of a GPU."""

CALLS: Final = {
    "step": "sb_step_world({world}, {number});",
    "look": "sb_look_world({world}, {number}, (const SbItems*)items);",
    "tell": "sb_tell_world({world}, {number}, (const SbItems*)items);",
    "feel": "sb_feel_world({world}, {number}, (const SbItems*)items);",
}
"""Kernels: what each does with one world."""

ON_CUDA: Final = {
    "pose": "sb_pose::sb_pose_world({world});",
    "meet": "sb_meet_world({world}, {number});",
    "begin": "sb_begin_world({world}, {number});",
    "end": "sb_end_world({world}, {number});",
    "look": CALLS["look"],
    "tell": CALLS["tell"],
    "feel": CALLS["feel"],
}
"""On a GPU a step is several kernels: warps that run the same code at once share its instructions."""

NEEDS: Final = {"meet": "GROUND_PAIRS"}
"""Kernels that only some models have -> the count that says so."""

STEP: Final = {"pose": LANES // layout.POSE_TEAM, "meet": 1, "begin": 1, "end": 1}
"""Kernels of a step on a GPU, in order, and on how many worlds a warp works."""

BOUNDS: Final = {"pose": 20, "begin": 16, "end": 10}
"""Worlds of a kernel that are on a multiprocessor at once, for the registers of a thread."""

_MODEL: Final = "(const SbModel*)model"
_ON_CPU: Final = (f"{_MODEL}, ((const SbModel*)model)->x_SCRATCH", "tid")
_ON_CARD: Final = (_MODEL, "tid / 32")


def is_needed(call: str, counts: Mapping[str, int]) -> bool:
    """Return whether a model has a kernel on a GPU."""
    return counts.get(NEEDS.get(call, ""), 1) > 0


def _sources() -> list[str]:
    return [
        *map(str, sorted(NATIVE.glob("*.h"))),
        str(LAW / "base" / "sb_law.h"),
        str(LAW / "base" / "sb_rays.h"),
        str(LAW / "batch" / "sb_noise.h"),
        str(LAW / "base" / "sb_layout.h"),
        *map(str, sorted((LAW / "collision").glob("sb_colliders.*"))),
        *map(str, sorted((LAW / "collision").glob("sb_terrain*"))),
        *map(str, sorted((LAW / "collision").glob("sb_mesh_search.*"))),
    ]


def _kernels(
    name: str,
    calls: Mapping[str, str],
    place: tuple[str, str],
    options: wp.ModuleBuildOptions,
) -> dict[str, Any]:
    """Return the kernels (model, items) in a module of their own."""
    module = wp.get_module(f"solidbody.gpu.{name}")
    module.options |= {"enable_backward": False, "extra_build_options": options}
    module.mark_modified()
    return {
        call: _kernel(call, text.format(world=place[0], number=place[1]), module)
        for call, text in calls.items()
    }


def _kernel(name: str, snippet: str, module: Any) -> Any:
    def call_native(model: wp.uint64, items: wp.uint64, tid: int): ...

    native = wp.Function(
        call_native, f"{name}_native", namespace="", module=module, native_snippet=snippet
    )

    def call(model: wp.uint64, items: wp.uint64):
        native(model, items, wp.tid())

    options = {"launch_bounds": (LANES, BOUNDS[name])} if name in BOUNDS else {}
    return wp.Kernel(call, key=f"{name}_worlds", module=module, options=options)


@functools.cache
def cpu_kernels() -> dict[str, Any]:
    """Return the kernels for the processor, which serve all models."""
    options = wp.ModuleBuildOptions(
        extra_cpu_include_dirs=[str(NATIVE), str(LAW)],
        extra_cpu_preamble=layout.cpu_source(),
        extra_build_dependencies=_sources(),
    )
    return _kernels("processor", CALLS, _ON_CPU, options)


def cuda_kernels(
    tables: ModelTables, memory: layout.Memory, varied: Collection[str] = ()
) -> dict[str, Any]:
    """Return the kernels of one model for a GPU; `varied`: tables of which each world has its own."""
    counts = layout.cuda_counts(tables.counts)
    source = layout.cuda_source(
        counts, tables.reals, memory, pair_forms=tables.pair_forms, varied=varied
    )
    options = wp.ModuleBuildOptions(
        extra_cuda_include_dirs=[str(NATIVE), str(LAW)],
        extra_cuda_preamble=source,
        extra_build_dependencies=_sources(),
    )
    name = f"cuda_{hashlib.sha256(source.encode()).hexdigest()[:16]}"
    calls = {call: text for call, text in ON_CUDA.items() if is_needed(call, counts)}
    return _kernels(name, calls, _ON_CARD, options)
