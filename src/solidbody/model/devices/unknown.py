"""Placeholder for a device that solidbody knows but does not simulate."""

from __future__ import annotations

from dataclasses import dataclass

from solidbody.model.devices.base import DeviceBase


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceUnknown(DeviceBase):
    """A device kind that nothing here simulates; kept so that it is not lost.

    Attributes:
        kind: The file's word for it.
        fields: (key, value as written) of what the file says about it.
    """

    kind: str
    fields: tuple[tuple[str, str], ...] = ()


__all__ = [
    "DeviceUnknown",
]
