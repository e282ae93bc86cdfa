"""The same bodies in PyBullet (`pip install pybullet`), with its own contact law."""

from __future__ import annotations

from typing import Any

from benchmarks.accuracy import State
from benchmarks.cases import BenchScene
from solidbody.base.transforms import Pose, Quat
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometryPlane,
    GeometrySphere,
)
from solidbody.model.joints import JointFixed, JointFree, JointHinge
from solidbody.model.links import Body, Motion
from solidbody.model.scene import Scene, world_poses


def _turned(q: Quat) -> tuple[float, float, float, float]:
    """Bullet's quaternions end with w."""
    return q[1], q[2], q[3], q[0]


class BulletRunner:
    """`stepSimulation` on one benchmark scene."""

    def __init__(self, bench: BenchScene) -> None:
        import pybullet  # type: ignore[import-not-found]

        self._p: Any = pybullet
        if any(body.loops for body in bench.scene.bodies):
            raise RuntimeError("closed loops are not built for PyBullet here")
        self._world = pybullet.connect(pybullet.DIRECT)
        pybullet.setGravity(*bench.scene.physics.gravity, physicsClientId=self._world)
        pybullet.setTimeStep(bench.scene.physics.time_step, physicsClientId=self._world)
        for body in bench.scene.bodies:
            self._add(body, bench.scene, bench.speeds)

    def _shape(self, geometry: Geometry) -> int:
        p, world = self._p, self._world
        match geometry:
            case GeometryBox((x, y, z)):
                half = [0.5 * x, 0.5 * y, 0.5 * z]
                return p.createCollisionShape(p.GEOM_BOX, halfExtents=half, physicsClientId=world)
            case GeometrySphere(radius):
                return p.createCollisionShape(p.GEOM_SPHERE, radius=radius, physicsClientId=world)
            case GeometryCylinder(radius, height) | GeometryCapsule(radius, height):
                is_capsule = isinstance(geometry, GeometryCapsule)
                form = p.GEOM_CAPSULE if is_capsule else p.GEOM_CYLINDER
                return p.createCollisionShape(
                    form, radius=radius, height=height, physicsClientId=world
                )
            case GeometryPlane():
                return p.createCollisionShape(p.GEOM_PLANE, physicsClientId=world)
            case _:
                raise RuntimeError(f"PyBullet gets no {type(geometry).__name__} here")

    def _add(self, body: Body, scene: Scene, speeds: dict[str, float]) -> None:
        """One multibody: the root, then hinges. A root on a hinge hangs on an empty fixed base."""
        p, world = self._p, self._world
        poses = world_poses(body)
        hangs = isinstance(body.links[0].joint, JointHinge)
        members = list(range(len(body.links)) if hangs else range(1, len(body.links)))
        place = {index: number + 1 for number, index in enumerate(members)}
        arrays: dict[str, list[Any]] = {
            key: []
            for key in (
                *("linkMasses", "linkCollisionShapeIndices", "linkVisualShapeIndices"),
                *("linkPositions", "linkOrientations", "linkInertialFramePositions"),
                *("linkInertialFrameOrientations", "linkParentIndices", "linkJointTypes"),
                "linkJointAxis",
            )
        }
        origins: dict[int, Pose] = {}
        for index in members:
            link = body.links[index]
            joint = link.joint
            if not isinstance(joint, JointHinge):
                raise RuntimeError(f"PyBullet gets no {type(joint).__name__} here")
            # Bullet's link frame is at the joint; ours at the centre of the box
            parent = None if link.parent is None else link.parent
            above = Pose() if parent is None else origins.get(parent, poses[parent])
            start = Pose() if parent is None else poses[parent]
            frame = Pose(start.point(joint.anchor), poses[index].rotation)
            origins[index] = frame
            local = above.inverse() * frame
            centre = frame.inverse() * poses[index]
            shape = link.shapes[0]
            arrays["linkMasses"].append(link.mass.mass if link.mass else 0.0)
            arrays["linkCollisionShapeIndices"].append(
                self._placed(shape.geometry, centre * shape.pose)
            )
            arrays["linkVisualShapeIndices"].append(-1)
            arrays["linkPositions"].append(local.position)
            arrays["linkOrientations"].append(_turned(local.rotation))
            arrays["linkInertialFramePositions"].append(centre.position)
            arrays["linkInertialFrameOrientations"].append(_turned(centre.rotation))
            arrays["linkParentIndices"].append(0 if parent is None else place.get(parent, 0))
            arrays["linkJointTypes"].append(p.JOINT_REVOLUTE)
            arrays["linkJointAxis"].append(joint.axis.direction)
        root = body.links[0]
        is_free = isinstance(root.joint, JointFree) and root.motion is Motion.DYNAMIC
        if not (is_free or hangs or isinstance(root.joint, JointFree | JointFixed)):
            raise RuntimeError(f"PyBullet gets no {type(root.joint).__name__} here")
        shape = (
            -1
            if hangs or not root.shapes
            else self._placed(root.shapes[0].geometry, root.shapes[0].pose)
        )
        number = p.createMultiBody(
            baseMass=root.mass.mass if is_free and root.mass else 0.0,
            baseCollisionShapeIndex=shape,
            basePosition=(0.0, 0.0, 0.0) if hangs else poses[0].position,
            baseOrientation=(0.0, 0.0, 0.0, 1.0) if hangs else _turned(poses[0].rotation),
            physicsClientId=world,
            **arrays,
        )
        for index in members:
            joint = body.links[index].joint
            assert isinstance(joint, JointHinge)
            effort = joint.axis.motor.max_effort if joint.axis.motor else 0.0
            p.setJointMotorControl2(
                number,
                place[index] - 1,
                p.VELOCITY_CONTROL,
                targetVelocity=speeds.get(joint.name, 0.0),
                force=effort,
                physicsClientId=world,
            )
        for k in range(-1, len(members)):
            friction = scene.contacts.default.friction[0]
            p.changeDynamics(number, k, lateralFriction=min(friction, 10.0), physicsClientId=world)

    def _placed(self, geometry: Geometry, pose: Pose) -> int:
        """A shape at a place of its link."""
        if pose == Pose():
            return self._shape(geometry)
        p, world = self._p, self._world
        arguments: dict[str, Any] = {
            "collisionFramePosition": pose.position,
            "collisionFrameOrientation": _turned(pose.rotation),
            "physicsClientId": world,
        }
        match geometry:
            case GeometryBox((x, y, z)):
                return p.createCollisionShape(
                    p.GEOM_BOX, halfExtents=[0.5 * x, 0.5 * y, 0.5 * z], **arguments
                )
            case GeometrySphere(radius):
                return p.createCollisionShape(p.GEOM_SPHERE, radius=radius, **arguments)
            case GeometryCylinder(radius, height):
                return p.createCollisionShape(
                    p.GEOM_CYLINDER, radius=radius, height=height, **arguments
                )
            case GeometryCapsule(radius, height):
                return p.createCollisionShape(
                    p.GEOM_CAPSULE, radius=radius, height=height, **arguments
                )
            case _:
                return self._shape(geometry)

    def settle(self, steps: int) -> None:
        """Advance untimed."""
        self.step(steps)

    def step(self, steps: int) -> None:
        """Advance."""
        for _ in range(steps):
            self._p.stepSimulation(physicsClientId=self._world)

    def start_from(self, state: State) -> None:
        """Put free bodies where another engine has them."""
        p, world = self._p, self._world
        for number, pose, speed in zip(
            range(p.getNumBodies(physicsClientId=world)),
            state.poses.tolist(),
            state.velocities.tolist(),
            strict=True,
        ):
            rotation: Quat = (pose[3], pose[4], pose[5], pose[6])
            p.resetBasePositionAndOrientation(
                number, pose[:3], _turned(rotation), physicsClientId=world
            )
            p.resetBaseVelocity(number, speed[:3], speed[3:], physicsClientId=world)

    def state(self) -> None:
        """Not told: its link frames are others."""

    def remark(self) -> str:
        """Return the worst penetration at the end."""
        points = self._p.getContactPoints(physicsClientId=self._world) or ()
        return f"penetration {1000 * max((-point[8] for point in points), default=0.0):.2g} mm"

    def close(self) -> None:
        """End the connection."""
        self._p.disconnect(physicsClientId=self._world)
