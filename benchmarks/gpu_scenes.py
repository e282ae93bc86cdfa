"""Robots that are timed on a graphics card: the humanoid of mujoco_warp's benchmark, one on four legs."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

from solidbody.base.transforms import Vec3
from solidbody.formats.loading import load
from solidbody.model.contacts import ContactTable
from solidbody.model.geometry import GeometryBox, GeometryCapsule
from solidbody.model.joints import JointHinge
from solidbody.model.links import Link
from solidbody.model.motors import ControlMode, Pid
from solidbody.model.scene import Physics, Scene
from tests.physics import building as b


def humanoid_file() -> Path | None:
    """Return mujoco_warp's own humanoid, None without mujoco_warp."""
    found = importlib.util.find_spec("mujoco_warp")
    if found is None or not found.submodule_search_locations:
        return None
    path = Path(found.submodule_search_locations[0]) / "test_data" / "humanoid" / "humanoid.xml"
    return path if path.exists() else None


def humanoid_of_mujoco_warp(path: Path, *, strength: float = 1.0) -> Scene:
    """Return the humanoid under Webots' law and defaults, with position motors.

    Args:
        path: Of its MJCF file.
        strength: Share of the motors' efforts; 0.05 lets it fall limp.
    """
    scene = load(path)

    def driven(link: Link) -> Link:
        joint = link.joint
        if not isinstance(joint, JointHinge) or joint.axis.motor is None:
            return link
        motor = replace(
            joint.axis.motor,
            mode=ControlMode.POSITION,
            pid=Pid(10.0),
            max_velocity=10.0,
            max_effort=strength * joint.axis.motor.max_effort,
            servo=None,
        )
        return replace(link, joint=replace(joint, axis=replace(joint.axis, motor=motor)))

    bodies = tuple(
        replace(body, links=tuple(driven(link) for link in body.links)) for body in scene.bodies
    )
    return replace(scene, bodies=bodies, physics=Physics(time_step=0.005), contacts=ContactTable())


def quadruped(step: float = 0.005) -> tuple[Scene, dict[str, float]]:
    """Return a robot with three joints on each of four legs (18 dofs), and speeds of its motors."""
    at: Vec3 = (0.0, 0.0, 0.5)
    links = [b.free_link("trunk", GeometryBox((0.5, 0.2, 0.12)), mass=8.0, at=at)]
    speeds: dict[str, float] = {}
    x, y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    for number, (fore, side) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
        name = f"{'front' if fore > 0 else 'hind'} {'left' if side > 0 else 'right'}"
        hip: Vec3 = (0.2 * fore, 0.13 * side, 0.5)
        parts = (
            ("hip", x, hip, (hip[0], hip[1] + 0.02 * side, 0.5), GeometryBox((0.08, 0.05, 0.08))),
            (
                "thigh",
                y,
                (hip[0], hip[1] + 0.05 * side, 0.5),
                (hip[0], hip[1] + 0.05 * side, 0.4),
                None,
            ),
            (
                "knee",
                y,
                (hip[0], hip[1] + 0.05 * side, 0.28),
                (hip[0], hip[1] + 0.05 * side, 0.15),
                None,
            ),
        )
        parent, parent_at = 0, at
        for part, axis, anchor, place, form in parts:
            offset = (anchor[0] - parent_at[0], anchor[1] - parent_at[1], anchor[2] - parent_at[2])
            motor = b.velocity_motor(f"{name} {part}", 30.0, max_velocity=20.0)
            links.append(
                b.jointed_link(
                    f"{name} {part} link",
                    form or GeometryCapsule(0.02, 0.2),
                    b.hinge(f"{name} {part}", axis, offset, motor=motor),
                    parent=parent,
                    parent_at=parent_at,
                    at=place,
                    mass=0.4,
                )
            )
            speeds[f"{name} {part}"] = 0.3 * (1 if number in (0, 3) else -1)
            parent, parent_at = len(links) - 1, place
    return b.scene(b.floor(), b.robot("quadruped", *links), step=step), speeds
