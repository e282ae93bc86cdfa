"""Motors as actuators of MuJoCo: position, velocity or motor, with gains, limits and what they start with.

A motor of ours is a velocity source with a limited effort. The nearest thing in MuJoCo is a damper between
the joint and the velocity that it is told, as stiff as the step allows, with `forcerange`:

| motor                                         | actuator                                              |
|-----------------------------------------------|-------------------------------------------------------|
| servo (stiffness k, damping d)                | position, kp = k, kv = d; velocity, kv = d            |
| begins in effort mode                         | motor, ctrlrange = max. effort                        |
| begins in velocity mode, or turns for ever    | velocity, kv = share of inertia/step                  |
| all others                                    | position, the same kv, kp = kv times the P of the PID |

A clamped force must not throw the joint past its target in one step, or it trembles: kv is at most
inertia/step where the force has a limit that errors of twice the greatest velocity reach.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

import mujoco
import numpy as np

from solidbody.compiler.bodies import LinkPart, SpecBuilder
from solidbody.compiler.mjcf_export.losses import Losses
from solidbody.model.devices import DevicePropeller
from solidbody.model.joints import JointAxis, JointBall, JointHinge, JointTrack, joint_axes
from solidbody.model.links import Motion
from solidbody.model.motors import ControlMode, Motor
from solidbody.model.scene import Scene

FREE_GAIN: Final = 10.0
"""Damping of motors without a limit of effort, in inertia/step: a tenth of an error remains after a step."""

RIGID_PULL: Final = 0.1
"""P of a motor that meets positions at once, in 1/step."""

LEAST_EFFORT: Final = 1e-9
"""[N*m] or [N] Of motors without strength: MuJoCo refuses none at all."""

FASTEST: Final = 1e3
"""[rad/s] or [m/s] Stands in for a velocity without limit where one is needed."""


@dataclass(frozen=True, slots=True)
class _Drive:
    """A motor with the joint that it moves, and the inertia that it feels there."""

    motor: Motor
    axis: JointAxis
    joint: Any
    inertia: float
    loaded: float


def add_actuators(
    builder: SpecBuilder, scene: Scene, model: mujoco.MjModel, losses: Losses
) -> list[float]:
    """Add an actuator for each motor; return what they are told at the start.

    Args:
        builder: Has built the joints.
        scene: What they were built from.
        model: The spec as it is so far.
        losses: Takes what has no counterpart.
    """
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    wheels = _wheels_of_roots(builder, model)
    drives: list[_Drive] = []
    for part in builder.parts:
        joint = part.link.joint
        if isinstance(joint, JointBall) and any(axis.motor for axis in joint_axes(joint)):
            losses.lose("axes", joint.name, joint.span, "the motors are left out")
        if isinstance(joint, JointTrack) and joint.axis.motor is not None:
            losses.lose("track", joint.name, joint.span, "it is left out")
        for device in part.link.devices:
            if isinstance(device, DevicePropeller):
                losses.lose("propeller", device.name, device.span, "it is left out")
        if part.link.motion is Motion.KINEMATIC:
            for axis in joint_axes(joint):
                if axis.motor is not None:
                    losses.lose("standing motor", axis.motor.name, axis.motor.span, "left out")
            continue
        for axis, element in part.joints:
            if axis.motor is None:
                continue
            dof = int(model.jnt_dofadr[element.id])
            own = float(full[dof, dof])
            load = wheels.get(element.id, 0.0)
            drives.append(_Drive(axis.motor, axis, element, own, own + load))
    names: set[str] = set()
    controls = [
        _add_actuator(builder.spec, unused(drive.motor.name, names), drive, losses)
        for drive in drives
    ]
    _note_couples(builder.parts, losses)
    return controls


def unused(name: str, taken: set[str]) -> str:
    """Return a name that nobody else has, with a number if need be."""
    number, found = 0, name
    while found in taken:
        number += 1
        found = f"{name}({number})"
    taken.add(found)
    return found


def starting_mode(motor: Motor, axis: JointAxis) -> ControlMode:
    """Return what a motor is commanded by: what turns for ever by velocity, unless its file says else."""
    if motor.mode in (ControlMode.EFFORT, ControlMode.VELOCITY):
        return motor.mode
    if motor.servo is not None and motor.servo.stiffness == 0.0:
        return ControlMode.VELOCITY
    if motor.servo is not None and motor.servo.stiffness:
        return ControlMode.POSITION
    has_end = motor.range is not None or axis.stops is not None or axis.rated_range is not None
    return ControlMode.POSITION if has_end else ControlMode.VELOCITY


def _add_actuator(spec: Any, name: str, drive: _Drive, losses: Losses) -> float:
    """Add the actuator of a motor and return its command at the start."""
    motor, axis = drive.motor, drive.axis
    mode = starting_mode(motor, axis)
    actuator = spec.add_actuator(
        name=name,
        target=drive.joint.name,
        trntype=mujoco.mjtTrn.mjTRN_JOINT,
        gaintype=mujoco.mjtGain.mjGAIN_FIXED,
    )
    if math.isfinite(motor.max_effort):
        actuator.forcelimited = mujoco.mjtLimited.mjLIMITED_TRUE
        most = max(motor.max_effort, LEAST_EFFORT)
        actuator.forcerange = (-most, most)
    if motor.acceleration is not None:
        losses.lose("acceleration", motor.name, motor.span)
    asked = motor.target if motor.mode is mode else None
    if mode is ControlMode.EFFORT:
        _set_gains(actuator, 1.0, 0.0, 0.0)
        _limit(actuator, -motor.max_effort, motor.max_effort)
        return asked or 0.0
    stiffness, damping = _gains(drive, float(spec.option.timestep))
    if mode is ControlMode.VELOCITY:
        _set_gains(actuator, damping, 0.0, damping)
        _limit(actuator, -motor.max_velocity, motor.max_velocity)
        return asked or 0.0
    _set_gains(actuator, stiffness, stiffness, damping)
    if motor.servo is None and math.isfinite(motor.max_velocity):
        losses.lose("max velocity", motor.name, motor.span)
    ends = motor.range or (None if axis.stops is None else (axis.stops.low, axis.stops.high))
    if ends is not None:
        _limit(actuator, *ends)
    return axis.position if asked is None else asked


def _gains(drive: _Drive, step: float) -> tuple[float, float]:
    """Return kp and kv."""
    motor = drive.motor
    if motor.servo is not None:
        return motor.servo.stiffness, motor.servo.damping
    damping = FREE_GAIN * drive.loaded / step
    if math.isfinite(motor.max_effort):
        reach = 2.0 * min(motor.max_velocity, FASTEST)
        damping = min(damping, max(drive.inertia / step, motor.max_effort / max(reach, 1e-9)))
    pull = RIGID_PULL / step if motor.rigid else min(motor.pid.p, RIGID_PULL / step)
    return pull * damping, damping


def _set_gains(actuator: Any, gain: float, stiffness: float, damping: float) -> None:
    actuator.gainprm[0] = gain
    if stiffness or damping:
        actuator.biastype = mujoco.mjtBias.mjBIAS_AFFINE
        actuator.biasprm[1] = -stiffness
        actuator.biasprm[2] = -damping


def _limit(actuator: Any, low: float, high: float) -> None:
    if math.isfinite(high - low) and low < high:
        actuator.ctrllimited = mujoco.mjtLimited.mjLIMITED_TRUE
        actuator.ctrlrange = (low, high)


def _wheels_of_roots(builder: SpecBuilder, model: mujoco.MjModel) -> dict[int, float]:
    """Return the inertia of what endless joints of floating trees carry along when they roll, by joint."""
    found: dict[int, tuple[int, float]] = {}
    for part in builder.parts:
        joint = part.link.joint
        if not isinstance(joint, JointHinge) or not part.joints:
            continue
        if joint.axis.stops is not None or joint.axis.motor is None:
            continue
        body, element = part.body.id, part.joints[0][1].id
        root = int(model.body_rootid[body])
        top = int(model.body_jntadr[root])
        if top < 0 or int(model.jnt_type[top]) != mujoco.mjtJoint.mjJNT_FREE:
            continue
        found[element] = root, _radius(model, body, element)
    counts = Counter(root for root, _ in found.values())
    return {
        joint: float(model.body_subtreemass[root]) * radius**2 / counts[root]
        for joint, (root, radius) in found.items()
    }


def _radius(model: mujoco.MjModel, body: int, joint: int) -> float:
    """Return how far the geoms of a body that collide reach from its axis."""
    axis, anchor = model.jnt_axis[joint], model.jnt_pos[joint]
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    most = 0.0
    for geom in range(first, first + count):
        if not model.geom_contype[geom]:
            continue
        way = model.geom_pos[geom] - anchor
        aside = float(np.linalg.norm(way - axis * float(way @ axis)))
        is_round = model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_CYLINDER
        own = model.geom_size[geom][0] if is_round else model.geom_rbound[geom]
        most = max(most, aside + float(own))
    return most


def _note_couples(parts: list[LinkPart], losses: Losses) -> None:
    """Note motors that one command moves together: here each has a command of its own."""
    motors = [axis.motor for part in parts for axis, _ in part.joints if axis.motor is not None]
    counts = Counter(motor.name.partition("::")[0] for motor in motors if "::" in motor.name)
    for motor in motors:
        stem = motor.name.partition("::")[0]
        if counts.get(stem, 0) > 1:
            how = "each has a command of its own, without multiplier"
            losses.lose("coupled", motor.name, motor.span, how)
