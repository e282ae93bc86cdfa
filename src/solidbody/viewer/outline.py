"""Lists joints, masses, devices and nodes of a scene for the panels of the page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from solidbody.devices.core.device_binding import BoundDevice, bind_devices
from solidbody.devices.kinds import KIND_OF
from solidbody.model.joints import JointAxis, JointFixed, JointFree, JointSlider, JointTrack
from solidbody.model.links import Link
from solidbody.model.scene import Scene
from solidbody.viewer.protocol_work import (
    WireDevice,
    WireHandle,
    WireJoint,
    WireMass,
    WireNode,
    WireOutline,
)

if TYPE_CHECKING:
    from solidbody.sim import Sim

TURN_LIMIT: Final = math.pi
SLIDE_LIMIT: Final = 1.0
SPEED_LIMIT: Final = 20.0
"""Ends of the sliders of axes without limits of their own [rad], [m], [rad/s or m/s]."""


def encode_outline(
    sim: Sim, *, revision: str, nodes: list[WireNode] | None = None, editable: bool = False
) -> WireOutline:
    """Return what the panels show of a simulation; without `nodes`, links take their place."""
    scene = sim.scene
    links = list(scene.links())
    bound = bind_devices(scene, sim)
    return WireOutline(
        revision=revision,
        editable=editable,
        joints=wire_joints(sim),
        masses=[
            WireMass(index, link.mass.mass, link.mass.center, list(link.mass.inertia))
            for index, link in enumerate(links)
            if link.mass is not None
        ],
        handles=[
            WireHandle(index, link.is_locked, link.translation_step, link.rotation_step)
            for index, link in enumerate(links)
            if link.parent is None
        ],
        devices=[found for item in bound if (found := _device(item)) is not None],
        nodes=link_nodes(scene) if nodes is None else nodes,
        robots=[robot.name for body in scene.bodies for robot in body.robots],
    )


def wire_joints(sim: Sim) -> list[WireJoint]:
    """Return the joint axes of a simulation, in their order."""
    first_link = dict[int, int]()
    for link, row in sim.compiled.binding.axis_of_link.items():
        if not isinstance(sim.link_model(link).joint, JointFixed | JointFree):
            first_link[row] = link
    body_of = [body.name for body in sim.scene.bodies for _ in body.links]
    out: list[WireJoint] = []
    first_of_body = _first_links(sim.scene)
    for row, name in enumerate(sim.joint_names):
        number = sim.compiled.binding.axes[row].axis
        link = first_link.get(row - number)
        slides = link is not None and isinstance(
            sim.link_model(link).joint, JointSlider | JointTrack
        )
        low, high = axis_range(sim.axis_model(row), slides=slides)
        motor = sim.axis_model(row).motor
        out.append(
            WireJoint(
                name=name,
                body="" if link is None else body_of[link],
                link=link,
                parent=None if link is None else _parent(sim, link, first_of_body),
                anchor=(0.0, 0.0, 0.0)
                if link is None
                else getattr(
                    sim.link_model(link).joint, "anchor", sim.link_model(link).pose.position
                ),
                axis=sim.axis_model(row).direction,
                turns=not slides,
                motor=motor is not None,
                endless=axis_limits(sim.axis_model(row)) is None,
                low=low,
                high=high,
                speed=SPEED_LIMIT if motor is None else min(motor.max_velocity, SPEED_LIMIT),
            )
        )
    return out


def _first_links(scene: Scene) -> list[int]:
    """Return for each link the index of the first link of its body."""
    out: list[int] = []
    for body in scene.bodies:
        out += [len(out)] * len(body.links)
    return out


def _parent(sim: Sim, link: int, first_of_body: list[int]) -> int | None:
    parent = sim.link_model(link).parent
    return None if parent is None else first_of_body[link] + parent


def axis_limits(axis: JointAxis) -> tuple[float, float] | None:
    """Return the finite limits of an axis: of its motor, its stops, or those it is meant for."""
    motor = None if axis.motor is None else axis.motor.range
    stops = None if axis.stops is None else (axis.stops.low, axis.stops.high)
    for found in (motor, stops, axis.rated_range):
        if found is not None and all(map(math.isfinite, found)) and found[0] < found[1]:
            return found
    return None


def axis_range(axis: JointAxis, *, slides: bool) -> tuple[float, float]:
    """Return the ends of the slider of an axis; without limits, a range around its position."""
    reach = SLIDE_LIMIT if slides else TURN_LIMIT
    return axis_limits(axis) or (axis.position - reach, axis.position + reach)


def _device(bound: BoundDevice) -> WireDevice | None:
    kind = KIND_OF[type(bound.device)]
    if not kind.is_picture and not kind.parts:
        return None
    return WireDevice(
        index=bound.index,
        name=bound.name,
        kind=kind.model.__name__.removeprefix("Device"),
        owner=bound.robot or bound.body,
        link=bound.link,
        picture=kind.is_picture,
        parts=[part.name for part in kind.parts],
    )


def link_nodes(scene: Scene) -> list[WireNode]:
    """Return the links as a tree, each below its parent, the joint that carries it as its kind."""
    nodes: list[WireNode] = []
    first = 0
    for body in scene.bodies:
        top = None
        if len(body.links) > 1:
            nodes.append(WireNode(body.name, "Body", "", None, None))
            top = len(nodes) - 1
        row_of: list[int] = []
        for number, link in enumerate(body.links):
            row_of.append(len(nodes))
            parent = top if link.parent is None else row_of[link.parent]
            nodes.append(WireNode(link.name, _kind(link), "", parent, first + number))
        first += len(body.links)
    return nodes


def _kind(link: Link) -> str:
    name = type(link.joint).__name__.removeprefix("Joint").lower()
    return "Link" if name in ("free", "fixed") else f"Link on {name}"
