"""Values of SDF: what stands as text in elements, with a message where it is not what it should be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from solidbody.base.transforms import (
    Pose,
    Quat,
    Vec3,
    norm,
    quat_from_axis_angle,
    quat_multiply,
    quat_normalized,
    scale,
)
from solidbody.formats.link_trees.messages import Messages, Spot
from solidbody.formats.xml_tree import XmlElement

_TRUE: Final = ("1", "true", "True", "TRUE")
_FALSE: Final = ("0", "false", "False", "FALSE")


def label_of(element: XmlElement) -> str:
    """Return how messages call an element."""
    name = element.attributes.get("name")
    return f"<{element.tag}>" if name is None else f'<{element.tag} name="{name}">'


def turned_by(roll: float, pitch: float, yaw: float) -> Quat:
    """Return the rotation of three angles about the fixed axes x, y, z [rad]."""
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    turn = quat_multiply(quat_from_axis_angle(y, pitch), quat_from_axis_angle(x, roll))
    return quat_multiply(quat_from_axis_angle(z, yaw), turn)


@dataclass(slots=True)
class Values:
    """Reads what elements hold.

    Attributes:
        messages: Takes what is wrong.
    """

    messages: Messages

    def spot(self, element: XmlElement, field: str = "") -> Spot:
        """Return the place of an element, for messages."""
        return Spot(self.messages, element.span, label_of(element), field)

    def word(self, parent: XmlElement | None, tag: str, default: str = "") -> str:
        """Return the text of an element in another one."""
        found = None if parent is None else parent.first(tag)
        return default if found is None else found.text.strip()

    def flag(self, parent: XmlElement | None, tag: str, default: bool = False) -> bool:
        """Return a truth value."""
        found = None if parent is None else parent.first(tag)
        if found is None or not found.text:
            return default
        if found.text in _TRUE or found.text in _FALSE:
            return found.text in _TRUE
        said = f'expected true or false, got "{found.text}"; {str(default).lower()} is used.'
        self.spot(found).error("wrong-value", said)
        return default

    def number(self, parent: XmlElement | None, tag: str, default: float) -> float:
        """Return a number."""
        found = None if parent is None else parent.first(tag)
        return default if found is None else self.numbers(found, (default,))[0]

    def whole(self, parent: XmlElement | None, tag: str, default: int, most: int) -> int:
        """Return a whole number from 1 to `most`."""
        found = self.number(parent, tag, default)
        if found == int(found) and 1 <= found <= most:
            return int(found)
        if parent is not None:
            said = f"expected a whole number from 1 to {most}, got {found:g}; {default} is used."
            self.spot(parent.first(tag) or parent).error("wrong-value", said)
        return default

    def vector(self, parent: XmlElement | None, tag: str, default: Vec3) -> Vec3:
        """Return three numbers."""
        found = None if parent is None else parent.first(tag)
        if found is None:
            return default
        x, y, z = self.numbers(found, default)
        return x, y, z

    def direction(self, parent: XmlElement, tag: str, default: Vec3) -> Vec3:
        """Return a vector of length 1."""
        found = self.vector(parent, tag, default)
        length = norm(found)
        if 1e-12 < length < math.inf:
            return scale(found, 1.0 / length)
        said = "the axis has no direction; {:g} {:g} {:g} is used.".format(*default)
        self.spot(parent.first(tag) or parent).error("null-axis", said)
        return default

    def numbers(self, element: XmlElement, default: tuple[float, ...]) -> tuple[float, ...]:
        """Return as many numbers as the default has; the default after a message."""
        try:
            numbers = tuple(map(float, element.text.split()))
        except ValueError:
            numbers = ()
        if len(numbers) == len(default) and all(map(math.isfinite, numbers)):
            return numbers
        if len(default) == 1 and any(map(math.isinf, numbers)):  # as limits are written
            return numbers
        count = "a number" if len(default) == 1 else f"{len(default)} numbers"
        used = " ".join(f"{number:g}" for number in default)
        said = f'expected {count}, got "{element.text}"; {used} is used.'
        self.spot(element).error("wrong-value", said)
        return default

    def pose(self, element: XmlElement | None) -> Pose:
        """Return what a <pose> holds, in the frame that it is given in."""
        if element is None or not element.text:
            return Pose()
        if element.attributes.get("rotation_format", "euler_rpy") == "quat_xyzw":
            x, y, z, qx, qy, qz, qw = self.numbers(element, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
            if math.hypot(qx, qy, qz, qw) < 1e-9:
                self.spot(element).error("null-axis", "a quaternion is not 0; no turn is used.")
                return Pose((x, y, z))
            return Pose((x, y, z), quat_normalized((qw, qx, qy, qz)))
        x, y, z, *angles = self.numbers(element, (0.0,) * 6)
        if element.attributes.get("degrees", "false") in _TRUE:
            angles = [math.radians(angle) for angle in angles]
        return Pose((x, y, z), turned_by(angles[0], angles[1], angles[2]))
