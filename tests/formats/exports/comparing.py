"""What conversion has to keep: where links are at any positions of the joints, masses, limits, motors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np

from solidbody.compiler import compile_scene
from solidbody.model.joints import JointHinge, JointSlider
from solidbody.model.links import Body, Motion
from solidbody.model.scene import Scene


def robot_of(scene: Scene) -> Body:
    """Return the body with the most links."""
    return max(scene.bodies, key=lambda body: len(body.links))


def model_of(scene: Scene) -> Any:
    """Return MuJoCo's model of a scene that has its robot alone."""
    return compile_scene(replace(scene, bodies=(robot_of(scene),))).model


def heavy_links(scene: Scene) -> list[str]:
    """Return the names of links that have a mass and are moved by forces; others refer to the first."""
    return [
        link.name
        for link in robot_of(scene).links
        if link.mass is not None and link.mass.mass and link.motion is Motion.DYNAMIC
    ]


def joints_of(scene: Scene) -> dict[str, JointHinge | JointSlider]:
    """Return hinges and sliders by name."""
    return {
        link.joint.name: link.joint
        for link in robot_of(scene).links
        if isinstance(link.joint, JointHinge | JointSlider)
    }


def placed(model: Any, positions: dict[str, float]) -> Any:
    """Return the state in which joints stand at some positions."""
    data = mujoco.MjData(model)
    for name, position in positions.items():
        joint = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
        if joint >= 0:
            data.qpos[model.jnt_qposadr[joint]] = position
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    return data


def centres(model: Any, positions: dict[str, float], names: list[str]) -> np.ndarray:
    """Return the centres of mass of links, from that of the first and in its axes."""
    data = placed(model, positions)
    home = data.body(names[0])
    turn = home.xmat.reshape(3, 3).T
    return np.array([turn @ (data.body(name).xipos - home.xipos) for name in names])


@dataclass(frozen=True, slots=True)
class Kept:
    """Greatest differences between a robot and what became of it.

    Attributes:
        links: Names of links with a mass that are missing.
        place: Of centres of mass at random positions [m].
        mass: Relative, of masses and principal moments.
        limits: Of the ends of ranges [rad] or [m]; joints without an end on one side alone count as infinite.
        motors: Of the greatest efforts and velocities, relative; a motor that is missing counts as infinite.
    """

    links: tuple[str, ...]
    place: float
    mass: float
    limits: float
    motors: float


def compared(before: Scene, after: Scene, *, seed: int = 1) -> Kept:
    """Return what differs."""
    names = heavy_links(before)
    have = set(heavy_links(after))
    lost = tuple(name for name in names if name not in have)
    names = [name for name in names if name in have]
    one, two = model_of(before), model_of(after)
    rng = np.random.default_rng(seed)
    joints, others = joints_of(before), joints_of(after)
    place = 0.0
    for _ in range(4):
        positions = {name: float(rng.uniform(-0.5, 0.5)) for name in joints}
        off = centres(one, positions, names) - centres(two, positions, names)
        place = max(place, float(np.abs(off).max()))
    mass = 0.0
    for name in names:
        a, b = one.body(name), two.body(name)
        mass = max(mass, abs(float(a.mass[0] / b.mass[0]) - 1.0))
        moments = np.sort(a.inertia), np.sort(b.inertia)
        mass = max(mass, float(np.abs(moments[0] - moments[1]).max() / moments[0].max()))
    return Kept(lost, place, mass, _limits(joints, others), _motors(joints, others))


def _ends(joint: Any) -> tuple[float, float] | None:
    axis = joint.axis
    ends = (axis.stops.low, axis.stops.high) if axis.stops is not None else axis.rated_range
    return ends if ends is not None and np.isfinite(ends).all() else None


def _limits(joints: dict[str, Any], others: dict[str, Any]) -> float:
    most = 0.0
    for name, joint in joints.items():
        if name not in others:
            return float("inf")
        ends, now = _ends(joint), _ends(others[name])
        if (ends is None) != (now is None):
            return float("inf")
        if ends is not None and now is not None:
            most = max(most, abs(ends[0] - now[0]), abs(ends[1] - now[1]))
    return most


def _motors(joints: dict[str, Any], others: dict[str, Any]) -> float:
    most = 0.0
    for name, joint in joints.items():
        motor = joint.axis.motor
        if motor is None:
            continue
        now = others[name].axis.motor if name in others else None
        if now is None:
            return float("inf")
        pairs = ((motor.max_effort, now.max_effort), (motor.max_velocity, now.max_velocity))
        for wanted, found in pairs:
            if np.isfinite(wanted) and np.isfinite(found):
                most = max(most, abs(found / wanted - 1.0) if wanted else abs(found))
    return most
