"""Supervisors: finding nodes, what they are, PROTO instances."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.control.projects import Project
from tests.control.supervision import BALL, start, supervise

CART = """#VRML_SIM R2025a utf8
PROTO Cart [
  field SFVec3f translation 0 0 0
  field SFRotation rotation 0 0 1 0
  field SFString name "cart"
  field SFFloat mass 3
  field MFNode extras []
  unconnectedField SFString note "nothing"
]
{
  Solid {
    translation IS translation
    rotation IS rotation
    name IS name
    children [
      DEF WHEEL HingeJoint {
        jointParameters HingeJointParameters { axis 0 1 0 }
        endPoint DEF RIM Solid { translation 0.5 0 0 name "rim" boundingObject Sphere { radius 0.05 }
          physics Physics { density -1 mass 1 } }
      }
      Group { children IS extras }
    ]
    boundingObject Box { size 0.4 0.4 0.4 }
    physics Physics { density -1 mass IS mass }
  }
}
"""
DERIVED = """#VRML_SIM R2025a utf8
EXTERNPROTO "Cart.proto"
PROTO FastCart [ field SFVec3f translation 0 0 0  field SFString name "fast" ]
{ Cart { translation IS translation name IS name mass 7 } }
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with two PROTOs."""
    (tmp_path / "protos").mkdir()
    (tmp_path / "protos" / "Cart.proto").write_text(CART)
    (tmp_path / "protos" / "FastCart.proto").write_text(DERIVED)
    return Project(tmp_path)


EXTERNS = 'EXTERNPROTO "../protos/Cart.proto"\nIMPORTABLE EXTERNPROTO "../protos/FastCart.proto"\n'


def test_nodes_are_found_and_say_what_they_are(project: Project) -> None:
    """By DEF paths, numbers, devices; types, parents, names in both spellings."""
    out = supervise(
        project,
        """
        ball, root, me = sup.getFromDef("BALL"), sup.getRoot(), sup.getSelf()
        out["ball"] = [ball.getDef(), ball.getTypeName(), ball.getBaseTypeName(), ball.isProto(),
                       ball.getType() == Node.SOLID, ball.getProto() is None]
        out["root"] = [root.getTypeName(), root.getId(), root.getParentNode() is None]
        out["me"] = [me.DEF, me.type == Node.ROBOT, me.parent_node == root, sup.self_node is me]
        out["path"] = sup.getFromDef("BALL.SHAPE.GEO").getTypeName()
        out["same"] = sup.getFromId(ball.getId()) is ball
        out["none"] = [sup.getFromDef("NOBODY"), sup.getFromDef("SHAPE.BALL"), sup.getFromId(9999),
                       sup.getSelected()]
        out["device"] = sup.getFromDevice(sup.getDevice("gps")).getTypeName()
        out["parents"] = [n.getTypeName() for n in (sup.getFromDef("GEO"),
                          sup.getFromDef("GEO").getParentNode(),
                          sup.getFromDef("GEO").getParentNode().getParentNode())]
        out["text"] = sup.getFromDef("PHYSICS").exportString()
        """,
        fields='children [ GPS { name "gps" } ]',
    )
    assert out["ball"] == ["BALL", "Solid", "Solid", False, True, True]
    assert out["root"] == ["Group", 0, True]
    assert out["me"] == ["SUP", True, True, True]
    assert out["path"] == "Sphere"
    assert out["same"] is True
    assert out["none"] == [None, None, None, None]
    assert out["device"] == "GPS"
    assert out["parents"] == ["Sphere", "Shape", "Solid"]
    assert out["text"] == "DEF PHYSICS Physics {\n  density -1\n  mass 2\n}"
    assert project.errors("sup") == []


def test_fields_are_listed(project: Project) -> None:
    """By name and by index, with their types; an unknown one is None."""
    out = supervise(
        project,
        """
        ball = sup.getFromDef("BALL")
        names = [ball.getFieldByIndex(i).getName() for i in range(ball.getNumberOfFields())]
        out["order"] = [names[0], names[1], names[2], names[8], names[-1]]
        out["none"] = [ball.getField("nothing"), ball.getFieldByIndex(-1), ball.getFieldByIndex(999)]
        f = ball.getField("children")
        out["children"] = [f.name, f.type == Field.MF_NODE, f.type_name, f.count]
        out["base"] = ball.getNumberOfBaseNodeFields() == ball.getNumberOfFields()
        out["count"] = ball.getField("mass") is None and ball.getField("translation").getCount()
        out["actual"] = f.getActualField().getName()
        """,
    )
    assert out["order"] == [
        "translation", "rotation", "children", "boundingObject", "angularVelocity",
    ]  # fmt: skip
    assert out["none"] == [None, None, None]
    assert out["children"] == ["children", True, "MFNode", 1]
    assert out["base"] is True
    assert out["count"] == -1
    assert out["actual"] == "children"


def test_a_proto_instance_shows_its_parameters_and_hides_its_body(project: Project) -> None:
    """Parameters can be set, what is inside only read; getFromDef does not see it."""
    out = supervise(
        project,
        """
        cart = sup.getFromDef("CART")
        out["types"] = [cart.getTypeName(), cart.getBaseTypeName(), cart.isProto(), cart.type == Node.SOLID]
        out["fields"] = [cart.getFieldByIndex(i).getName() for i in range(cart.getNumberOfFields())]
        out["inner"] = [sup.getFromDef("RIM"), cart.getFromProtoDef("RIM").getTypeName(),
                        cart.getFromProtoDef("WHEEL.RIM") is cart.getFromProtoDef("RIM"),
                        cart.getFromProtoDef("NOBODY")]
        base = cart.getBaseNodeField("physics").getSFNode().getField("mass")
        out["mass"] = [cart.getField("mass").getSFFloat(), base.getSFFloat()]
        base.setSFFloat(9.0)
        cart.getBaseNodeField("name").setSFString("other")
        out["mass after"] = base.getSFFloat()
        cart.getField("mass").setSFFloat(5.0)
        out["mass set"] = [cart.getField("mass").getSFFloat(),
                           cart.getBaseNodeField("physics").getSFNode().getField("mass").getSFFloat()]
        out["note"] = cart.getField("note").value
        cart.getField("note").setSFString("seen")
        out["noted"] = cart.getField("note").value
        extra = sup.getFromDef("EXTRA")
        out["extra"] = [extra.getTypeName(), extra.getParentNode() == cart,
                        cart.getField("extras").getMFNode(0) is extra]
        out["rim"] = cart.getFromProtoDef("RIM").getPosition()
        out["wrong"] = sup.getFromDef("BALL").getFromProtoDef("RIM")
        cart.getField("translation").setSFVec3f([1.0, 2.0, 3.0])
        out["moved"] = [cart.getPosition(), cart.getField("translation").getSFVec3f()]
        """,
        nodes=BALL
        + 'DEF CART Cart { translation 3 0 1 extras [ DEF EXTRA Solid { name "extra" } ] }',
        externs=EXTERNS,
    )
    assert out["types"] == ["Cart", "Solid", True, True]
    assert out["fields"] == ["translation", "rotation", "name", "mass", "extras", "note"]
    assert out["inner"] == [None, "Solid", True, None]
    assert out["mass"] == [3.0, 3.0]
    assert out["mass after"] == 3.0
    assert out["mass set"] == [5.0, 5.0]
    assert out["note"] == "nothing"
    assert out["noted"] == "seen"
    assert out["extra"] == ["Solid", True, True]
    assert out["rim"] == [3.5, 0.0, 1.0]
    assert out["moved"] == [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]
    assert project.errors("sup") == [
        "Error: Physics lies inside a PROTO: its fields can be read, not changed",
        'Error: the field "name" lies inside the PROTO DEF CART Cart (PROTO): it can be read, '
        "not changed",
        "Error: Node.getFromProtoDef() can only be used with a PROTO instance",
    ]


def test_protos_know_what_they_are_derived_from(project: Project) -> None:
    """Proto objects: names, parents, parameters of each."""
    out = supervise(
        project,
        """
        proto = sup.getFromDef("FAST").getProto()
        above = proto.getParent()
        out["names"] = [proto.getTypeName(), above.getTypeName(), above.getParent() is None]
        out["derived"] = [proto.isDerived(), above.is_derived]
        out["fields"] = [proto.getNumberOfFields(), above.number_of_fields]
        out["mass"] = [proto.getField("mass"), above.getField("mass").getSFFloat(),
                       above.getFieldByIndex(3).getName(), above.getField("name").getActualField().value]
        """,
        nodes='DEF FAST FastCart { name "x" }',
        externs=EXTERNS,
    )
    assert out["names"] == ["FastCart", "Cart", True]
    assert out["derived"] == [True, False]
    assert out["fields"] == [2, 6]
    assert out["mass"] == [None, 7.0, "mass", "x"]


WAGON = """#VRML_SIM R2025a utf8
EXTERNPROTO "Cart.proto"
PROTO Wagon [ field SFFloat load 4 field SFString name "wagon" field SFString label "none" ] {
  Cart { mass IS load name IS name extras [ DEF TRAILER Cart { name IS label } ] }
}
"""


def test_fields_inside_a_proto_lead_to_what_decides_them(project: Project) -> None:
    """Through all PROTOs in between, whatever the names there; None where a PROTO has the last word."""
    (project.folder / "protos" / "Wagon.proto").write_text(WAGON)
    out = supervise(
        project,
        """
        wagon = sup.getFromDef("WAGON")
        cart, trailer = wagon.getProto().getParent(), wagon.getFromProtoDef("TRAILER")
        physics = wagon.getBaseNodeField("physics").getSFNode()
        inside = {
            "load": cart.getField("mass"), "mass": physics.getField("mass"),
            "name": wagon.getBaseNodeField("name"), "label": trailer.getProto().getField("name"),
            "label of the node": trailer.getBaseNodeField("name"), "itself": wagon.getField("name"),
            "note": cart.getField("note"), "trailer's mass": trailer.getProto().getField("mass"),
            "model": wagon.getBaseNodeField("model"),
        }
        for key, field in inside.items():
            found = field.getActualField()
            out[key] = None if found is None else [found.getName(), found.value]
        """,
        nodes='DEF WAGON Wagon { label "last" }',
        externs='EXTERNPROTO "../protos/Wagon.proto"',
    )
    assert out == {
        "load": ["load", 4.0], "mass": ["load", 4.0], "name": ["name", "wagon"],
        "label": ["label", "last"], "label of the node": ["label", "last"],
        "itself": ["name", "wagon"], "note": None, "trailer's mass": None, "model": None,
    }  # fmt: skip


def test_protos_come_into_the_world_only_if_it_lets_them(project: Project) -> None:
    """IMPORTABLE EXTERNPROTO; names are made unique; what is wrong with a text is said."""
    out = supervise(
        project,
        """
        children = sup.getRoot().getField("children")
        before = children.getCount()
        children.importMFNodeFromString(-1, "Cart { }")
        children.importMFNodeFromString(-1, "Unheard { }")
        children.importMFNodeFromString(-1, "Solid { ")
        children.importMFNodeFromString(-1, "HingeJoint { }")
        out["refused"] = children.getCount() - before
        children.importMFNodeFromString(-1, 'DEF A FastCart { translation 0 5 1 name "x" }')
        children.importMFNodeFromString(-1, 'DEF B FastCart { translation 0 7 1 name "x" }')
        out["added"] = children.getCount() - before
        out["names"] = [sup.getFromDef(d).getField("name").getSFString() for d in "AB"]
        sup.step(8)
        out["falls"] = [sup.getFromDef(d).getVelocity()[2] for d in "AB"]
        """,
        externs=EXTERNS,
    )
    assert out["refused"] == 0
    assert out["added"] == 2
    assert out["names"] == ["x", "x(1)"]
    assert out["falls"] == pytest.approx([-9.81 * 0.008] * 2, rel=1e-6)
    errors = project.errors("sup")
    assert errors[0] == (
        'Error: the PROTO "Cart" must be declared with IMPORTABLE EXTERNPROTO in the world to be '
        "imported; EXTERNPROTO alone is not enough"
    )
    assert errors[1] == (
        'Error: in order to import the PROTO "Unheard", the world must declare it: '
        'IMPORTABLE EXTERNPROTO "url of Unheard.proto"'
    )
    assert errors[2].startswith("Error: <insert ")
    assert any("HingeJoint" in line and "not allowed" in line for line in errors[3:])


def test_nodes_that_were_removed_have_no_number_and_no_place(project: Project) -> None:
    """Those below them go with them; numbers of others stay."""
    out = supervise(
        project,
        """
        ball, geometry, me = sup.getFromDef("BALL"), sup.getFromDef("GEO"), sup.getSelf()
        before = [ball.getId() > 0, geometry.id > 0, me.getId()]
        ball.remove()
        out["ids"] = [before, [ball.getId(), geometry.id, me.getId()]]
        for numbers in (ball.getPosition(), ball.getOrientation(), ball.getPose(),
                ball.getCenterOfMass(), ball.getVelocity()):
            out.setdefault("counts", []).append([len(numbers), all(map(math.isnan, numbers))])
        """,
    )
    before, after = out["ids"]
    assert before[:2] == [True, True] and after == [-1, -1, before[2]]
    assert out["counts"] == [[3, True], [9, True], [16, True], [3, True], [6, True]]


ARM = """#VRML_SIM R2025a utf8
PROTO Arm [ field SFString name "arm" ] {
  Solid { name IS name children [ GPS { name "inner" } ] }
}
"""


def test_devices_lead_to_nodes_unless_a_proto_hides_them(project: Project) -> None:
    """The tag 0 is the robot's own."""
    (project.folder / "protos" / "Arm.proto").write_text(ARM)
    out = supervise(
        project,
        """
        inner, outer = sup.getDevice("inner"), sup.getDevice("outer")
        out["found"] = [sup.getFromDevice(outer).getDef(), sup.getFromDevice(0) is sup.getSelf()]
        out["hidden"] = [inner.getName(), sup.getFromDevice(inner)]
        """,
        fields='children [ DEF OUTER GPS { name "outer" } Arm { } ]',
        externs='EXTERNPROTO "../protos/Arm.proto"',
    )
    assert out["found"] == ["OUTER", True]
    assert out["hidden"] == ["inner", None]


