"""Supervisors: values of fields of every type, lists, wrong values, what follows from a change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.control.projects import Project
from tests.control.supervision import BALL, supervise


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


TYPES = """
DEF INFO Fog { visibilityRange 3 }
DEF GRID Solid { name "grid" children [
  Shape { appearance DEF APP Appearance { textureTransform DEF TT TextureTransform { center 1 2 } }
    geometry DEF FACES IndexedFaceSet {
      coord DEF COORD Coordinate { point [ 0 0 0, 1 0 0, 0 1 0 ] }
      texCoord DEF TEX TextureCoordinate { point [ 0 0, 1 0 ] }
      coordIndex [ 0 1 2 -1 ] } }
  DEF COLORED Solid { name "colored" recognitionColors [ 1 0 0, 0 1 0 ] } ] }
"""


def test_single_values_of_every_type(project: Project) -> None:
    """Read, set, and read again; `value` does the same."""
    out = supervise(
        project,
        """
        ball, look = sup.getFromDef("BALL"), sup.getFromDef("LOOK")
        cases = {
            "SFBool": (ball.getField("locked"), True),
            "SFInt32": (sup.getFromDef("GEO").getField("subdivision"), 3),
            "SFFloat": (sup.getFromDef("PHYSICS").getField("mass"), 2.5),
            "SFVec2f": (sup.getFromDef("TT").getField("center"), [0.5, 0.25]),
            "SFVec3f": (ball.getField("translation"), [1.0, 2.0, 3.0]),
            "SFRotation": (ball.getField("rotation"), [0.0, 0.0, 1.0, 0.5]),
            "SFColor": (look.getField("baseColor"), [0.0, 0.5, 1.0]),
            "SFString": (ball.getField("model"), "round"),
        }
        for kind, (field, value) in cases.items():
            before = getattr(field, "get" + kind)()
            getattr(field, "set" + kind)(value)
            out[kind] = [before, getattr(field, "get" + kind)(), field.value, field.getTypeName()]
        empty = ball.getField("immersionProperties")
        out["node"] = [ball.getField("physics").getSFNode().DEF, empty.getCount()]
        out["codes"] = [f.getType() for f, _ in cases.values()]
        sup.getFromDef("PHYSICS").getField("mass").value = 4.5
        out["property"] = sup.getFromDef("PHYSICS").getField("mass").value
        """,
        nodes=BALL + TYPES,
    )
    new = {
        "SFBool": (False, True),
        "SFInt32": (1, 3),
        "SFFloat": (2.0, 2.5),
        "SFVec2f": ([1.0, 2.0], [0.5, 0.25]),
        "SFVec3f": ([0.0, 0.0, 1.0], [1.0, 2.0, 3.0]),
        "SFColor": ([1.0, 0.0, 0.0], [0.0, 0.5, 1.0]),
        "SFString": ("", "round"),
    }
    for kind, (before, after) in new.items():
        assert out[kind] == [before, after, after, kind]
    # the simulation keeps quaternions: the angle comes back rounded
    assert out["SFRotation"][1] == pytest.approx([0, 0, 1, 0.5], abs=1e-12)
    assert out["node"] == ["PHYSICS", 0]
    assert out["codes"] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert out["property"] == 4.5
    assert project.errors("sup") == []


def test_lists_of_every_type(project: Project) -> None:
    """Items read, set, inserted and removed; negative indices count from the end."""
    out = supervise(
        project,
        """
        cases = {
            "MFInt32": (sup.getFromDef("FACES").getField("coordIndex"), 7),
            "MFVec2f": (sup.getFromDef("TEX").getField("point"), [0.5, 0.5]),
            "MFVec3f": (sup.getFromDef("COORD").getField("point"), [1.0, 2.0, 3.0]),
            "MFColor": (sup.getFromDef("COLORED").getField("recognitionColors"), [0.0, 0.0, 1.0]),
            "MFString": (sup.getSelf().getField("controllerArgs"), "x"),
            "MFFloat": (sup.getFromDef("GROUND").getField("height"), 0.5),
        }
        for kind, (field, value) in cases.items():
            get = getattr(field, "get" + kind)
            count = field.getCount()
            getattr(field, "insert" + kind)(-1, value)
            added = [field.getCount() - count, get(-1), get(field.getCount() - 1)]
            getattr(field, "insert" + kind)(0, value)
            first = get(0)
            getattr(field, "set" + kind)(-2, value)
            second = get(-2)
            field.removeMF(0)
            field.removeMF(-1)
            out[kind] = [added, first, second, field.getCount() - count, field.getTypeName(), value]
        out["all"] = sup.getFromDef("TEX").getField("point").value
        out["code"] = sup.getFromDef("FACES").getField("coordIndex").getType()
        """,
        nodes=BALL
        + TYPES
        + 'Solid { name "ground" children [ Shape { geometry DEF GROUND ElevationGrid { '
        "xDimension 2 yDimension 2 height [ 0 0 0 1 ] } } ] }",
        fields='controllerArgs [ "a" "b" ]',
    )
    for kind in ("MFInt32", "MFVec2f", "MFVec3f", "MFColor", "MFString", "MFFloat"):
        added, first, second, more, name, value = out[kind]
        assert added == [1, value, value]
        assert first == value
        assert second == value
        assert more == 0
        assert name == kind
    assert out["all"] == [[0.0, 0.0], [0.5, 0.5]]
    assert out["code"] == 0x12
    assert project.errors("sup") == []


HOLDER = """#VRML_SIM R2025a utf8
PROTO Holder [
  unconnectedField MFBool flags [ TRUE FALSE ]
  unconnectedField MFRotation turns [ 0 0 1 1, 0 1 0 2 ]
  unconnectedField MFVec3f points [ ]
  unconnectedField MFFloat numbers [ 1 2 ]
  unconnectedField SFNode one NULL
  unconnectedField MFNode many [ ]
]
{ Pose { } }
"""


def test_lists_and_nodes_in_parameters_of_protos(project: Project) -> None:
    """Also of types that no built-in node has, and of parameters that nothing follows from."""
    (project.folder / "protos").mkdir()
    (project.folder / "protos" / "Holder.proto").write_text(HOLDER)
    out = supervise(
        project,
        """
        holder = sup.getFromDef("HOLDER")
        flags, turns = holder.getField("flags"), holder.getField("turns")
        flags.insertMFBool(-1, True)
        flags.setMFBool(0, False)
        out["flags"] = [flags.value, flags.getMFBool(-1), flags.getType()]
        turns.insertMFRotation(0, [1.0, 0.0, 0.0, 3.0])
        turns.setMFRotation(-1, [0.0, 1.0, 0.0, 1.0])
        out["turns"] = [turns.value, turns.getMFRotation(1), turns.getType()]
        points = holder.getField("points")
        points.insertMFVec3f(-1, [1.0, 2.0, 3.0])
        points.insertMFVec3f(-1, [4.0, 5.0, 6.0])
        out["points"] = points.value
        numbers = holder.getField("numbers")
        numbers.removeMF(0)
        out["numbers"] = numbers.value
        holder.getField("one").importSFNodeFromString("DEF ONE Group { }")
        holder.getField("many").importMFNodeFromString(0, "DEF MANY Group { }")
        holder.getField("many").importMFNodeFromString(-1, "Group { }")
        out["nodes"] = [holder.getField("one").getSFNode().getDef(), holder.getField("many").getCount(),
                        holder.getField("many").getMFNode(0).DEF]
        holder.getField("many").removeMF(0)
        out["left"] = holder.getField("many").getCount()
        """,
        nodes="DEF HOLDER Holder { }",
        externs='EXTERNPROTO "../protos/Holder.proto"',
    )
    assert project.errors("sup") == []
    assert out["flags"] == [[False, False, True], True, 0x11]
    assert out["turns"] == [[[1, 0, 0, 3], [0, 0, 1, 1], [0, 1, 0, 1]], [0, 0, 1, 1], 0x16]
    assert out["points"] == [[1, 2, 3], [4, 5, 6]]
    assert out["numbers"] == [2.0]
    assert out["nodes"] == ["ONE", 2, "MANY"]
    assert out["left"] == 1


def test_numbers_of_numpy_are_numbers(project: Project) -> None:
    """Programs compute with arrays; lists of their items are lists of numbers."""
    out = supervise(
        project,
        """
        import numpy as np
        ball = sup.getFromDef("BALL")
        where, mass = ball.getField("translation"), sup.getFromDef("PHYSICS").getField("mass")
        where.setSFVec3f(list(np.array([1.0, 2.0, 3.0])))
        out["double"] = where.getSFVec3f()
        where.setSFVec3f(list(np.array([4, 5, 6], dtype=np.float32)))
        out["single"] = where.value
        where.setSFVec3f([np.int64(7), 8, 9.0])
        out["integer"] = where.getSFVec3f()
        mass.setSFFloat(np.float64(0.5))
        out["mass"] = mass.getSFFloat()
        sup.setLabel(0, "x", np.float64(0.1), np.float32(0.5), np.float64(0.1), 0xFF0000, 0.0)
        """,
    )
    assert out == {
        "double": [1.0, 2.0, 3.0],
        "single": [4.0, 5.0, 6.0],
        "integer": [7.0, 8.0, 9.0],
        "mass": 0.5,
    }
    assert not project.errors("sup")


def test_values_out_of_range_become_those_of_a_file_that_has_them(project: Project) -> None:
    """As in Webots: a warning, and mostly the default."""
    out = supervise(
        project,
        """
        radius = sup.getFromDef("GEO").getField("radius")
        rays = sup.getFromDef("EYE").getField("numberOfRays")
        aperture = sup.getFromDef("EYE").getField("aperture")
        radius.setSFFloat(-3.0)
        rays.setSFInt32(0)
        aperture.setSFFloat(-2.0)
        out["values"] = [radius.getSFFloat(), rays.getSFInt32(), aperture.getSFFloat()]
        """,
        BALL,
        fields="children [ DEF EYE DistanceSensor { numberOfRays 3 } ]",
    )
    assert out["values"] == [1, 1, 2]
    assert project.errors("sup") == [
        "Warning: DEF GEO Sphere.radius: must be > 0, got -3; reset to 1.",
        "Warning: DEF EYE DistanceSensor.numberOfRays: must be > 0 and <= 10000, got 0; reset to 1.",
        "Warning: DEF EYE DistanceSensor.aperture: must be >= 0, got -2; changed to 2.",
    ]


def test_wrong_values_set_nothing_and_say_why(project: Project) -> None:
    """An int is no float, a tuple no list; wrong indices and getters of lists give None."""
    out = supervise(
        project,
        """
        mass = sup.getFromDef("PHYSICS").getField("mass")
        where = sup.getFromDef("BALL").getField("translation")
        colors = sup.getFromDef("BALL").getField("recognitionColors")
        mass.setSFFloat(3)
        where.setSFVec3f((1.0, 2.0, 3.0))
        where.setSFVec3f([1.0, 2.0])
        where.value = "here"
        mass.setSFString("3")
        where.setSFVec3f([1.0, 2.0, float("nan")])
        out["values"] = [mass.getSFFloat(), where.getSFVec3f()]
        out["none"] = [colors.getSFColor(), colors.getMFColor(0), colors.getMFColor(-1)]
        colors.insertMFColor(5, [1.0, 0.0, 0.0])
        colors.removeMF(0)
        mass.removeMF(0)
        mass.removeSF()
        sup.getFromDef("BALL").getField("children").getMFNode(3)
        sup.getFromDef("BALL").getField("children").enableSFTracking(8)
        where.enableSFTracking(8)
        where.disableSFTracking()
        sup.getFromDef("BALL").getField("locked").setSFBool(1)
        out["locked"] = sup.getFromDef("BALL").getField("locked").value
        """,
    )
    assert out["values"] == [2.0, [0.0, 0.0, 1.0]]
    assert out["none"] == [None, None, None]
    assert out["locked"] is False
    assert project.errors("sup") == [
        'Error: Field.setSFFloat(): the field "mass" takes a float, got int 3; nothing is set',
        'Error: Field.setSFVec3f(): the field "translation" takes a list of 3 numbers, '
        "got tuple (1.0, 2.0, 3.0); nothing is set",
        'Error: Field.setSFVec3f(): the field "translation" takes a list of 3 numbers, '
        "got list [1.0, 2.0]; nothing is set",
        'Error: Field.value(): the field "translation" takes a list of 3 numbers, '
        "got str 'here'; nothing is set",
        "Error: Field.setSFString(): the field \"mass\" takes a float, got str '3'; nothing is set",
        'Error: the field "translation" takes finite numbers, got (1.0, 2.0, nan); nothing is set',
        'Error: Field.getSFColor() called for the field "recognitionColors", which is MFColor',
        'Error: the field "recognitionColors" is empty: there is no item 0',
        'Error: the field "recognitionColors" is empty: there is no item -1',
        # what the library finds out by itself is said before what the simulator has to look at
        'Error: Field.removeMF() called for the field "mass", which is no list',
        'Error: Field.removeSF() called for the field "mass", which is SFFloat',
        'Error: the index 5 is out of range: the field "recognitionColors" has 0 items '
        "(allowed: -1 to 0)",
        'Error: the field "recognitionColors" is empty: there is no item 0',
        'Error: the index 3 is out of range: the field "children" has 1 items (allowed: -1 to 0)',
        "Error: Field.enableSFTracking() can only be used with fields of one value",
        'Error: Field.setSFBool(): the field "locked" takes a bool, got int 1; nothing is set',
    ]


LONGER = """
ball = sup.getFromDef("BALL")
where, colors = ball.getField("translation"), ball.getField("recognitionColors")
where.setSFVec3f([1.0, 2.0, 3.0, 4.0])
ball.getField("rotation").setSFRotation([0.0, 0.0, 1.0, 0.5, 7.0])
colors.insertMFColor(0, [1.0, 0.0, 0.0, 9.0])
colors.setMFColor(0, (0.0, 1.0, 0.0, 9.0))
where.setSFVec3f([5.0, 6.0, "x", 4.0])
where.setSFVec3f([5.0, 6.0])
out["values"] = [where.getSFVec3f(), ball.getField("rotation").value, colors.getMFColor(0)]
"""


@pytest.mark.parametrize("release", ["R2025a", "R2021b"])
def test_of_a_list_that_is_too_long_the_first_values_are_set(
    project: Project, release: str
) -> None:
    """In silence in worlds of the time when the library did so; what is too short is refused."""
    out = supervise(project, LONGER, release=release)
    assert out["values"] == [[1.0, 2.0, 3.0], [0.0, 0.0, 1.0, 0.5], [0.0, 1.0, 0.0]]
    text = "\n".join(project.errors("sup"))
    assert text.count("the first ones are set") == (4 if release == "R2025a" else 0)
    assert text.count("nothing is set") == 2


def test_items_of_lists_are_converted(project: Project) -> None:
    """Ints for floats, tuples and arrays for vectors, 0 and 1 for truth: only single values are strict.

    What is left out at the end of a vector is 0, as in arrays of C.
    """
    out = supervise(
        project,
        """
        import numpy
        colors = sup.getFromDef("BALL").getField("recognitionColors")
        colors.insertMFColor(-1, (1, 0, 0))
        colors.insertMFColor(-1, numpy.array([0.0, 1.0, 0.0]))
        colors.setMFColor(0, (0, 0, 1))
        out["colors"] = [colors.getMFColor(0), colors.getMFColor(1)]
        battery = sup.getSelf().getField("battery")
        battery.insertMFFloat(-1, 7)
        battery.setMFFloat(0, numpy.float32(0.5))
        out["battery"] = battery.getMFFloat(0)
        colors.setMFColor(0, (0, 1))
        out["short"] = colors.getMFColor(0)
        colors.setMFColor(0, (0, 1, 0, 0))
        """,
    )
    assert out["colors"] == [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    assert out["short"] == [0.0, 1.0, 0.0]
    assert out["battery"] == 0.5
    assert project.errors("sup") == [
        'Error: Field.setMFColor(): the field "recognitionColors" takes a list of 3 numbers, '
        "got 4; the first ones are set"
    ]


def test_functions_for_one_value_go_by_the_type_of_the_field(project: Project) -> None:
    """As in Webots' library: a colour can be read and set as a vector, a rotation read as one."""
    out = supervise(
        project,
        """
        color = sup.getFromDef("LOOK").getField("baseColor")
        out["color"] = color.getSFVec3f()
        color.setSFVec3f([0.0, 1.0, 0.0])
        out["set"] = color.getSFColor()
        out["rotation"] = sup.getFromDef("BALL").getField("rotation").getSFVec3f()
        out["node"] = color.getSFNode()
        """,
    )
    assert out == {
        "color": [1.0, 0.0, 0.0],
        "set": [0.0, 1.0, 0.0],
        "rotation": [0.0, 0.0, 1.0, 0.0],
        "node": None,
    }
    assert project.errors("sup") == [
        'Error: Field.getSFNode() called for the field "baseColor", which is SFColor'
    ]


