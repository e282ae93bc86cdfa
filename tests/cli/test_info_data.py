"""The scene as plain data: frames, units, sentinels, one model element at a time."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from solidbody.base.transforms import Pose, Vec3, quat_from_axis_angle
from solidbody.cli.app import app
from solidbody.model.contacts import ContactProperties, ContactTable
from solidbody.model.devices import DeviceUnknown
from solidbody.model.geometry import (
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometryMesh,
    GeometryPlane,
    GeometrySphere,
)
from solidbody.model.joints import (
    JointAxis,
    JointBall,
    JointFixed,
    JointFree,
    JointHinge,
    JointHinge2,
    JointSlider,
    LoopAttachment,
    LoopBall,
    Stops,
)
from solidbody.model.links import Body, Link, Motion
from solidbody.model.mass import MassProperties
from solidbody.model.motors import Motor, PositionSensor
from solidbody.model.scene import Scene
from solidbody.model.shapes import Shape, ShapeRole
from solidbody.model.summary import geometry_size, summarize_scene

TURNED = Pose((1.0, 2.0, 3.0), quat_from_axis_angle((0.0, 0.0, 1.0), math.pi / 2))
"""A quarter turn about z: body x is world y."""


def link(name: str, **values: object) -> Link:
    """Return a dynamic link of 2 kg unless told otherwise."""
    values.setdefault("mass", MassProperties(2.0, (0.5, 0.0, 0.0), (1.0, 2.0, 3.0, 0.0, 0.0, 0.0)))
    return Link(name=name, path=name, **values)  # type: ignore[arg-type]


def summary(*links: Link, **values: object) -> dict[str, list[dict[str, object]]]:
    """Return the data of a scene with one body made of `links`, after a trip through JSON."""
    body = Body("body", links, **values)  # type: ignore[arg-type]
    data = summarize_scene(Scene("scene", "scene.wbt", bodies=(body,)))
    return json.loads(json.dumps(data, allow_nan=False))


def test_keys_are_the_documented_ones_in_order() -> None:
    """The top level is a contract."""
    assert list(summary(link("a"))) == [
        "time_step",
        "gravity",
        "bodies",
        "joints",
        "loops",
        "shapes",
        "devices",
        "contact_properties",
        "diagnostics",
    ]


def test_body_is_given_in_world_axes() -> None:
    """Centre and inertia turn with the body."""
    (body,) = summary(link("a", pose=TURNED, linear_velocity=(1.0, 0.0, 0.0)))["bodies"]
    assert list(body) == [
        "name",
        "path",
        "parent",
        "dynamic",
        "mass",
        "center_of_mass",
        "inertia",
        "position",
        "orientation",
        "linear_velocity",
        "angular_velocity",
    ]
    assert body["center_of_mass"] == pytest.approx([1.0, 2.5, 3.0])
    assert body["inertia"] == pytest.approx([2.0, 1.0, 3.0, 0.0, 0.0, 0.0])
    assert body["position"] == [1.0, 2.0, 3.0]
    assert body["linear_velocity"] == [1.0, 0.0, 0.0]


def test_standing_body_is_not_dynamic_and_has_no_mass() -> None:
    """Kinematic bodies come with zeros, centred at their origin."""
    (body,) = summary(link("a", mass=None, motion=Motion.KINEMATIC, pose=TURNED))["bodies"]
    assert body["dynamic"] is False
    assert body["mass"] == 0.0
    assert body["center_of_mass"] == [1.0, 2.0, 3.0]
    assert body["inertia"] == [0.0] * 6


def test_floating_and_standing_roots_have_no_joint() -> None:
    """Only joints that say something are listed."""
    data = summary(
        link("a"),
        link("b", mass=None, motion=Motion.KINEMATIC, joint=JointFixed()),
        link("c", joint=JointFree()),
        link("d", joint=JointFixed(), parent=0),
    )
    assert [(row["child"], row["type"], row["axis"]) for row in data["joints"]] == [
        ("d", "fixed", None)
    ]


def test_hinge_is_placed_in_the_world() -> None:
    """Axis and anchor are given in the parent's frame and turn with it."""
    axis = JointAxis((1.0, 0.0, 0.0), position=0.25, stops=Stops(-1.0, math.inf), armature=0.1)
    joint = JointHinge("knee", axis, anchor=(1.0, 0.0, 0.0))
    (row,) = summary(link("a", pose=TURNED), link("b", parent=0, joint=joint))["joints"]
    assert list(row) == [
        "name",
        "type",
        "parent",
        "child",
        "axis",
        "anchor",
        "position",
        "range",
        "velocity_limit",
        "effort_limit",
        "armature",
    ]
    assert (row["name"], row["type"], row["parent"], row["child"]) == ("knee", "hinge", "a", "b")
    assert row["axis"] == pytest.approx([0.0, 1.0, 0.0])
    assert row["anchor"] == pytest.approx([1.0, 3.0, 3.0])
    assert row["position"] == 0.25
    assert row["range"] == [-1.0, "inf"]
    assert row["velocity_limit"] == "inf"
    assert row["armature"] == 0.1


