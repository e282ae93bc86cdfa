"""Small scenes in a few words: bodies, floors and joints of the common model.

Every builder returns model objects, so one description serves the native step, the reference step,
ODE (`tests.ode.harness`) and the benchmarks.
"""

from __future__ import annotations

import math

from solidbody.base.transforms import (
    IDENTITY,
    WORLD,
    ZERO,
    Pose,
    Quat,
    Vec3,
    quat_from_axis_angle,
    subtract,
)
from solidbody.model.contacts import ContactProperties, ContactTable
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometryPlane,
    GeometrySphere,
)
from solidbody.model.joints import (
    JointAxis,
    JointFixed,
    JointHinge,
    JointSlider,
    Stops,
)
from solidbody.model.links import Body, CollisionRules, Damping, Link, Motion
from solidbody.model.mass import MassProperties
from solidbody.model.motors import ControlMode, Motor
from solidbody.model.scene import CapRule, GyroRule, Physics, RollingRule, RotationRule, Scene
from solidbody.model.shapes import Axis, FrictionAxes, Shape, ShapeRole

GRAVITY = 9.81
DEFAULT_SURFACE = ContactProperties()
NO_DAMPING = Damping()


def solid_mass(geometry: Geometry, mass: float) -> MassProperties:
    """Return the mass properties of a homogeneous solid of the given total mass."""
    match geometry:
        case GeometryBox((x, y, z)):
            k = mass / 12.0
            tensor = (k * (y * y + z * z), k * (x * x + z * z), k * (x * x + y * y))
        case GeometrySphere(radius):
            k = 0.4 * mass * radius**2
            tensor = (k, k, k)
        case GeometryCylinder(radius, height):
            across = mass * (0.25 * radius**2 + height**2 / 12.0)
            tensor = (across, across, 0.5 * mass * radius**2)
        case GeometryCapsule(radius, height):
            tube = radius * radius * height
            caps = 4.0 / 3.0 * radius**3
            m1, m2 = mass * tube / (tube + caps), mass * caps / (tube + caps)
            across = m1 * (0.25 * radius**2 + height**2 / 12.0) + m2 * (
                0.4 * radius**2 + 0.375 * radius * height + 0.25 * height**2
            )
            tensor = (across, across, (0.5 * m1 + 0.4 * m2) * radius**2)
        case _:
            raise ValueError(f"{type(geometry).__name__} has no mass here")
    return MassProperties(mass, ZERO, (*tensor, 0.0, 0.0, 0.0))


def collider(geometry: Geometry, *, material: str = "default", pose: Pose = WORLD) -> Shape:
    """Return a colliding shape with the friction axes of Webots since R2022a."""
    axes: FrictionAxes | None = None
    match geometry:
        case GeometryBox() | GeometryCylinder():
            axes = FrictionAxes(cap=Axis.Z, on_cap=Axis.X, on_side=Axis.Z)
        case GeometryPlane():
            axes = FrictionAxes(cap=Axis.Z, on_cap=Axis.X, on_side=Axis.X)
        case _:
            pass
    return Shape(
        geometry,
        pose=pose,
        role=ShapeRole.BOTH,
        contact_material=material,
        friction_axes=axes,
    )


def turned(axis: Vec3, angle: float) -> Quat:
    """Return the rotation by `angle` [rad] about `axis`."""
    return quat_from_axis_angle(axis, angle)


def free_link(
    name: str,
    geometry: Geometry,
    *,
    mass: float = 1.0,
    at: Vec3 = ZERO,
    rotation: Quat = IDENTITY,
    velocity: Vec3 = ZERO,
    spin: Vec3 = ZERO,
    material: str = "default",
    damping: Damping | None = None,
) -> Link:
    """Return a floating link with one solid shape centred at its origin."""
    return Link(
        name,
        name,
        pose=Pose(at, rotation),
        mass=solid_mass(geometry, mass),
        shapes=(collider(geometry, material=material),),
        linear_velocity=velocity,
        angular_velocity=spin,
        damping=damping,
    )


def free_body(
    name: str,
    geometry: Geometry,
    *,
    mass: float = 1.0,
    at: Vec3 = ZERO,
    rotation: Quat = IDENTITY,
    velocity: Vec3 = ZERO,
    spin: Vec3 = ZERO,
    material: str = "default",
    damping: Damping | None = None,
) -> Body:
    """Return a body of one floating link, see `free_link`."""
    link = free_link(
        name,
        geometry,
        mass=mass,
        at=at,
        rotation=rotation,
        velocity=velocity,
        spin=spin,
        material=material,
        damping=damping,
    )
    return Body(name, (link,))