def test_nodes_are_put_into_fields_and_taken_out(project: Project) -> None:
    """removeSF and importSFNodeFromString: a solid without physics floats, with it it falls."""
    (project.folder / "controllers" / "sup").mkdir(parents=True)
    (project.folder / "controllers" / "sup" / "box.wbo").write_text(
        '#VRML_OBJ R2025a utf8\nDEF BOX Solid { translation 0 4 1 name "box" }\n'
    )
    out = supervise(
        project,
        """
        ball = sup.getFromDef("BALL")
        physics = ball.getField("physics")
        physics.importSFNodeFromString("Physics { }")
        physics.removeSF()
        out["gone"] = physics.getSFNode()
        sup.step(8)
        sup.step(8)
        out["floats"] = ball.getPosition()[2]
        physics.removeSF()
        physics.importSFNodeFromString("DEF NEW Physics { density -1 mass 7 }")
        sup.step(8)
        out["falls"] = [ball.getVelocity()[2], sup.getFromDef("NEW").getField("mass").getSFFloat()]
        children = sup.getRoot().getField("children")
        children.importMFNode(2, "box.wbo")
        out["file"] = [children.getMFNode(2).DEF, sup.getFromDef("BOX").getPosition()]
        children.importMFNode(-1, "nowhere.wbo")
        ball.getField("translation").importMFNodeFromString(0, "Solid { }")
        ball.getField("children").importSFNodeFromString("Solid { }")
        ball.getField("physics").importSFNode("box.txt")
        sup.getFromDef("VIEW").remove()
        sup.step(8)
        """,
    )
    assert out["gone"] is None
    assert out["floats"] == 1.0
    assert out["falls"] == [pytest.approx(-9.81 * 0.008, rel=1e-9), 7.0]
    assert out["file"] == ["BOX", [0.0, 4.0, 1.0]]
    assert project.errors("sup") == [
        'Error: the field "physics" holds a node already: remove it first',
        'Error: the field "physics" holds no node',
        'Error: "nowhere.wbo" cannot be read: No such file or directory',
        'Error: the field "translation" is SFVec3f, not MFNode',
        'Error: the field "children" is MFNode, not SFNode',
        'Error: "box.txt" is no object file: its name must end with .wbo or .wrl',
        "Error: the Viewpoint node cannot be removed",
    ]