def test_a_rated_range_is_shown_where_nothing_stops_the_joint() -> None:
    axis = JointAxis((0.0, 0.0, 1.0), rated_range=(-0.5, math.inf))
    joint = JointHinge("knee", axis)
    (row,) = summary(link("a"), link("b", parent=0, joint=joint, joint_number=7))["joints"]
    assert row["range"] == [-0.5, "inf"]
    assert row["number"] == 7


def test_motor_gives_the_limits() -> None:
    """A motor's limits win over the axis' rated ones; no stops is null."""
    motor = Motor("m", max_velocity=3.0, max_effort=math.inf)
    axis = JointAxis((0.0, 0.0, 1.0), velocity_limit=9.0, effort_limit=9.0, motor=motor)
    pose = Pose((0.0, 0.0, 1.0))
    data = summary(link("a"), link("b", parent=0, pose=pose, joint=JointSlider("s", axis)))
    (row,) = data["joints"]
    assert (row["velocity_limit"], row["effort_limit"], row["range"]) == (3.0, "inf", None)
    assert row["anchor"] == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("count", [2, 3])
def test_joint_with_several_axes_has_lists(count: int) -> None:
    """One item per axis, `axis` the first of `axes`."""
    axes = [JointAxis(v) for v in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    joint = JointHinge2("j", *axes[:2]) if count == 2 else JointBall("j", *axes)
    (row,) = summary(link("a"), link("b", parent=0, joint=joint))["joints"]
    assert row["type"] == ("hinge2" if count == 2 else "ball")
    assert row["position"] == [0.0] * count
    assert row["range"] == [None] * count
    assert row["axis"] == [1.0, 0.0, 0.0]
    assert len(row["axes"]) == count  # type: ignore[arg-type]


def test_loop_names_its_bodies() -> None:
    """The world is null; the anchor comes from the first end."""
    ends = (LoopAttachment("a", Pose((1.0, 0.0, 0.0))), LoopAttachment(None, Pose()))
    (loop,) = summary(link("a", pose=TURNED), loops=(LoopBall(ends),))["loops"]
    assert loop["type"] == "ball"
    assert loop["bodies"] == ["a", None]
    assert loop["anchor"] == pytest.approx([1.0, 3.0, 3.0])


@pytest.mark.parametrize(
    ("geometry", "size"),
    [
        (GeometryBox((1.0, 2.0, 3.0)), (1.0, 2.0, 3.0)),
        (GeometrySphere(0.5), (0.5,)),
        (GeometryCylinder(0.5, 2.0), (0.5, 2.0)),
        (GeometryCapsule(0.5, 2.0), (0.5, 2.0)),
        (GeometryPlane((4.0, 5.0)), (4.0, 5.0)),
        (GeometryMesh(((0.0, 0.0, 0.0), (1.0, -2.0, 3.0)), ()), (1.0, 2.0, 3.0)),
    ],
)
def test_size_of_geometry(geometry: GeometryBox, size: tuple[float, ...]) -> None:
    """As documented in docs/cli.md."""
    assert geometry_size(geometry) == size


@pytest.mark.parametrize(
    ("scale", "size", "extra"),
    [((2.0, 2.0, 2.0), [1.0], None), ((1.0, 2.0, 1.0), [0.5], [1.0, 2.0, 1.0])],
)
def test_scale_is_in_the_size_where_a_size_can_say_it(
    scale: Vec3, size: list[float], extra: list[float] | None
) -> None:
    """An egg has no radius."""
    shape = Shape(GeometrySphere(0.5), scale=scale, pose=Pose((1.0, 0.0, 0.0)))
    (row,) = summary(link("a", pose=TURNED, shapes=(shape,)))["shapes"]
    assert row["size"] == size
    assert row.get("scale") == extra
    assert row["position"] == pytest.approx([1.0, 3.0, 3.0])


def test_shape_says_body_role_and_material() -> None:
    """Keys are a contract."""
    shape = Shape(GeometryPlane((1.0, 1.0)), role=ShapeRole.BOTH, contact_material="ice")
    (row,) = summary(link("a", shapes=(shape,)))["shapes"]
    assert list(row) == [
        "body",
        "role",
        "geometry",
        "size",
        "position",
        "orientation",
        "material",
    ]
    assert (row["body"], row["role"], row["material"]) == ("a", "both", "ice")


def test_devices_of_links_and_joints_are_listed() -> None:
    """Motors and position sensors sit at the anchor of their joint."""
    axis = JointAxis(
        (0.0, 0.0, 1.0), motor=Motor("m", max_effort=math.inf), sensor=PositionSensor("p")
    )
    unknown = DeviceUnknown(name="d", kind="Odometer", pose=Pose((1.0, 0.0, 0.0)))
    data = summary(
        link("a", devices=(unknown,), pose=TURNED),
        link("b", parent=0, joint=JointHinge("h", axis, anchor=(0.0, 0.0, 1.0))),
    )
    rows = data["devices"]
    assert [(row["name"], row["kind"], row["body"]) for row in rows] == [
        ("d", "Odometer", "a"),
        ("m", "motor", "b"),
        ("p", "position_sensor", "b"),
    ]
    assert rows[0]["position"] == pytest.approx([1.0, 3.0, 3.0])
    assert rows[1]["position"] == pytest.approx([1.0, 2.0, 4.0])
    assert rows[1]["fields"]["max_effort"] == "inf"  # type: ignore[index]
    assert "span" not in rows[1]["fields"]  # type: ignore[operator]


def test_contact_properties_keep_their_order_and_infinity() -> None:
    """Infinite friction is the string "inf"."""
    table = ContactTable((ContactProperties(("a", "b"), (math.inf, 0.5)),))
    data = summarize_scene(Scene("scene", "scene.wbt", contacts=table))
    (row,) = data["contact_properties"]
    assert list(row) == [
        "materials",
        "friction",
        "friction_rotation",
        "rolling_friction",
        "bounce",
        "bounce_velocity",
        "slip",
        "soft_erp",
        "soft_cfm",
        "max_contacts",
        "keeps_spread",
        "follows_sliding",
        "static_friction",
        "rest_depth",
        "depth_scale",
        "max_depth",
        "remembers_loads",
        "min_depth",
        "shares_depth",
    ]
    assert row["materials"] == ["a", "b"]
    assert row["friction"] == ["inf", 0.5]
    assert (row["min_depth"], row["max_depth"]) == ("-inf", "inf")


@pytest.mark.slow
def test_tables_for_people_have_an_end(tmp_path: Path) -> None:
    """Laying out 100,000 rows took longer than reading the world; JSON has all of them."""
    solids = "\n".join(f'Solid {{ name "s{k}" }}' for k in range(2_100))
    path = tmp_path / "many.wbt"
    path.write_text(f"#VRML_SIM R2025a utf8\nWorldInfo {{ }}\nViewpoint {{ }}\n{solids}\n", "utf-8")
    shown = CliRunner().invoke(app, ["info", str(path)])
    assert shown.exit_code == 0
    assert "s1999" in shown.stdout and "s2000" not in shown.stdout
    assert "only the first 2000; --json has all" in " ".join(shown.stdout.split())
    assert (
        len(json.loads(CliRunner().invoke(app, ["info", "--json", str(path)]).stdout)["bodies"])
        == 2_100
    )
