"""What every device of a body file starts from, and values that several of them read."""

from __future__ import annotations

from typing import TypedDict

from solidbody.base.span import SourceSpan
from solidbody.base.transforms import Pose, Vec3, normalized
from solidbody.formats.choreonoid.keys.access import Keys


class DeviceStart(TypedDict):
    """The fields that all devices have; `**start` gives them to a constructor."""

    name: str
    pose: Pose
    number: int | None
    samples_itself: bool
    span: SourceSpan


def positive(keys: Keys, *names: str, default: float) -> float:
    """Return a number above 0."""
    value = keys.number(*names, default=default)
    if value > 0.0:
        return value
    keys.error("out-of-range", written(keys, *names), f"expected a number above 0, got {value:g}.")
    return default


def not_negative(keys: Keys, *names: str, default: float) -> float:
    """Return a number of at least 0."""
    value = keys.number(*names, default=default)
    if value >= 0.0:
        return value
    name = written(keys, *names)
    keys.error("out-of-range", name, f"expected a number not below 0, got {value:g}.")
    return default


def share(keys: Keys, *names: str, default: float) -> float:
    """Return a number from 0 to 1; beyond them it is cut, with a warning."""
    value = keys.number(*names, default=default)
    cut = min(max(value, 0.0), 1.0)
    if cut != value:
        name = written(keys, *names)
        text = f"expected a number from 0 to 1, got {value:g}; {cut:g} is used."
        keys.warning("out-of-range", name, text)
    return cut


def whole_positive(keys: Keys, *names: str, default: int, most: int) -> int:
    """Return a whole number from 1 to `most`."""
    value = keys.integer(*names, default=default)
    if 1 <= value <= most:
        return value
    name = written(keys, *names)
    text = f"expected a whole number from 1 to {most}, got {value}."
    keys.error("out-of-range", name, text)
    return default


def unit_vector(keys: Keys, *names: str, default: Vec3) -> Vec3:
    """Return a direction of length 1."""
    value = keys.vec3(*names, default=default)
    if any(value):
        return normalized(value)
    keys.error("null-axis", written(keys, *names), "a direction must not be null.")
    return default


def written(keys: Keys, *names: str) -> str:
    """Return the name under which a key is given."""
    return next((name for name in names if name in keys), names[0])