def test_nodes_of_vrml97_files_are_imported(project: Project) -> None:
    """All but what a world has once, and routes; a file that is none says so."""
    folder = project.folder / "controllers" / "sup"
    folder.mkdir(parents=True)
    (folder / "ball.wrl").write_text(
        "#VRML V2.0 utf8\nBackground { }\nNavigationInfo { }\n"
        "DEF T Transform { translation 1 2 3 children [ Shape { geometry Sphere { radius 0.2 } } ] }\n"
        "ROUTE CLOCK.time TO T.translation\nGroup { }\n"
    )
    (folder / "sky.wrl").write_text("#VRML V2.0 utf8\nBackground { }\n")
    (folder / "inventor.wrl").write_text("#VRML V1.0 ascii\nSeparator { }\n")
    out = supervise(
        project,
        """
        children = sup.getRoot().getField("children")
        before = children.getCount()
        children.importMFNode(-1, "ball.wrl")
        children.importMFNode(-1, "sky.wrl")
        children.importMFNode(-1, "inventor.wrl")
        sup.step(8)
        out["more"] = children.getCount() - before
        out["place"] = sup.getFromDef("T").getPosition()
        """,
    )
    assert out == {"more": 2, "place": [1.0, 2.0, 3.0]}
    empty, foreign = project.errors("sup")
    assert empty == 'Error: "sky.wrl" has no node to import'
    assert "inventor.wrl" in foreign