def static_body(
    name: str,
    geometry: Geometry,
    *,
    at: Vec3 = ZERO,
    rotation: Quat = IDENTITY,
    material: str = "default",
) -> Body:
    """Return a body fixed in the world."""
    link = Link(
        name,
        name,
        pose=Pose(at, rotation),
        joint=JointFixed(),
        motion=Motion.KINEMATIC,
        shapes=(collider(geometry, material=material),),
    )
    return Body(name, (link,))


def floor(*, material: str = "default", rotation: Quat = IDENTITY) -> Body:
    """Return an unbounded plane through the origin, normal +z turned by `rotation`."""
    return static_body("floor", GeometryPlane((20.0, 20.0)), rotation=rotation, material=material)


def velocity_motor(name: str, max_effort: float, *, max_velocity: float = 100.0) -> Motor:
    """Return a motor in velocity control."""
    return Motor(name, max_velocity=max_velocity, max_effort=max_effort, mode=ControlMode.VELOCITY)


def jointed_link(
    name: str,
    geometry: Geometry,
    joint: JointHinge | JointSlider,
    *,
    parent: int | None,
    parent_at: Vec3 = ZERO,
    at: Vec3,
    mass: float = 1.0,
    material: str = "default",
    shape_rotation: Quat = IDENTITY,
) -> Link:
    """Return a link on a joint; `at` is in the world, all link frames are parallel to it."""
    solid = solid_mass(geometry, mass).placed(Pose(ZERO, shape_rotation))
    return Link(
        name,
        name,
        pose=Pose(subtract(at, parent_at)),
        parent=parent,
        joint=joint,
        mass=solid,
        shapes=(collider(geometry, material=material, pose=Pose(ZERO, shape_rotation)),),
    )


def hinge(
    name: str,
    axis: Vec3,
    anchor: Vec3,
    *,
    motor: Motor | None = None,
    stops: Stops | None = None,
    spring: float = 0.0,
    damping: float = 0.0,
    static_friction: float = 0.0,
) -> JointHinge:
    """Return a hinge; `axis` and `anchor` are in the parent link's frame."""
    return JointHinge(
        name,
        JointAxis(
            axis,
            motor=motor,
            stops=stops,
            spring=spring,
            damping=damping,
            static_friction=static_friction,
        ),
        anchor=anchor,
    )


def slider(
    name: str,
    axis: Vec3,
    *,
    motor: Motor | None = None,
    stops: Stops | None = None,
    spring: float = 0.0,
    damping: float = 0.0,
    static_friction: float = 0.0,
) -> JointSlider:
    """Return a slider; `axis` is in the parent link's frame."""
    return JointSlider(
        name,
        JointAxis(
            axis,
            motor=motor,
            stops=stops,
            spring=spring,
            damping=damping,
            static_friction=static_friction,
        ),
    )


def robot(name: str, *links: Link) -> Body:
    """Return a tree of links that do not collide among themselves."""
    return Body(name, links, collision=CollisionRules(self_collision=False))


def scene(
    *bodies: Body,
    surface: ContactProperties = DEFAULT_SURFACE,
    surfaces: tuple[ContactProperties, ...] = (),
    step: float = 0.008,
    gravity: Vec3 = (0.0, 0.0, -GRAVITY),
    erp: float = 0.2,
    cfm: float = 1e-5,
    damping: Damping = NO_DAMPING,
    rolling: RollingRule = RollingRule.SECOND_SAME,
    rotation: RotationRule = RotationRule.ODE,
) -> Scene:
    """Return a scene that ODE can be compared with.

    Args:
        bodies: What is in it.
        surface: Contact properties where no entry of `surfaces` matches.
        surfaces: Contact table.
        step: [s].
        gravity: [m/s^2].
        erp: World ERP.
        cfm: World CFM.
        damping: Of links without their own.
        rolling: Rule for mu2 under axis-dependent rolling friction.
        rotation: How orientation advances; with ODE's rule, cap depths are ODE's too.
    """
    return Scene(
        "test",
        "<test>",
        physics=Physics(
            time_step=step,
            gravity=gravity,
            erp=erp,
            cfm=cfm,
            damping=damping,
            rolling=rolling,
            rotation=rotation,
            caps=CapRule.ODE if rotation is RotationRule.ODE else CapRule.OWN_DEPTH,
            gyro=GyroRule.EXPLICIT,
        ),
        bodies=bodies,
        contacts=ContactTable(surfaces, surface),
    )


def tilted_gravity(angle: float, g: float = GRAVITY) -> Vec3:
    """Return gravity on a slope of `angle` [rad]: the floor stays level, +x points downhill."""
    return (g * math.sin(angle), 0.0, -g * math.cos(angle))
