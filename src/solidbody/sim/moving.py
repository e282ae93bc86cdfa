"""Moves things from outside: sets poses and velocities, adds forces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose, Quat, Vec3, cross
from solidbody.contact.layout import AxisKind
from solidbody.contact.placing import place_kinematic
from solidbody.contact.vectors import rotate, rotate_back
from solidbody.model.joints import JointBall, JointFree
from solidbody.model.links import Motion

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

Floats = NDArray[np.float64]


def _pose(position: Floats, rotation: Floats) -> Pose:
    x, y, z = position.tolist()
    w, i, j, k = rotation.tolist()
    return Pose((x, y, z), (w, i, j, k))


def hold_contacts(sim: Sim, index: int) -> None:
    """Let a link that is about to be moved keep its contacts of now for the next step, as in Webots.

    There contacts are found at the end of a step, before programs move things; they act in the step
    after that, at the places where they were found.
    """
    sim.core.refresh()
    sim.core.step.hold_frames(int(sim.compiled.binding.body[index]))


def set_pose(sim: Sim, index: int, position: Floats, rotation: Floats) -> None:
    """Put a link somewhere; what hangs on it goes along, velocities in the world stay."""
    binding, m, d = sim.compiled.binding, sim.model, sim.data
    link, body = sim.link_model(index), int(binding.body[index])
    origin = position - rotate(rotation, binding.offset_position[index])
    mocap = int(m.body_mocapid[body])
    if mocap >= 0:
        d.mocap_pos[mocap], d.mocap_quat[mocap] = origin, rotation
    elif link.motion is Motion.DYNAMIC and isinstance(link.joint, JointFree):
        velocity = sim.velocity(index)
        q = int(m.jnt_qposadr[m.body_jntadr[body]])
        d.qpos[q : q + 3], d.qpos[q + 3 : q + 7] = origin, rotation
        _set_free_velocity(sim, index, rotation, velocity[:3], velocity[3:])
    else:
        _set_pose_in_parent(sim, body, _pose(origin, rotation))
    sim.core.state_changed(index)


def _set_pose_in_parent(sim: Sim, body: int, wanted: Pose) -> None:
    """Change where a body sits in the one above, at the present position of its joint.

    With the pose at joint position zero T (child to parent) and the motion of the joint X about
    anchor and axis fixed in the parent, the child is at X T. X stays, T becomes X^-1 wanted.
    """
    sim.core.refresh()
    m, d = sim.core.own_model(), sim.data
    above = int(m.body_parentid[body])
    parent = _pose(d.xpos[above], d.xquat[above])
    now = parent.inverse() * _pose(d.xpos[body], d.xquat[body])
    old = _pose(m.body_pos[body], m.body_quat[body])
    new = old * now.inverse() * parent.inverse() * wanted
    for joint in range(int(m.body_jntadr[body]), int(m.body_jntadr[body] + m.body_jntnum[body])):
        back = new.inverse() * old
        m.jnt_pos[joint] = back.point(_vector(m.jnt_pos[joint]))
        m.jnt_axis[joint] = back.direction(_vector(m.jnt_axis[joint]))
    m.body_pos[body], m.body_quat[body] = new.position, _normalized(new.rotation)
    kinematics = sim.compiled.tables.kinematics
    for row, at in zip(kinematics, sim.state.kinematics, strict=False):
        if row["body"] == body:
            # the same for a joint of our own: its motion X = new pose now * (pose at the start)^-1
            start = _pose(at["pos"], at["quat"])
            moved = start * old.inverse() * new
            at["pos"], at["quat"] = moved.position, moved.rotation
    if m.body_jntnum[body]:
        constants = mujoco.MjData(m)
        mujoco.mj_setConst(m, constants)


def _vector(v: Floats) -> Vec3:
    x, y, z = v.tolist()
    return x, y, z


def _normalized(q: Quat) -> Floats:
    out = np.array(q)
    return out / np.linalg.norm(out)


def set_velocity(sim: Sim, index: int, linear: Floats, angular: Floats) -> None:
    """Set the velocity of a link: of a free one exactly, of a jointed one as its joint allows."""
    binding, m, d = sim.compiled.binding, sim.model, sim.data
    link, body = sim.link_model(index), int(binding.body[index])
    if link.motion is Motion.KINEMATIC:
        row = sim.core.mover_row(index)
        row["linear"], row["angular"] = linear, angular
        sim.core.state_changed(index)
        return
    sim.core.refresh()
    if isinstance(link.joint, JointFree):
        _set_free_velocity(sim, index, d.xquat[body], linear, angular)
        sim.core.state_changed(index)
        return
    # against the parent, at the link's origin
    parent = int(binding.parent[index])
    above = sim.velocity(parent) if parent >= 0 else np.zeros(6)
    at = sim.pose(index)[:3]
    start = sim.pose(parent)[:3] if parent >= 0 else np.zeros(3)
    relative = linear - above[:3] - np.cross(above[3:], at - start)
    turning = angular - above[3:]
    dof, count = int(m.body_dofadr[body]), int(m.body_dofnum[body])
    if isinstance(link.joint, JointBall):
        d.qvel[dof : dof + 3] = rotate_back(d.xquat[body], turning)
    elif count:
        jp, jr = np.zeros((3, m.nv)), np.zeros((3, m.nv))
        mujoco.mj_jac(m, d, jp, jr, at, body)
        own = slice(dof, dof + count)
        columns = np.concatenate([jp[:, own], jr[:, own]])
        rates = np.linalg.lstsq(columns, np.concatenate([relative, turning]), rcond=None)[0]
        d.qvel[own] = rates
    sim.core.state_changed(index)


def _set_free_velocity(
    sim: Sim, index: int, rotation: Floats, linear: Floats, angular: Floats
) -> None:
    """Set the velocity of a free link that is turned like this."""
    binding, d = sim.compiled.binding, sim.data
    dof = int(sim.model.body_dofadr[binding.body[index]])
    arm = rotate(rotation, -binding.offset_position[index])
    d.qvel[dof : dof + 3] = linear + cross(_vector(angular), _vector(arm))
    d.qvel[dof + 3 : dof + 6] = rotate_back(rotation, angular)


def below(sim: Sim, index: int) -> list[int]:
    """Return a link and all links below it, parents first."""
    found = {index}
    out = [index]
    for k, parent in enumerate(sim.compiled.binding.parent.tolist()):
        if parent in found:
            found.add(k)
            out.append(k)
    return out


def stop(sim: Sim, index: int) -> None:
    """Take velocities, forces and motor speeds from a link and all links below it."""
    binding, m, d = sim.compiled.binding, sim.model, sim.data
    for k in below(sim, index):
        body = int(binding.body[k])
        dof = int(m.body_dofadr[body])
        if dof >= 0:
            d.qvel[dof : dof + int(m.body_dofnum[body])] = 0.0
        d.xfrc_applied[body] = 0.0
        if sim.link_model(k).motion is Motion.KINEMATIC and sim.core.mover_of(k) is not None:
            row = sim.core.mover_row(k)
            row["linear"], row["angular"] = 0.0, 0.0
    chosen = set(below(sim, index))
    for row, owner in enumerate(sim.axis_links):
        if owner in chosen:
            sim.motor_states[row]["velocity"] = 0.0
    sim.core.state_changed(index)


def mass_of(sim: Sim, index: int) -> float:
    """Return the mass of a link [kg]; ValueError if forces do not move it."""
    mass = sim.link_model(index).mass
    if mass is None or sim.link_model(index).motion is Motion.KINEMATIC:
        name = sim.link_names[index]
        raise ValueError(f'"{name}" has no physics: forces do not move it')
    return mass.mass


def add_force(
    sim: Sim,
    index: int,
    force: Floats,
    at: Floats | None,
    offset: Floats | None,
    *,
    relative: bool,
) -> None:
    """Add a force for the next step."""
    mass_of(sim, index)
    pose = sim.pose(index)
    body, d = int(sim.compiled.binding.body[index]), sim.data
    if relative:
        force = rotate(pose[3:], force)
    if offset is not None:
        at = pose[:3] + rotate(pose[3:], offset)
    d.xfrc_applied[body, :3] += force
    if at is not None:
        d.xfrc_applied[body, 3:] += np.cross(at - d.xipos[body], force)
    sim.forces_changed(index)


def add_torque(sim: Sim, index: int, torque: Floats, *, relative: bool) -> None:
    """Add a torque for the next step."""
    mass_of(sim, index)
    if relative:
        torque = rotate(sim.pose(index)[3:], torque)
    sim.data.xfrc_applied[int(sim.compiled.binding.body[index]), 3:] += torque
    sim.forces_changed(index)


def set_joint_position(sim: Sim, row: int, value: float) -> None:
    """Put an axis somewhere: the links below move along and stop."""
    tables, m, d = sim.compiled.tables, sim.model, sim.data
    axis, owner = tables.axes[row], sim.axis_links[row]
    match axis["kind"]:
        case AxisKind.JOINT:
            d.qpos[axis["qpos"]] = value
        case AxisKind.BALL:
            # turn the child about this axis as it stands
            ball = next(b for b in tables.balls if b["axis"] <= row < b["axis"] + 3)
            _turn_ball(sim, ball, row - int(ball["axis"]), value)
        case AxisKind.LOOP:
            raise ValueError("the position of a joint that closes a loop follows from the others")
        case _:
            sim.motor_states[row]["position"] = value
            place_kinematic(m, d, tables, sim.state, owns_model=sim.core.owns_model)
    if owner >= 0:
        stop(sim, owner)
    sim.core.state_changed(owner)


def _turn_ball(sim: Sim, ball: np.void, part: int, value: float) -> None:
    """Set one Euler angle of a ball joint: q = turns about the three axes from the start."""
    row = int(ball["axis"])
    angles = sim.joint_states()[row : row + 3, 0].copy()
    angles[part] = value
    sim.motor_states["position"][[row, row + 2]] = angles[[0, 2]]
    quat = np.array([1.0, 0.0, 0.0, 0.0])
    for i, axis in enumerate((ball["first"], ball["second"], ball["third"])):
        turn, product = np.zeros(4), np.zeros(4)
        mujoco.mju_axisAngle2Quat(turn, axis.copy(), float(angles[i] - ball["start"][i]))
        mujoco.mju_mulQuat(product, quat, turn)
        quat = product
    q = int(sim.compiled.tables.axes[row]["qpos"])
    sim.data.qpos[q : q + 4] = quat
