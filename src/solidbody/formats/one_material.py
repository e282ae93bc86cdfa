"""Splits links so that each has one contact material, for formats that allow only one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from solidbody.base.transforms import WORLD
from solidbody.formats.webots.lower.names import UniqueNames
from solidbody.model.devices import (
    Device,
    DeviceCharger,
    DeviceDisplay,
    DeviceLed,
    DeviceTouchSensor,
    DeviceVacuumGripper,
)
from solidbody.model.joints import JointFixed
from solidbody.model.links import Body, Link
from solidbody.model.shapes import Shape, ShapeRole


def with_one_material(body: Body) -> Body:
    """Return the body with a fixed link for each further contact material of a link.

    The mass is shared evenly, each share about the same centre: together they are what the link was.
    New links come last, so that indices of the others stay.
    """
    names = UniqueNames()
    for link in body.links:
        names.take(link.name)
    links = list(body.links)
    disabled = list(body.collision.disabled_links)
    for index, link in enumerate(body.links):
        materials = contact_materials(link)
        if len(materials) < 2:
            continue
        share = None if link.mass is None else link.mass.scaled(1.0 / len(materials))
        kept = [k for k, item in enumerate(link.shapes) if not _collides_with(item, materials[1:])]
        numbers = {old: new for new, old in enumerate(kept)}
        links[index] = replace(
            link,
            mass=share,
            shapes=tuple(link.shapes[k] for k in kept),
            devices=tuple(_renumbered(device, numbers) for device in link.devices),
        )
        for material in materials[1:]:
            path = f"{link.path} {material}"
            links.append(
                Link(
                    names.take(f"{link.name} {material}"),
                    path,
                    WORLD,
                    index,
                    JointFixed(),
                    motion=link.motion,
                    mass=share,
                    shapes=tuple(item for item in link.shapes if _collides_with(item, [material])),
                    damping=link.damping,
                    span=link.span,
                )
            )
            if link.path in disabled:
                disabled.append(path)
    if len(links) == len(body.links):
        return body
    rules = replace(body.collision, disabled_links=tuple(disabled))
    return replace(body, links=tuple(links), collision=rules)


def _renumbered(device: Device, numbers: Mapping[int, int]) -> Device:
    """Return the device with the new indices of the shapes that it speaks of; others are forgotten."""
    match device:
        case DeviceLed() | DeviceTouchSensor() | DeviceVacuumGripper() | DeviceCharger():
            return replace(device, shapes=tuple(numbers[k] for k in device.shapes if k in numbers))
        case DeviceDisplay() if device.shape is not None:
            return replace(device, shape=numbers.get(device.shape))
        case _:
            return device


def contact_materials(link: Link) -> list[str]:
    """Return the contact materials of what collides, in order."""
    return list(
        dict.fromkeys(
            shape.contact_material for shape in link.shapes if shape.role is not ShapeRole.VISUAL
        )
    )


def _collides_with(shape: Shape, materials: list[str]) -> bool:
    return shape.role is not ShapeRole.VISUAL and shape.contact_material in materials
