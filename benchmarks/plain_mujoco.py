"""The same bodies under MuJoCo's own contact law: what `mj_step` costs on them."""

from __future__ import annotations

import mujoco

from benchmarks.scenes import BenchScene
from solidbody.model.geometry import (
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometryPlane,
    GeometrySphere,
)
from solidbody.model.joints import JointFixed, JointFree, JointHinge
from solidbody.model.links import Link
from solidbody.model.scene import Scene
from solidbody.model.shapes import Shape

SLIDING_LIMIT = 10.0
"""MuJoCo takes no infinite friction."""


def build_model(scene: Scene) -> mujoco.MjModel:
    """Return a model with the scene's bodies, joints and motors, implicitfast, own contact law."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.timestep = scene.physics.time_step
    spec.option.gravity = list(scene.physics.gravity)
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.memory = 200 << 20
    if any(body.loops for body in scene.bodies):
        raise RuntimeError("closed loops are not built for plain MuJoCo here")
    for body in scene.bodies:
        placed: list[mujoco.MjsBody] = []
        for link in body.links:
            parent = spec.worldbody if link.parent is None else placed[link.parent]
            placed.append(_add_link(spec, parent, link, scene))
        if not body.collision.self_collision:  # links of one robot ignore each other
            for i, one in enumerate(placed):
                for two in placed[i + 1 :]:
                    spec.add_exclude(bodyname1=one.name, bodyname2=two.name)
    return spec.compile()


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
        for name, speed in bench.speeds.items():
            self._data.ctrl[self._model.actuator(name).id] = speed

    def settle(self, steps: int) -> None:
        """Advance untimed."""
        self.step(steps)

    def step(self, steps: int) -> None:
        """Advance by `steps` calls of mj_step, in one call from Python."""
        mujoco.mj_step(self._model, self._data, nstep=steps)

    def remark(self) -> str:
        """Return the worst penetration at the end."""
        depth = -min((contact.dist for contact in self._data.contact), default=0.0)
        return f"penetration {1000 * max(depth, 0.0):.2f} mm"

    def close(self) -> None:
        """Nothing to free."""
