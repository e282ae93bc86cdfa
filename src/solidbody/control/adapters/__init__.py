"""Between devices and controllers: what a device tells of itself, obeys, and reports."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from solidbody.control.adapters.base import Adapter, SensorAdapter, Warn
from solidbody.devices.core.kind import Kind
from solidbody.devices.kinds import KINDS


def _adapter_of(kind: Kind) -> type[Adapter]:
    if kind.client is None:
        return SensorAdapter if kind.seen_as else Adapter
    module, _, name = kind.client.adapter.partition(".")
    return getattr(import_module(f"{__name__}.{module}"), name)


ADAPTERS: Final[dict[type, type[Adapter]]] = {kind.model: _adapter_of(kind) for kind in KINDS}
"""Adapter of each kind of device; what programs know by name only has the one of all."""

__all__ = ["ADAPTERS", "Adapter", "SensorAdapter", "Warn"]