def test_what_follows_from_a_change_is_simulated(project: Project) -> None:
    """A larger ball comes to rest higher; a set that is flushed by a getter counts once."""
    out = supervise(
        project,
        """
        ball = sup.getFromDef("BALL")
        for x in range(5):
            ball.getField("translation").setSFVec3f([float(x), 0.0, 1.0])
        out["commands"] = len(sup._sb_commands)
        out["last"] = ball.getPosition()
        sup.getFromDef("GEO").getField("radius").setSFFloat(0.5)
        for _ in range(150):
            sup.step(8)
        out["rest"] = ball.getPosition()[2]
        """,
        nodes=BALL + "Solid { boundingObject Plane { } }",
    )
    assert out["commands"] == 1
    assert out["last"] == [4.0, 0.0, 1.0]
    # the contact is soft: it carries 20 N a little below the surface
    assert out["rest"] == pytest.approx(0.5, abs=2e-3)


def test_custom_data_reaches_the_other_robot_and_comes_back(project: Project) -> None:
    """A supervisor writes the field, the robot reads it and answers."""
    project.controller(
        "other",
        """
        from controller import Robot
        robot = Robot()
        for _ in range(6):
            robot.step(8)
            if robot.getCustomData() == "ping":
                robot.setCustomData("pong")
        """,
    )
    out = supervise(
        project,
        """
        data = sup.getFromDef("OTHER").getField("customData")
        out["start"] = data.getSFString()
        data.setSFString("ping")
        for _ in range(4):
            sup.step(8)
        out["end"] = data.getSFString()
        """,
        nodes='DEF OTHER Robot { name "other" controller "other" customData "quiet" }',
    )
    assert out == {"start": "quiet", "end": "pong"}


