"""Devices: sensors and actuators fixed to links (placeholder union, filled next)."""

from __future__ import annotations

from dataclasses import dataclass

from solidbody.base.span import NOWHERE, SourceSpan
from solidbody.base.transforms import WORLD, Pose


@dataclass(frozen=True, slots=True)
class DeviceUnknown:
    """A device kind that nothing here simulates; kept so that it is not lost."""

    name: str
    kind: str
    pose: Pose = WORLD
    span: SourceSpan = NOWHERE


Device = DeviceUnknown
