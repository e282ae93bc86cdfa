"""What conversion has to keep: where links are at any positions of the joints, masses, limits, motors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np

from solidbody.compiler import compile_scene
from solidbody.model.joints import JointFixed, JointHinge, JointSlider
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


def moved_links(scene: Scene) -> list[str]:
    """Return those of `heavy_links` that can move in their parent: what is fixed to them is part of them."""
    moved = {link.name for link in robot_of(scene).links if not isinstance(link.joint, JointFixed)}
    return [name for name in heavy_links(scene) if name in moved]


def joints_of(scene: Scene) -> dict[str, JointHinge | JointSlider]:
    """Return hinges and sliders by name."""
    return {joint.name: joint for joint in joints_by_link(scene).values()}


def joints_by_link(scene: Scene) -> dict[str, JointHinge | JointSlider]:
    """Return hinges and sliders by the name of the link that they move."""
    return {
        link.name: link.joint
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


def joint_names(scene: Scene) -> dict[str, str]:
    """Return the names of joints in MuJoCo by the links that they move."""
    model = model_of(scene)
    found: dict[str, str] = {}
    for name in joints_by_link(scene):
        first = model.body(name).jntadr[0]
        found[name] = model.joint(first).name if first >= 0 else ""
    return found


@dataclass(frozen=True, slots=True)
class Composite:
    """A link with all that is fixed to it: mass [kg], centre [m] and inertia [kg*m^2] in the world."""

    mass: float
    centre: np.ndarray
    moments: np.ndarray


def composite(model: Any, data: Any, name: str) -> Composite:
    """Return what moves together with a link."""
    own = model.body(name).id
    parts = [k for k in range(model.nbody) if model.body_weldid[k] == model.body_weldid[own]]
    masses = model.body_mass[parts]
    mass = float(masses.sum())
    centre = masses @ data.xipos[parts] / mass
    moments = np.zeros((3, 3))
    for k in parts:
        turn = data.ximat[k].reshape(3, 3)
        arm = data.xipos[k] - centre
        moments += turn @ np.diag(model.body_inertia[k]) @ turn.T
        moments += model.body_mass[k] * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Composite(mass, centre, moments)


@dataclass(frozen=True, slots=True)
class Kept:
    """Greatest differences between a robot and what became of it.

    Attributes:
        links: Names of links that move and are missing.
        place: Of centres of mass at random positions [m].
        mass: Relative, of masses and inertia tensors, each link with all that is fixed to it.
        limits: Of the ends of ranges of joints with motors [rad] or [m]; infinite where one has an end and
            the other none.
        passive: The same of joints without motors.
        motors: Of the greatest efforts, relative; infinite for a motor or a limit that is missing.
        speeds: Of the greatest velocities of motors, relative; infinite where that is missing.
    """

    links: tuple[str, ...]
    place: float
    mass: float
    limits: float
    passive: float
    motors: float
    speeds: float


UNLIMITED = 1e9
"""Greatest effort or velocity that stands for none, in formats where there must be one."""


def compared(before: Scene, after: Scene, *, seed: int = 1) -> Kept:
    """Return what differs."""
    names = moved_links(before)
    have = {link.name for link in robot_of(after).links}
    lost = tuple(name for name in names if name not in have)
    names = [name for name in names if name in have]
    scenes = (before, after)
    models, calls = [model_of(scene) for scene in scenes], [joint_names(scene) for scene in scenes]
    rng = np.random.default_rng(seed)
    joints, others = joints_by_link(before), joints_by_link(after)
    place = mass = 0.0
    for _ in range(4):
        positions = {name: float(rng.uniform(-0.5, 0.5)) for name in joints}
        found: list[list[Composite]] = []
        for model, call in zip(models, calls, strict=True):
            there = {call[name]: at for name, at in positions.items() if name in call}
            data = placed(model, there)
            found.append([composite(model, data, name) for name in names])
        turn = _turn_between(models, calls, positions, names)
        homes = [parts[0].centre for parts in found]
        for one, two in zip(*found, strict=True):
            off = turn @ (one.centre - homes[0]) - (two.centre - homes[1])
            place = max(place, float(np.abs(off).max()))
            mass = max(mass, abs(one.mass / two.mass - 1.0))
            bent = turn @ one.moments @ turn.T - two.moments
            mass = max(mass, float(np.abs(bent).max() / np.abs(two.moments).max()))
    efforts, speeds = _motors(joints, others)
    driven = {name: joint for name, joint in joints.items() if joint.axis.motor is not None}
    passive = {name: joint for name, joint in joints.items() if name not in driven}
    ranges = _limits(driven, others), _limits(passive, others)
    return Kept(lost, place, mass, *ranges, efforts, speeds)


def _turn_between(
    models: list[Any], calls: list[dict[str, str]], positions: dict[str, float], names: list[str]
) -> np.ndarray:
    """Return how the first link is turned from the first model to the second."""
    turns: list[np.ndarray] = []
    for model, call in zip(models, calls, strict=True):
        there = {call[name]: at for name, at in positions.items() if name in call}
        turns.append(placed(model, there).body(names[0]).xmat.reshape(3, 3))
    return turns[1] @ turns[0].T


def _ends(joint: Any) -> tuple[float, float] | None:
    """Return where a joint ends: its stops, else what it or its motor is meant for."""
    axis = joint.axis
    ends = (axis.stops.low, axis.stops.high) if axis.stops is not None else axis.rated_range
    if (ends is None or not np.isfinite(ends).all()) and axis.motor is not None:
        ends = axis.motor.range
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


def _motors(joints: dict[str, Any], others: dict[str, Any]) -> tuple[float, float]:
    efforts = speeds = 0.0
    for name, joint in joints.items():
        motor = joint.axis.motor
        if motor is None:
            continue
        now = others[name].axis.motor if name in others else None
        if now is None:
            return float("inf"), float("inf")
        efforts = max(efforts, _off(motor.max_effort, now.max_effort))
        speeds = max(speeds, _off(motor.max_velocity, now.max_velocity))
    return efforts, speeds


def _off(wanted: float, found: float) -> float:
    is_bounded, is_still = wanted < UNLIMITED, found < UNLIMITED
    if not (is_bounded and is_still):
        return float("inf") if is_bounded or is_still else 0.0
    return abs(found / wanted - 1.0) if wanted else abs(found)