def test_custom_data_outlives_the_controller_that_set_it(project: Project) -> None:
    """Supervisors read and change it afterwards; a reset leaves it."""
    project.controller(
        "other",
        """
        from controller import Robot
        robot = Robot()
        if robot.getCustomData() == "1 + 2":
            robot.setCustomData("3")
            robot.step(8)
        """,
    )
    out = supervise(
        project,
        """
        data = sup.getFromDef("OTHER").getField("customData")
        seen = []
        for _ in range(50):
            sup.step(8)
            seen.append(data.getSFString())
        out["last"] = seen[-1]
        data.setSFString("4")
        out["set"] = data.getSFString()
        sup.simulationReset()
        sup.step(8)
        out["reset"] = data.getSFString()
        """,
        nodes='DEF OTHER Robot { name "other" controller "other" customData "1 + 2" }',
    )
    assert out == {"last": "3", "set": "4", "reset": "4"}


def test_a_new_controller_name_starts_that_program(project: Project) -> None:
    """The old one ends, the new one drives the robot."""
    for name in ("one", "two"):
        project.controller(
            name,
            f"""
            from controller import Robot
            robot = Robot()
            print("{name} starts")
            while robot.step(8) != -1:
                pass
            print("{name} ends")
            """,
        )
    supervise(
        project,
        """
        sup.step(8)
        sup.getFromDef("OTHER").getField("controller").setSFString("two")
        for _ in range(3):
            sup.step(8)
        """,
        nodes='DEF OTHER Robot { name "other" controller "one" }',
    )
    assert project.output("other") == ["one starts", "one ends", "two starts", "two ends"]


