"""Devices of Warp, and what to say when there is none or when it is full."""

from __future__ import annotations

import os
from typing import Any, Final

import warp as wp

from solidbody.base.errors import SolidbodyError

OLDEST_DRIVER: Final = (12, 0)
"""CUDA version that a driver must have for the machine code that Warp makes."""


class GpuDeviceError(SolidbodyError):
    """A device is not there, or has not enough memory."""


def find_device(name: str) -> Any:
    """Return a device: "cpu", "cuda" or "cuda:1".

    Raises:
        GpuDeviceError: There is no such device.
    """
    wp.config.log_level = wp.LOG_ERROR  # what it compiles and finds is no message of ours
    wp.init()
    if name == "cpu":
        return wp.get_device("cpu")
    if not name.startswith("cuda"):
        raise GpuDeviceError(f'a device is "cpu", "cuda" or "cuda:N", got {name!r}')
    driver = wp.get_cuda_driver_version() if wp.is_cuda_available() else None
    if driver is None:
        raise GpuDeviceError(
            f'device "{name}": no NVIDIA driver is loaded, or it is too old for CUDA '
            f"{OLDEST_DRIVER[0]}.{OLDEST_DRIVER[1]}. The same kernels run on the processor with "
            'device="cpu"; Sim.batch(n) without a device is faster there'
        )
    if tuple(driver) < OLDEST_DRIVER:
        raise GpuDeviceError(
            f'device "{name}": its driver is for CUDA {driver[0]}.{driver[1]}, '
            f"at least {OLDEST_DRIVER[0]}.{OLDEST_DRIVER[1]} is needed"
        )
    try:
        return wp.get_device(name)
    except (ValueError, RuntimeError):
        known = ", ".join(device.alias for device in wp.get_cuda_devices())
        raise GpuDeviceError(f'there is no device "{name}"; known: cpu, {known}') from None


def _physical_memory() -> int:
    """Return the memory of the machine; of one that does not say, more than there is."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 1 << 62


def check_room(device: Any, count: int, bytes_each: int) -> None:
    """Refuse more worlds than fit.

    Raises:
        GpuDeviceError: With how many do.
    """
    free = int(device.free_memory) if device.is_cuda else _physical_memory()
    if count * bytes_each > free:
        raise GpuDeviceError(
            f"{count} worlds of {bytes_each / 1024:.1f} KiB each need "
            f"{count * bytes_each / 2**30:.2f} GiB; device {device.alias} has {free / 2**30:.2f} GiB "
            f"free: {free // bytes_each} worlds fit"
        )
