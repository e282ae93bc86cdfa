"""What `<gazebo>` says of links and joints of a robot in URDF: friction and sensors.

Elements without a reference, and those that load plugins, are about Gazebo itself and left out. Of surfaces
only friction is read: how soft contacts are is the scene's. Robots in URDF have no other contact materials
than those made here, whose names tell the coefficient; a project of Choreonoid takes them for its default.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from solidbody.formats.link_trees.messages import Messages
from solidbody.formats.sdf.sensors import read_sensor
from solidbody.formats.sdf.values import Values
from solidbody.formats.xml_tree import XmlElement
from solidbody.model.devices import Device
from solidbody.model.shapes import Shape, ShapeRole

_FRICTION: Final = ("mu1", "mu2", "mu")

_READ: Final = (*_FRICTION, "sensor")

_SILENT: Final = frozenset({"material", "visual", "plugin"})
"""Elements about looks and programs, which every robot has: they are told of once, as a remark."""

_MATERIAL: Final = "friction "

ENDLESS: Final = 1e9
"""A coefficient as large as this stands for infinite friction."""


@dataclass(slots=True)
class GazeboTags:
    """What is said of the links of a robot.

    Attributes:
        friction: Coefficients by link.
        sensors: Elements by link.
    """

    values: Values
    friction: dict[str, float] = field(default_factory=dict[str, float])
    sensors: dict[str, list[XmlElement]] = field(default_factory=dict[str, "list[XmlElement]"])

    def devices(self, link: str, shapes: tuple[Shape, ...]) -> tuple[Device, ...]:
        """Return the devices of a link; its shapes that collide are those that feel contacts."""
        touching = tuple(k for k, shape in enumerate(shapes) if shape.role is not ShapeRole.VISUAL)
        made = (
            read_sensor(sensor, self.values, self.values.pose(sensor.first("pose")), touching)
            for sensor in self.sensors.get(link, ())
        )
        return tuple(device for device in made if device is not None)


def read_gazebo(
    robot: XmlElement,
    links: Collection[str],
    moved: Mapping[str, str],
    messages: Messages,
) -> GazeboTags:
    """Return what is said of links.

    Args:
        robot: The outermost element.
        links: Names of all links.
        moved: Of joints, by name, the link that each one moves: what is said of a joint is said of that.
        messages: Takes what is wrong.
    """
    found = GazeboTags(Values(messages))
    about_itself = [e for e in robot.all("gazebo") if "reference" not in e.attributes]
    if about_itself:
        said = "<gazebo> without a reference is about Gazebo itself: it is not read."
        found.values.spot(about_itself[0]).info("unread-element", said)
    for element in robot.all("gazebo"):
        name = element.attributes.get("reference")
        spot = found.values.spot(element, "reference")
        if name is None:
            continue
        link = name if name in links else moved.get(name)
        if link is None:
            guess = messages.guess(name, [*links, *moved])
            said = f'no link and no joint is named "{name}"; what is said of it is left out.{guess}'
            spot.warning("unknown-link", said)  # as Gazebo, which says nothing
            continue
        _read(element, link, found)
    return found


def _read(element: XmlElement, link: str, found: GazeboTags) -> None:
    values = found.values
    given = [_coefficient(element, tag, values) for tag in _FRICTION if element.first(tag)]
    if given:
        found.friction[link] = min(given)
    found.sensors.setdefault(link, []).extend(element.all("sensor"))
    for tag in dict.fromkeys(child.tag for child in element.children):
        if tag not in _READ:
            first = next(element.all(tag))
            guess = "" if tag in _SILENT else values.messages.guess(tag, _READ)
            said = f"<{tag}> in <gazebo> is not read.{guess}"
            values.spot(first).info("unread-element", said)


def _coefficient(element: XmlElement, tag: str, values: Values) -> float:
    first = element.first(tag)
    written = "" if first is None else first.attributes.get("value", "")
    if first is not None and written and not first.text:
        # old files write it as an attribute
        first = replace(first, text=written)
    number = 1.0 if first is None else values.numbers(first, (1.0,))[0]
    if number < 0.0 and first is not None:
        values.spot(first).error(
            "wrong-value", f"friction is not negative, got {number:g}; 1 is used."
        )
        return 1.0
    return math.inf if number >= ENDLESS else number


def material_of(coefficient: float) -> str:
    """Return the name of the contact material with a coefficient."""
    return f"{_MATERIAL}{coefficient!r}"


def coefficient_of(material: str) -> float | None:
    """Return the coefficient of a contact material that `material_of` has named; None for others."""
    return float(material.removeprefix(_MATERIAL)) if material.startswith(_MATERIAL) else None
