"""What may differ from copy to copy of a batch: names, items, bounds, and what it is in a scene.

A row of VARIABLES says how one number of a scene is read and changed; that is also what a copy is compiled
from when somebody takes it in hand as a simulation. `variations.py` writes the same into arrays of copies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import NameLookupError
from solidbody.compiler.bodies import LEAST_MASS, is_real_inertia
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.model import devices as d
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import GeometryBox, GeometryCapsule, GeometryCylinder, GeometrySphere
from solidbody.model.joints import JointAxis, joint_axes
from solidbody.model.links import Link, Motion
from solidbody.model.mass import MassProperties
from solidbody.model.motors import Pid, PositionSensor, Servo
from solidbody.model.scene import Scene
from solidbody.model.shapes import Shape, ShapeRole
from solidbody.sim.batch.channels import BatchChannel, ItemKind, device_names, listing

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

Floats = NDArray[np.float64]
Value = tuple[float, ...]
"""Numbers of one item."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A row of the table.

    Attributes:
        name: Such as "link.mass".
        kind: What the items are.
        each: Shape of the numbers of one item; () = one number.
        unit: SI.
        doc: What the numbers are.
        allowed: What values are allowed, in words.
        is_allowed: (..., numbers) -> (...) whether they are.
        read: The numbers of an item in a scene; None = it has none of this kind.
        edit: The scene with other numbers of an item.
    """

    name: str
    kind: ItemKind
    each: tuple[int, ...]
    unit: str
    doc: str
    allowed: str
    is_allowed: Callable[[Floats], NDArray[np.bool_]]
    read: Callable[[Scene, VariedItem], Value | None]
    edit: Callable[[Scene, VariedItem, Value], Scene]


@dataclass(frozen=True, slots=True)
class VariedItem:
    """Where the numbers of an item are in a scene.

    Attributes:
        row: Of the surface, axis, link or device; of a shape the geom of MuJoCo.
        link: Row of the link; -1: none.
        number: Of the axis of its joint, the shape or the device.
    """

    row: int
    link: int = -1
    number: int = -1


# ------------------------------------------------------------------ parts of scenes


def _at(scene: Scene, row: int) -> tuple[int, int]:
    """Return the numbers of a body, and of a link in it."""
    for body, found in enumerate(scene.bodies):
        if row < len(found.links):
            return body, row
        row -= len(found.links)
    raise IndexError(row)


def link_of(scene: Scene, row: int) -> Link:
    """Return a link by its row."""
    body, link = _at(scene, row)
    return scene.bodies[body].links[link]


def _with_link(scene: Scene, row: int, link: Link) -> Scene:
    body, number = _at(scene, row)
    old = scene.bodies[body]
    links = (*old.links[:number], link, *old.links[number + 1 :])
    bodies = (*scene.bodies[:body], replace(old, links=links), *scene.bodies[body + 1 :])
    return replace(scene, bodies=bodies)


def _axis_of(scene: Scene, item: VariedItem) -> JointAxis:
    return joint_axes(link_of(scene, item.link).joint)[item.number]


def _with_axis(scene: Scene, item: VariedItem, axis: JointAxis) -> Scene:
    link = link_of(scene, item.link)
    several = len(joint_axes(link.joint)) > 1
    name = f"axis{item.number + 1}" if several else "axis"
    joint: Any = replace(link.joint, **{name: axis})
    return _with_link(scene, item.link, replace(link, joint=joint))


def _surface(scene: Scene, item: VariedItem) -> ContactProperties:
    return scene.contacts.entries[item.row - 1] if item.row else scene.contacts.default


def _with_surface(scene: Scene, item: VariedItem, surface: ContactProperties) -> Scene:
    if not item.row:
        return replace(scene, contacts=replace(scene.contacts, default=surface))
    entries = list(scene.contacts.entries)
    entries[item.row - 1] = surface
    return replace(scene, contacts=replace(scene.contacts, entries=tuple(entries)))


def _finite(values: Floats) -> NDArray[np.bool_]:
    return np.asarray(np.isfinite(values).all(axis=-1))


def _not_negative(values: Floats) -> NDArray[np.bool_]:
    return np.asarray(((values >= 0.0) & np.isfinite(values)).all(axis=-1))


def _positive(values: Floats) -> NDArray[np.bool_]:
    return np.asarray(((values > 0.0) & np.isfinite(values)).all(axis=-1))


def _infinite_too(values: Floats) -> NDArray[np.bool_]:
    return np.asarray((values >= 0.0).all(axis=-1))


def _share(values: Floats) -> NDArray[np.bool_]:
    return np.asarray(((values >= 0.0) & (values <= 1.0)).all(axis=-1))


def _ascending(values: Floats) -> NDArray[np.bool_]:
    return values[..., 0] <= values[..., 1]


def _real_inertia(values: Floats) -> NDArray[np.bool_]:
    out = _finite(values)
    for place in np.argwhere(out):
        tensor = tuple(values[tuple(place)].tolist())
        out[tuple(place)] = is_real_inertia(MassProperties(1.0, inertia=tensor))
    return out


# ------------------------------------------------------------------ rows by kind


def _contact(
    name: str, field: str, each: tuple[int, ...], unit: str, doc: str, rule: _Rule
) -> Variable:
    def read(scene: Scene, item: VariedItem) -> Value | None:
        value = getattr(_surface(scene, item), field)
        return value if each else (value,)

    def edit(scene: Scene, item: VariedItem, value: Value) -> Scene:
        changed: Any = {field: value if each else value[0]}
        return _with_surface(scene, item, replace(_surface(scene, item), **changed))

    return Variable(name, ItemKind.CONTACT, each, unit, doc, *rule, read, edit)


def _joint(
    name: str, doc: str, unit: str, rule: _Rule, field: str, *, of_motor: bool, width: int = 1
) -> Variable:
    """A number of an axis or of its motor; some are objects of several numbers."""
    make: Mapping[str, Callable[..., Any]] = {"pid": Pid, "servo": Servo}

    def read(scene: Scene, item: VariedItem) -> Value | None:
        axis = _axis_of(scene, item)
        holder = axis.motor if of_motor else axis
        if holder is None:
            return None
        value = getattr(holder, field)
        if field == "pid":
            return value.p, value.i, value.d
        if field == "servo":
            return None if value is None else (value.stiffness, value.damping)
        if field == "range":
            return value or (-math.inf, math.inf)
        return (math.inf if value is None else value,)

    def edit(scene: Scene, item: VariedItem, value: Value) -> Scene:
        axis = _axis_of(scene, item)
        new: Any = value[0]
        if field in make:
            new = make[field](*value)
        elif field == "range":
            new = None if math.isinf(value[0]) and math.isinf(value[1]) else value
        elif field == "acceleration" and math.isinf(value[0]):
            new = None
        changed: Any = {field: new}
        if not of_motor:
            return _with_axis(scene, item, replace(axis, **changed))
        assert axis.motor is not None
        return _with_axis(scene, item, replace(axis, motor=replace(axis.motor, **changed)))

    each = () if width == 1 else (width,)
    return Variable(name, ItemKind.AXIS, each, unit, doc, *rule, read, edit)


def _friction(scene: Scene, item: VariedItem) -> Value | None:
    return (_surface(scene, item).friction[0],)


def _with_friction(scene: Scene, item: VariedItem, value: Value) -> Scene:
    old = _surface(scene, item)
    return _with_surface(scene, item, replace(old, friction=value * len(old.friction)))


def _mass(scene: Scene, item: VariedItem) -> MassProperties | None:
    """Return that of a link which physics moves."""
    link = link_of(scene, item.link)
    if link.motion is not Motion.DYNAMIC or link.mass is None or link.mass.mass < LEAST_MASS:
        return None
    return link.mass if is_real_inertia(link.mass) else None


def _of_mass(
    read: Callable[[MassProperties], Value],
    change: Callable[[MassProperties, Value], MassProperties],
) -> tuple[
    Callable[[Scene, VariedItem], Value | None], Callable[[Scene, VariedItem, Value], Scene]
]:
    def reads(scene: Scene, item: VariedItem) -> Value | None:
        mass = _mass(scene, item)
        return None if mass is None else read(mass)

    def edits(scene: Scene, item: VariedItem, value: Value) -> Scene:
        link = link_of(scene, item.link)
        assert link.mass is not None
        return _with_link(scene, item.link, replace(link, mass=change(link.mass, value)))

    return reads, edits


def _shape(scene: Scene, item: VariedItem) -> Shape:
    return link_of(scene, item.link).shapes[item.number]


def _with_geometry(scene: Scene, item: VariedItem, geometry: Any) -> Scene:
    link = link_of(scene, item.link)
    shapes = list(link.shapes)
    shapes[item.number] = replace(shapes[item.number], geometry=geometry)
    return _with_link(scene, item.link, replace(link, shapes=tuple(shapes)))


def _size(
    name: str, form: type, fields: tuple[str, ...], each: tuple[int, ...], doc: str
) -> Variable:
    def read(scene: Scene, item: VariedItem) -> Value | None:
        shape = _shape(scene, item)
        if not isinstance(shape.geometry, form) or shape.role is ShapeRole.VISUAL:
            return None
        if isinstance(shape.geometry, GeometryBox):
            return shape.geometry.size
        return tuple(getattr(shape.geometry, field) for field in fields)

    def edit(scene: Scene, item: VariedItem, value: Value) -> Scene:
        changed: Any = (
            {"size": value} if form is GeometryBox else dict(zip(fields, value, strict=True))
        )
        geometry: Any = _shape(scene, item).geometry
        return _with_geometry(scene, item, replace(geometry, **changed))

    return Variable(name, ItemKind.SHAPE, each, "m", doc, *_POSITIVE, read, edit)


NOISE_FIELDS: Final[Mapping[type, str]] = {
    PositionSensor: "noise",
    d.DeviceInertialUnit: "noise",
    d.DeviceGps: "accuracy",
    d.DeviceAltimeter: "accuracy",
    d.DeviceCamera: "noise",
    d.DeviceRangeFinder: "noise",
    d.DeviceLidar: "noise",
}
"""Field of the description that is the noise; others have it in their look-up tables."""


def _device(scene: Scene, item: VariedItem) -> Any:
    """Return the description of a device: of a link, or the position sensor of an axis (number below 0)."""
    link = link_of(scene, item.link)
    return (
        link.devices[item.number]
        if item.number >= 0
        else joint_axes(link.joint)[-item.number - 1].sensor
    )


def _noise(scene: Scene, item: VariedItem) -> Value | None:
    device = _device(scene, item)
    field = NOISE_FIELDS.get(type(device))
    if field is not None:
        return (getattr(device, field),)
    lookup = getattr(device, "lookup", None)
    if not isinstance(lookup, d.LookupTable) or not lookup.rows:
        return None
    return (max(row.noise for row in lookup.rows),)


def _with_noise(scene: Scene, item: VariedItem, value: Value) -> Scene:
    device = _device(scene, item)
    field = NOISE_FIELDS.get(type(device))
    if field is not None:
        new = replace(device, **{field: value[0]})
    else:
        rows = tuple(replace(row, noise=value[0]) for row in device.lookup.rows)
        new = replace(device, lookup=d.LookupTable(rows))
    link = link_of(scene, item.link)
    if item.number < 0:
        part = replace(item, number=-item.number - 1)
        return _with_axis(scene, part, replace(_axis_of(scene, part), sensor=new))
    found = list(link.devices)
    found[item.number] = new
    return _with_link(scene, item.link, replace(link, devices=tuple(found)))


def _gravity(scene: Scene, item: VariedItem) -> Value | None:
    return scene.physics.gravity


def _with_gravity(scene: Scene, item: VariedItem, value: Value) -> Scene:
    x, y, z = value
    return replace(scene, physics=replace(scene.physics, gravity=(x, y, z)))


_Rule = tuple[str, Callable[[Floats], NDArray[np.bool_]]]
_FINITE: Final[_Rule] = ("a finite number", _finite)
_NOT_NEGATIVE: Final[_Rule] = ("a finite number, 0 or more", _not_negative)
_POSITIVE: Final[_Rule] = ("a finite number above 0", _positive)
_ANY_LIMIT: Final[_Rule] = ("0 or more; infinite = no limit", _infinite_too)
_SHARE: Final[_Rule] = ("a number of 0 to 1", _share)
_RANGE: Final[_Rule] = ("lowest, highest", _ascending)

VARIABLES: Final = (
    Variable(
        "contact.friction",
        ItemKind.CONTACT,
        (),
        "",
        "Coulomb friction between two materials, in all directions",
        *_ANY_LIMIT,
        _friction,
        _with_friction,
    ),
    _contact("contact.bounce", "bounce", (), "", "share of the speed that comes back", _SHARE),
    _contact(
        "contact.bounce_velocity",
        "bounce_velocity",
        (),
        "m/s",
        "speed below which nothing bounces",
        _NOT_NEGATIVE,
    ),
    _contact(
        "contact.rolling_friction",
        "rolling_friction",
        (3,),
        "m",
        "about the two tangents and about the normal",
        _NOT_NEGATIVE,
    ),
    _contact("contact.soft_cfm", "soft_cfm", (), "m/(s*N)", "softness", _POSITIVE),
    _contact("contact.soft_erp", "soft_erp", (), "", "share of the depth removed per step", _SHARE),
    Variable(
        "link.mass",
        ItemKind.LINK,
        (),
        "kg",
        "mass; the inertia stays",
        f"a finite number, {LEAST_MASS:g} or more",
        lambda values: _finite(values) & (values >= LEAST_MASS).all(axis=-1),
        *_of_mass(lambda mass: (mass.mass,), lambda mass, value: replace(mass, mass=value[0])),
    ),
    Variable(
        "link.inertia",
        ItemKind.LINK,
        (6,),
        "kg*m^2",
        "xx yy zz xy xz yz about the centre of mass, axes of the link",
        "six finite numbers that some body can have: positive moments, none above the sum of the others",
        _real_inertia,
        *_of_mass(
            lambda mass: mass.inertia,
            lambda mass, value: replace(mass, inertia=value),
        ),
    ),
    Variable(
        "link.center_of_mass",
        ItemKind.LINK,
        (3,),
        "m",
        "in the frame of the link",
        *_FINITE,
        *_of_mass(
            lambda mass: mass.center,
            lambda mass, value: replace(mass, center=value),
        ),
    ),
    _joint(
        "joint.gains",
        "p i d of the position controller",
        "1/s, 1/s^2, 1",
        ("three finite numbers", _finite),
        "pid",
        of_motor=True,
        width=3,
    ),
    _joint(
        "joint.servo",
        "stiffness and damping of a motor that pulls as a spring",
        "N*m/rad and N*m*s/rad, or N/m and N*s/m",
        _NOT_NEGATIVE,
        "servo",
        of_motor=True,
        width=2,
    ),
    _joint(
        "joint.max_velocity",
        "greatest velocity of the motor",
        "rad/s or m/s",
        _ANY_LIMIT,
        "max_velocity",
        of_motor=True,
    ),
    _joint(
        "joint.max_effort",
        "greatest force or torque of the motor",
        "N*m or N",
        _ANY_LIMIT,
        "max_effort",
        of_motor=True,
    ),
    _joint(
        "joint.acceleration",
        "greatest change of the commanded velocity",
        "rad/s^2 or m/s^2",
        _ANY_LIMIT,
        "acceleration",
        of_motor=True,
    ),
    _joint(
        "joint.range",
        "lowest and highest position that the motor goes to",
        "rad or m",
        _RANGE,
        "range",
        of_motor=True,
        width=2,
    ),
    _joint(
        "joint.damping",
        "damping of the axis",
        "N*m*s/rad or N*s/m",
        _NOT_NEGATIVE,
        "damping",
        of_motor=False,
    ),
    _joint(
        "joint.static_friction",
        "greatest dry friction of the axis",
        "N*m or N",
        _NOT_NEGATIVE,
        "static_friction",
        of_motor=False,
    ),
    _joint(
        "joint.spring",
        "stiffness of the spring of the axis",
        "N*m/rad or N/m",
        _NOT_NEGATIVE,
        "spring",
        of_motor=False,
    ),
    Variable(
        "world.gravity",
        ItemKind.WORLD,
        (3,),
        "m/s^2",
        "world axes",
        *_FINITE,
        _gravity,
        _with_gravity,
    ),
    _size("box.size", GeometryBox, ("size",), (3,), "edges of boxes that collide"),
    _size("sphere.radius", GeometrySphere, ("radius",), (), "of spheres that collide"),
    _size("cylinder.size", GeometryCylinder, ("radius", "height"), (2,), "radius and height"),
    _size(
        "capsule.size",
        GeometryCapsule,
        ("radius", "height"),
        (2,),
        "radius, and height without the caps",
    ),
    Variable(
        "sensor.noise",
        ItemKind.DEVICE,
        (),
        "of the sensor; a share of the output where it has a look-up table",
        "standard deviation",
        *_NOT_NEGATIVE,
        _noise,
        _with_noise,
    ),
)
"""What may differ from copy to copy."""

VARIABLE_OF: Final = {row.name: row for row in VARIABLES}


class Variables(Mapping[str, BatchChannel]):
    """All that may differ in a scene, by name, with names of items, shapes and units."""

    def __init__(self, sim: Sim, devices: Sequence[BoundDevice]) -> None:
        self._found: dict[str, BatchChannel] = {}
        self.items_of: dict[str, tuple[VariedItem, ...]] = {}
        """Where the items of each are in the scene."""
        self.nominal: dict[str, Floats] = {}
        """(items, numbers): what the scene says."""
        known = {kind: list(_known(sim, devices, kind)) for kind in ItemKind}
        for row in VARIABLES:
            read = [(name, item, row.read(sim.scene, item)) for name, item in known[row.kind]]
            held = [(name, item, value) for name, item, value in read if value is not None]
            if not held:
                continue
            names = tuple(_each_once([name for name, _, _ in held]))
            rows = tuple(item.row for _, item, _ in held)
            self._found[row.name] = BatchChannel(
                row.name, names, row.each, row.unit, row.doc, True, row.kind, rows
            )
            self.items_of[row.name] = tuple(item for _, item, _ in held)
            self.nominal[row.name] = np.array([value for _, _, value in held], dtype=np.float64)

    def __getitem__(self, name: str) -> BatchChannel:
        found = self._found.get(name)
        if found is None:
            raise NameLookupError("variable", name, self._found)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return listing(self)


def _known(
    sim: Sim, devices: Sequence[BoundDevice], kind: ItemKind
) -> Iterator[tuple[str, VariedItem]]:
    """Yield names and places of everything of one kind."""
    match kind:
        case ItemKind.CONTACT:
            yield "default", VariedItem(0)
            for k, entry in enumerate(sim.scene.contacts.entries):
                yield "/".join(entry.materials), VariedItem(1 + k)
        case ItemKind.AXIS:
            for row, name in enumerate(sim.joint_names):
                if sim.axis_links[row] >= 0:
                    number = sim.compiled.binding.axes[row].axis
                    yield name, VariedItem(row, sim.axis_links[row], number)
        case ItemKind.LINK:
            for row, name in enumerate(sim.link_names):
                yield name, VariedItem(row, row)
        case ItemKind.SHAPE:
            for geom, (link, shape) in enumerate(sim.compiled.binding.geom_owner.tolist()):
                if link >= 0 and shape >= 0:
                    yield sim.link_names[link], VariedItem(geom, link, shape)
        case ItemKind.DEVICE:
            for bound, name in zip(devices, device_names(devices), strict=True):
                is_sensor = isinstance(bound.device, PositionSensor)
                number = -bound.axis_number - 1 if is_sensor else bound.number
                if is_sensor or bound.number >= 0:
                    yield name, VariedItem(bound.index, bound.link, number)
        case ItemKind.WORLD:
            yield "world", VariedItem(0)


def _each_once(names: Sequence[str]) -> Iterator[str]:
    """Number those that occur again: box, box#2, ..."""
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 else f"{name}#{seen[name]}"
