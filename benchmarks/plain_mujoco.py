"""The same bodies under MuJoCo's own contact law: what `mj_step` costs on them."""

from __future__ import annotations

import mujoco
import numpy as np

from benchmarks.accuracy import State
from benchmarks.cases import BenchScene
from solidbody.model.geometry import (
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometryPlane,
    GeometrySphere,
)
from solidbody.model.joints import JointFixed, JointFree, JointHinge, LoopHinge
from solidbody.model.links import Body, Link
from solidbody.model.scene import Scene
from solidbody.model.shapes import Shape

SLIDING_LIMIT = 10.0
"""MuJoCo takes no infinite friction."""

SOFT_START = 5
"""Steps that are not timed after bodies have been put somewhere."""


def build_model(scene: Scene) -> mujoco.MjModel:
    """Return a model with the scene's bodies, joints and motors, implicitfast, own contact law."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.timestep = scene.physics.time_step
    spec.option.gravity = list(scene.physics.gravity)
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.memory = 200 << 20
    for body in scene.bodies:
        placed: list[mujoco.MjsBody] = []
        for link in body.links:
            parent = spec.worldbody if link.parent is None else placed[link.parent]
            placed.append(_add_link(spec, parent, link, scene))
        if not body.collision.self_collision:  # links of one robot ignore each other
            for i, one in enumerate(placed):
                for two in placed[i + 1 :]:
                    spec.add_exclude(bodyname1=one.name, bodyname2=two.name)
        _close_loops(spec, body)
    return spec.compile()


def _close_loops(spec: mujoco.MjSpec, body: Body) -> None:
    """A point held is enough where all axes are parallel."""
    names = {link.path: link.name for link in body.links}
    for loop in body.loops:
        one, two = loop.ends
        if not isinstance(loop, LoopHinge) or one.link is None or two.link is None:
            raise RuntimeError(f"plain MuJoCo gets no {type(loop).__name__} here")
        made = spec.add_equality(
            type=mujoco.mjtEq.mjEQ_CONNECT,
            name1=names[one.link],
            name2=names[two.link],
            objtype=mujoco.mjtObj.mjOBJ_BODY,
        )
        made.data[:3] = one.pose.position


def _add_link(
    spec: mujoco.MjSpec, parent: mujoco.MjsBody, link: Link, scene: Scene
) -> mujoco.MjsBody:
    body = parent.add_body(
        name=link.name, pos=list(link.pose.position), quat=list(link.pose.rotation)
    )
    match link.joint:
        case JointFree():
            body.add_freejoint()
        case JointHinge(name, axis, anchor):
            local = [a - p for a, p in zip(anchor, link.pose.position, strict=True)]
            body.add_joint(
                name=name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=list(axis.direction), pos=local
            )
            if axis.motor is not None:
                limit = axis.motor.max_effort
                actuator = spec.add_actuator(
                    name=name,
                    target=name,
                    trntype=mujoco.mjtTrn.mjTRN_JOINT,
                    forcelimited=True,
                    forcerange=[-limit, limit],
                )
                actuator.set_to_velocity(kv=limit)
        case JointFixed():
            pass
        case _:
            raise ValueError(f"plain MuJoCo has no {type(link.joint).__name__} here")
    if link.mass is not None:
        body.mass = link.mass.mass
        body.ipos = list(link.mass.center)
        body.fullinertia = list(link.mass.inertia)
        body.explicitinertial = True
    for shape in link.shapes:
        _add_geom(body, shape, scene)
    return body


def _add_geom(body: mujoco.MjsBody, shape: Shape, scene: Scene) -> None:
    kind = mujoco.mjtGeom
    match shape.geometry:
        case GeometryBox((x, y, z)):
            form, size = kind.mjGEOM_BOX, [0.5 * x, 0.5 * y, 0.5 * z]
        case GeometrySphere(radius):
            form, size = kind.mjGEOM_SPHERE, [radius, 0.0, 0.0]
        case GeometryCylinder(radius, height):
            form, size = kind.mjGEOM_CYLINDER, [radius, 0.5 * height, 0.0]
        case GeometryCapsule(radius, height):
            form, size = kind.mjGEOM_CAPSULE, [radius, 0.5 * height, 0.0]
        case GeometryPlane():
            form, size = kind.mjGEOM_PLANE, [0.0, 0.0, 1.0]
        case _:
            raise ValueError(f"plain MuJoCo has no {type(shape.geometry).__name__} here")
    friction = scene.contacts.find(shape.contact_material, "default").friction[0]
    body.add_geom(
        type=form,
        size=size,
        pos=list(shape.pose.position),
        quat=list(shape.pose.rotation),
        friction=[min(friction, SLIDING_LIMIT), 0.005, 0.0001],
        mass=0.0,
        priority=int(friction == 0.0),
    )


class MujocoRunner:
    """`mj_step` on one benchmark scene."""

    def __init__(self, bench: BenchScene) -> None:
        self._model = build_model(bench.scene)
        self._data = mujoco.MjData(self._model)
        self._bodies = [self._model.body(link.name).id for link in bench.scene.links()]
        for name, speed in bench.speeds.items():
            self._data.ctrl[self._model.actuator(name).id] = speed

    def settle(self, steps: int) -> None:
        """Advance untimed."""
        self.step(steps)

    def step(self, steps: int) -> None:
        """Advance by `steps` calls of mj_step, in one call from Python."""
        mujoco.mj_step(self._model, self._data, nstep=steps)

    def start_from(self, state: State) -> None:
        """Put free bodies where another engine has them."""
        m, d = self._model, self._data
        for body, pose, speed in zip(self._bodies, state.poses, state.velocities, strict=True):
            joint = m.body_jntadr[body]
            if joint < 0:
                continue
            if m.jnt_type[joint] != mujoco.mjtJoint.mjJNT_FREE:
                raise RuntimeError("takes over free bodies only")
            q, v, local = m.jnt_qposadr[joint], m.jnt_dofadr[joint], np.zeros(3)
            back = np.array([pose[3], *-pose[4:]])
            mujoco.mju_rotVecQuat(local, speed[3:], back)  # its spins are in the body's frame
            d.qpos[q : q + 7] = pose
            d.qvel[v : v + 6] = (*speed[:3], *local)
        # its soft contacts need a moment to carry what rigid ones did
        self.step(SOFT_START)

    def state(self) -> State:
        """Return where all links are."""
        m, d = self._model, self._data
        velocities = np.zeros((len(self._bodies), 6))
        for row, body in zip(velocities, self._bodies, strict=True):
            out = np.zeros(6)
            mujoco.mj_objectVelocity(m, d, mujoco.mjtObj.mjOBJ_XBODY, body, out, 0)
            row[:] = (*out[3:], *out[:3])
        poses = np.hstack([d.xpos[self._bodies], d.xquat[self._bodies]])
        return State(poses, velocities, -float(np.min(d.contact.dist, initial=0.0)))

    def remark(self) -> str:
        """Nothing to say."""
        return ""

    def close(self) -> None:
        """Nothing to free."""