def test_robots_that_are_no_supervisors_get_errors_and_none(project: Project) -> None:
    """Also their orders do nothing."""
    project.controller(
        "plain",
        """
        from controller import Supervisor
        sup = Supervisor()
        print(sup.getFromDef("BALL"), sup.getRoot(), sup.getSelf(), sup.worldSave("x.wbt"))
        sup.simulationQuit(4)
        sup.step(8)
        print("goes on")
        """,
    )
    sim, hub = start(project, BALL + 'Robot { name "plain" controller "plain" }')
    try:
        sim.step(3)
    finally:
        hub.close()
    assert project.output("plain") == ["None None None False", "goes on"]
    assert (
        project.errors("plain")
        == [
            'Error: "plain" is no supervisor: set its field "supervisor" to TRUE to use functions of the '
            "Supervisor"
        ]
        * 5
    )


def test_braces_after_an_imported_node_are_left_unread(project: Project) -> None:
    """As in Webots, whose referees of RoboCup write one too many; anything else there is refused."""
    out = supervise(
        project,
        """
        children = sup.getRoot().getField("children")
        children.importMFNodeFromString(-1, 'DEF NEW Solid { name "a { b" children [ Group { } ] }}')
        children.importMFNodeFromString(-1, 'DEF BAD Solid { name "c" } } 7 }')
        out["found"] = [sup.getFromDef("NEW").getField("name").getSFString(), sup.getFromDef("BAD")]
        """,
    )
    assert out["found"] == ["a { b", None]
    said = project.errors("sup")
    assert said[0] == "Warning: 1 closing brace(s) too many after the imported node"
    assert "expected a node, got '}'" in said[1]
