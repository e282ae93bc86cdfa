"""Text of XML elements: numbers with all their digits, names with what XML reserves escaped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from xml.sax.saxutils import quoteattr

from solidbody.base.transforms import Pose, quat_to_matrix

Value = str | float | Iterable[float]
"""A word, a number, or several numbers."""


def number_text(value: float) -> str:
    """Return the shortest text that reads back as the same number."""
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else repr(float(value))


def value_text(value: Value) -> str:
    """Return the text of an attribute."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return number_text(value)
    return " ".join(number_text(number) for number in value)


def element(
    tag: str, attributes: Mapping[str, Value] | None = None, inside: Iterable[str] = ()
) -> str:
    """Return an element; what stands inside is indented."""
    said = "".join(f" {k}={quoteattr(value_text(v))}" for k, v in (attributes or {}).items())
    lines = [line for text in inside for line in text.split("\n")]
    if not lines:
        return f"<{tag}{said}/>"
    return "\n".join((f"<{tag}{said}>", *(f"  {line}" for line in lines), f"</{tag}>"))


def origin(pose: Pose) -> list[str]:
    """Return the place of something as <origin>; nothing where it is the frame itself."""
    if pose == Pose():
        return []
    return [element("origin", {"xyz": pose.position, "rpy": angles_of(pose)})]


def angles_of(pose: Pose) -> tuple[float, float, float]:
    """Return roll, pitch and yaw about the fixed axes x, y, z."""
    a, b, c = quat_to_matrix(pose.rotation)
    flat = math.hypot(a[0], b[0])
    pitch = math.atan2(-c[0], flat)
    if flat < 1e-9:  # only the difference of roll and yaw is known
        return math.atan2(-b[2], b[1]), pitch, 0.0
    return math.atan2(c[1], c[2]), pitch, math.atan2(b[0], a[0])
