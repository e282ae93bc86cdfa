"""Muscles and track belts as the page draws them.

Their shapes stand after those of the links in the scene's list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from solidbody.devices.surfaces.belt_path import BeltPath, belt_path
from solidbody.devices.surfaces.muscles import UNCOLORED
from solidbody.model.appearance import Appearance
from solidbody.model.devices import DeviceMuscle, DeviceTrackBelt
from solidbody.model.geometry import GeometrySphere
from solidbody.model.joints import JointTrack
from solidbody.model.links import Link
from solidbody.model.shapes import Shape
from solidbody.render.shapes import textured_shapes
from solidbody.viewer.protocol_scene import WireBelt, WireMuscle


class MuscleShape(NamedTuple):
    """A muscle that is drawn: its link, itself, the row of the link at its end, the ball to stretch."""

    link: int
    device: DeviceMuscle
    end: int
    shape: Shape


def muscle_shapes(links: Sequence[Link]) -> Iterator[MuscleShape]:
    """Yield the muscles that are drawn."""
    row_of = {link.path: row for row, link in enumerate(links)}
    for row, link in enumerate(links):
        for device in link.devices:
            if not isinstance(device, DeviceMuscle) or not device.is_visible:
                continue
            if (end := row_of.get(device.end)) is not None:
                look = Appearance(base_color=(device.colors or (UNCOLORED,))[0], roughness=0.7)
                ball = Shape(
                    GeometrySphere(1.0), appearance=look, casts_shadows=device.casts_shadows
                )
                yield MuscleShape(row, device, end, ball)


def encode_muscles(muscles: Sequence[MuscleShape], first_shape: int) -> list[WireMuscle]:
    """Return how the page stretches muscles whose shapes begin at a number."""
    return [
        WireMuscle(
            first_shape + k,
            item.device.pose.point(item.device.start_offset),
            item.end,
            item.device.end_offset,
            item.device.volume,
        )
        for k, item in enumerate(muscles)
    ]


class Belt(NamedTuple):
    """A belt that can be seen to run: its link, itself, how many elements are drawn along it."""

    link: int
    device: DeviceTrackBelt
    elements: int


def belts_of(links: Sequence[Link]) -> Iterator[Belt]:
    """Yield the belts with elements along them, or with a picture that runs."""
    for row, link in enumerate(links):
        if not isinstance(link.joint, JointTrack):
            continue
        for device in link.devices:
            if isinstance(device, DeviceTrackBelt):
                is_path = device.element is not None and belt_path(device.wheels) is not None
                count = max(device.element_count, 0) if is_path else 0
                if count or any(device.texture_velocity):
                    yield Belt(row, device, count)


def encode_belts(belts: Sequence[Belt], links: Sequence[Link], first_shape: int) -> list[WireBelt]:
    """Return how the page moves belts whose elements begin at a number of the scene's list."""
    first_of_link = list(accumulate((len(link.shapes) for link in links), initial=0))
    out: list[WireBelt] = []
    for link, device, count in belts:
        path = belt_path(device.wheels) if count else None
        numbers = () if path is None else _numbers(path)
        slides = textured_shapes(links[link]) if any(device.texture_velocity) else ()
        out.append(
            WireBelt(
                link,
                device.pose.position,
                device.pose.rotation,
                first_shape,
                count,
                numbers,
                0.0 if path is None else path.length,
                [first_of_link[link] + number for number in slides],
                device.texture_velocity,
            )
        )
        first_shape += count
    return out


def _numbers(path: BeltPath) -> tuple[float, ...]:
    columns = (path.start, path.origin[:, 0], path.origin[:, 1], path.outward, path.radius)
    return tuple(np.stack(columns, axis=1).ravel().tolist())
