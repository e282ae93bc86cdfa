"""Adapters: how each kind of device appears to controllers, its facts, commands and reports."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from solidbody.control.adapters.base import Adapter, SensorAdapter, Warn
from solidbody.devices.core.kind import DeviceKind
from solidbody.devices.kinds import KINDS


def _adapter_of(kind: DeviceKind) -> type[Adapter]:
    adapter = kind.client.adapter if kind.client else kind.seen_through
    if not adapter:
        return Adapter
    module, _, name = adapter.partition(".")
    return getattr(import_module(f"{__name__}.{module}"), name)


ADAPTERS: Final[dict[type, type[Adapter]]] = {kind.model: _adapter_of(kind) for kind in KINDS}
"""Adapter of each kind of device; what programs know by name only has the one of all."""

__all__ = ["ADAPTERS", "Adapter", "SensorAdapter", "Warn"]