def test_new_arguments_wait_for_the_next_start(project: Project) -> None:
    """The program that runs goes on."""
    project.controller(
        "other",
        """
        import sys
        from controller import Robot
        robot = Robot()
        print("starts with", sys.argv[1])
        while robot.step(8) != -1:
            pass
        """,
    )
    supervise(
        project,
        """
        other = sup.getFromDef("OTHER")
        other.getField("controllerArgs").setMFString(0, "b")
        sup.step(8)
        sup.step(8)
        other.restartController()
        sup.step(8)
        """,
        nodes='DEF OTHER Robot { name "other" controller "other" controllerArgs [ "a" ] }',
    )
    assert project.output("other") == ["starts with a", "starts with b"]  # and not twice with b


def test_inside_the_simulator_it_is_the_same(project: Project) -> None:
    """A supervisor in our own process follows changes of the scene as well."""
    import solidbody as sb
    from solidbody.control import run_controller

    path = project.world('DEF SUP Robot { name "sup" controller "" supervisor TRUE }' + BALL)
    sim = sb.Sim(sb.load(path))

    def program() -> list[float]:
        from controller import Supervisor  # type: ignore[import-not-found]

        sup = Supervisor()
        sup.getRoot().getField("children").importMFNodeFromString(
            -1,
            'DEF NEW Solid { name "new" translation 3 0 1 boundingObject Box { } physics Physics { } }',
        )
        sup.step(8)
        return [sup.getFromDef(name).getVelocity()[2] for name in ("NEW", "BALL")]

    assert run_controller(sim, program) == pytest.approx([-9.81 * 0.008] * 2, rel=1e-6)
    assert "new" in sim.link_names
