"""Chooses where rays are traced: on a graphics card if there is one, else on the processor.

Without Warp (the extra `cameras`) that is our own native library; `native_rays.py` says what it can do.
"""

from __future__ import annotations

import importlib.util
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

VARIABLE = "SOLIDBODY_DEVICE"
"""Environment variable that names Warp's device, such as `cpu` or `cuda:0`, or `native`."""

NATIVE: Final = "native"
"""The device without Warp."""

_HERE: Final = ("cpu", NATIVE)
"""Devices that read the memory of numpy."""


NO_DRIVER = b"Could not find or load the NVIDIA CUDA driver"
"""In what Warp's native part writes to standard error where there is no graphics card: nobody asked."""


@contextmanager
def _without_driver_warning() -> Iterator[None]:
    """Keep back that warning; whatever else is written to standard error comes out afterwards."""
    try:
        before = os.dup(2)
    except OSError:  # there is no standard error
        yield
        return
    with tempfile.TemporaryFile() as kept:
        os.dup2(kept.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(before, 2)
            os.close(before)
            kept.seek(0)
            rest = b"".join(line for line in kept if NO_DRIVER not in line)
            if rest:
                os.write(2, rest)


def quiet_warp() -> Any:
    """Start Warp, if it has not started, and return its module."""
    import warp as wp

    wp.config.log_level = wp.LOG_ERROR
    with _without_driver_warning():
        wp.init()
    return wp


@lru_cache(maxsize=1)
def compute_device() -> str:
    """Return the name of the device; starts Warp, and compiles the kernels at their first use ever."""
    if os.environ.get(VARIABLE) == NATIVE or importlib.util.find_spec("warp") is None:
        return NATIVE
    from solidbody.render import kernels

    wp = quiet_warp()
    device = os.environ.get(VARIABLE) or ("cuda:0" if wp.is_cuda_available() else "cpu")
    compile_kernels(kernels.__name__, device)
    return device


@lru_cache(maxsize=16)
def compile_kernels(module: str, device: str) -> None:
    """Compile the kernels of a module (some seconds, once per machine: Warp keeps them in its cache)."""
    import warp as wp

    # the block size is part of what is compiled; on the processor Warp launches with 1
    wp.get_module(module).load(wp.get_device(device), block_dim=1 if device == "cpu" else None)


class HostArray(np.ndarray):
    """An array of numpy with the two methods of Warp's that the engine uses."""

    def assign(self, values: NDArray[Any]) -> None:
        """Take other numbers."""
        self[...] = values

    def numpy(self) -> NDArray[Any]:
        """Return it as a plain one."""
        return self.view(np.ndarray)


def upload(array: NDArray[Any], device: str) -> Any:
    """Return a Warp array with the same numbers; rows of 2, 3, 4 or 3x3 become vectors and matrices."""
    if device == NATIVE:
        return np.array(array, order="C").view(HostArray)
    import warp as wp

    return wp.array(np.ascontiguousarray(array), dtype=_kind(array), device=device)


def _kind(array: NDArray[Any]) -> Any:
    """Return what Warp calls a row of an array."""
    import warp as wp

    kinds: dict[tuple[str, tuple[int, ...]], Any] = {
        ("float32", (3,)): wp.vec3,
        ("float32", (2,)): wp.vec2,
        ("float32", (4,)): wp.vec4,
        ("float32", (3, 3)): wp.mat33,
        ("int32", (2,)): wp.vec2i,
        ("uint8", (4,)): wp.vec4ub,
        ("float32", ()): wp.float32,
        ("int32", ()): wp.int32,
        ("uint64", ()): wp.uint64,
    }
    return kinds[array.dtype.name, array.shape[1:]]


def download(array: Any) -> Any:
    """Return the numbers of a Warp array."""
    return array.numpy()


def recorded(launch: Any, device: str) -> Callable[[], None]:
    """Return what repeats a recorded launch.

    On the processor Warp packs the arguments anew each time and calls the compiled kernel with them, which
    takes longer than a few rays: here the kernel is called with what Warp has packed once.
    """
    if device != "cpu":
        return launch.launch
    calls: list[tuple[Any, ...]] = []
    try:
        hooks = launch.hooks
        launch.hooks = SimpleNamespace(forward=lambda *packed: calls.append(packed))
        try:
            launch.launch()
        finally:
            launch.hooks = hooks
    except (AttributeError, TypeError):  # a release of Warp that works otherwise
        return launch.launch
    return partial(hooks.forward, *calls[0]) if len(calls) == 1 else launch.launch


class Shared:
    """Numbers that change often: on the processor Warp reads the very memory that numpy writes."""

    def __init__(self, shape: tuple[int, int], device: str) -> None:
        self._host = np.zeros(shape, dtype=np.float32)
        self._is_here = device in _HERE
        if device == NATIVE:
            self.array: Any = self._host.view(HostArray)
            return
        import warp as wp

        kind = {3: wp.vec3, 4: wp.vec4}[shape[1]]
        self.array = wp.array(self._host, dtype=kind, device=device, copy=not self._is_here)

    def set(self, values: NDArray[np.float64]) -> None:
        """Take new numbers; of an empty world there are none, though there is room for one row."""
        self._host[: len(values)] = values
        if not self._is_here:
            self.array.assign(self._host)


class GrowingArray:
    """Rows of numbers to which more can be added; those that are there keep their places.

    Nobody writes over them, so that whoever took `array` before it grew can go on with that one.

    Attributes:
        host: The numbers; rows from `count` on mean nothing.
        array: The same on the device. On the processor it is the same memory.
        count: How many rows there are.
    """

    def __init__(self, first: NDArray[Any], device: str) -> None:
        """`first`: The rows that it begins with, one at least."""
        self._device = device
        self.host, self.count = first, len(first)
        self.array: Any = self._shown()

    def _shown(self) -> Any:
        if self._device == NATIVE:
            return self.host.view(HostArray)
        import warp as wp

        is_here = self._device == "cpu"
        return wp.array(self.host, dtype=_kind(self.host), device=self._device, copy=not is_here)

    def add(self, parts: Sequence[NDArray[Any]]) -> None:
        """Add rows at the end."""
        first, self.count = self.count, self.count + sum(map(len, parts))
        has_room = self.count <= len(self.host)
        if not has_room:
            # memory that nobody touches costs nothing on the processor
            room = self.count if self._device in _HERE else self.count // 4
            grown = np.empty((self.count + room, *self.host.shape[1:]), self.host.dtype)
            grown[:first] = self.host[:first]
            self.host = grown
        at = first
        for part in parts:
            self.host[at : at + len(part)] = part
            at += len(part)
        if not has_room:
            self.array = self._shown()
        elif self._device not in _HERE and at > first:
            self.array[first:at].assign(self.host[first:at])
