"""Geoms of touch sensors: surfaces that sense, but take part in no contact."""

from __future__ import annotations

from solidbody.compiler.bodies import COLLISION_GROUP, LinkPart, SpecBuilder
from solidbody.compiler.collision_filters import NO_BITS
from solidbody.compiler.geoms import Spec, primitive_form
from solidbody.model.devices import Device, DeviceTouchSensor, DeviceVacuumGripper
from solidbody.model.shapes import Shape

_FIRST = -2
"""Where the numbers of devices begin in `Binding.geom_owner`, going down; -1 marks geoms of nobody."""


def probes_of(device: Device) -> tuple[Shape, ...]:
    """Return the surfaces that a device feels with beside those of its link."""
    if isinstance(device, DeviceTouchSensor | DeviceVacuumGripper):
        return device.feelers
    return ()


def device_number(shape_number: int) -> int | None:
    """Return the device in `Link.devices` that feels with a geom, by the geom's second owner number."""
    return _FIRST - shape_number if shape_number <= _FIRST else None


def add_touch_probes(builder: SpecBuilder) -> None:
    """Add the geoms that devices feel with: primitives, or the convex parts of forms of triangles."""
    for link, part in enumerate(builder.parts):
        for number, device in enumerate(part.link.devices):
            for shape in probes_of(device):
                for geom in _geoms(builder, part, shape):
                    geom.group = COLLISION_GROUP
                    builder.geoms.append((shape, geom))
                    builder.owners.append((link, _FIRST - number))


def _geoms(builder: SpecBuilder, part: LinkPart, shape: Shape) -> list[Spec]:
    form, pose = primitive_form(shape.geometry), part.offset * shape.pose
    if form is None:
        return builder.hulls_of(part, shape, NO_BITS)
    return [
        part.body.add_geom(
            type=form[0],
            size=form[1],
            pos=pose.position,
            quat=pose.rotation,
            contype=NO_BITS[0],
            conaffinity=NO_BITS[1],
        )
    ]
