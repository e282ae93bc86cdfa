"""Supervisors: where solids are, forces, velocities, joints, states."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.control.projects import Project
from tests.control.supervision import BALL, supervise

DT = 0.008
G = 9.81

WEIGHTLESS = """
DEF BOX Solid { translation 0 0 1 rotation 0 0 1 1.5707963267948966 name "box"
  children [ DEF INNER Pose { translation 1 0 0
    children [ DEF DEEP Solid { translation 0 0 2 name "deep" } ] } ]
  boundingObject Box { size 0.2 0.2 0.2 } physics Physics { density -1 mass 2
    centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.5 0.5 0.5, 0 0 0 ] } }
"""
ARM = """
DEF ARM Robot { name "arm" controller "" translation 5 0 2 children [
  DEF JOINT HingeJoint { jointParameters DEF PARAMS HingeJointParameters { axis 0 0 1 anchor 0 0 0 }
    device [ RotationalMotor { name "motor" maxTorque 100 } ]
    endPoint DEF HAND Solid { translation 1 0 0 name "hand" boundingObject Box { size 0.1 0.1 0.1 }
      physics Physics { density -1 mass 1 } } } ] }
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_poses_in_the_world_and_in_other_frames(project: Project) -> None:
    """A quarter turn about z: what lies in +x of the box lies in +y of the world."""
    out = supervise(
        project,
        """
        box, deep = sup.getFromDef("BOX"), sup.getFromDef("DEEP")
        out["deep"] = deep.getPosition()
        out["inner"] = sup.getFromDef("INNER").getPosition()
        out["turn"] = box.getOrientation()
        out["pose"] = deep.getPose()
        out["relative"] = deep.getPose(box)
        box.enablePoseTracking(8)
        box.enablePoseTracking(0)
        box.disablePoseTracking()
        out["nan"] = [sup.getFromDef("PHYSICS").getPosition(), sup.getRoot().getOrientation(),
                      sup.getFromDef("PHYSICS").getPose(), box.getPose(sup.getFromDef("PHYSICS")),
                      sup.getFromDef("PHYSICS").getVelocity()]
        out["properties"] = [box.position, box.velocity[:3]]
        """,
        nodes=WEIGHTLESS + BALL,
    )
    near = {"abs": 1e-12}
    assert out["deep"] == pytest.approx([0, 1, 3], **near)
    assert out["inner"] == pytest.approx([0, 1, 1], **near)
    assert out["turn"] == pytest.approx([0, -1, 0, 1, 0, 0, 0, 0, 1], **near)
    assert out["pose"] == pytest.approx([0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 3, 0, 0, 0, 1], **near)
    assert out["relative"] == pytest.approx(
        [1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 2, 0, 0, 0, 1], **near
    )
    assert [len(values) for values in out["nan"]] == [3, 9, 16, 16, 6]
    assert all(math.isnan(x) for values in out["nan"] for x in values)
    assert out["properties"] == [[0, 0, 1], [0, 0, 0]]
    assert project.errors("sup") == [
        "Error: Node.enablePoseTracking(): the sampling period must be above 0",
        "Warning: getPosition() can only be used with a node that has a pose; DEF PHYSICS Physics "
        "has none",
        "Warning: getOrientation() can only be used with a node that has a pose; the root has none",
        "Warning: getPose() can only be used with a node that has a pose; DEF PHYSICS Physics has none",
        "Warning: getPose() can only be used with a node that has a pose; DEF PHYSICS Physics has none",
        "Warning: getVelocity() can only be used with a Solid; DEF PHYSICS Physics is none",
    ]


def test_forces_act_for_one_step(project: Project) -> None:
    """dv = F dt / m, dw = T dt / I, in the world's axes or in the solid's."""
    out = supervise(
        project,
        """
        box = sup.getFromDef("BOX")
        def change(push):
            before = box.getVelocity()
            push()
            sup.step(8)
            first = box.getVelocity()
            sup.step(8)
            return [b - a for a, b in zip(before, first)], [b - a for a, b in zip(first, box.getVelocity())]
        out["force"] = change(lambda: box.addForce([2.0, 0.0, 0.0], False))
        out["relative"] = change(lambda: box.addForce([2.0, 0.0, 0.0], True))
        box.resetPhysics()
        sup.step(8)  # it is held
        out["torque"] = change(lambda: box.addTorque([0.0, 0.0, 3.0], False))
        box.resetPhysics()
        sup.step(8)  # it is held
        out["offset"] = change(lambda: box.addForceWithOffset([0.0, 0.0, 2.0], [0.5, 0.0, 0.0], False))
        box.addForce([1.0, 0.0], False)
        sup.getFromDef("DEEP").addForce([1.0, 0.0, 0.0], False)
        sup.getFromDef("WALL").addForce([1.0, 0.0, 0.0], False)
        sup.getFromDef("INNER").addTorque([1.0, 0.0, 0.0], False)
        sup.step(8)
        """,
        nodes=WEIGHTLESS + 'DEF WALL Solid { name "wall" translation 0 0 -9 }',
    )
    fall = -G * DT
    near = {"abs": 1e-9}
    first, later = out["force"]
    assert first == pytest.approx([2 * DT / 2, 0, fall, 0, 0, 0], **near)
    assert later == pytest.approx([0, 0, fall, 0, 0, 0], **near)
    first, _ = out["relative"]  # the solid's x axis is the world's y axis
    assert first == pytest.approx([0, 2 * DT / 2, fall, 0, 0, 0], **near)
    first, later = out["torque"]
    assert first == pytest.approx([0, 0, fall, 0, 0, 3 * DT / 0.5], **near)
    assert later == pytest.approx([0, 0, fall, 0, 0, 0], **near)
    first, _ = out["offset"]
    assert first[2] == pytest.approx(fall + 2 * DT / 2, **near)
    # r x F with r 0.5 along the solid's x axis; it has turned by 3 dt / I * 2 dt about z meanwhile
    turned = math.pi / 2 + 3 * DT / 0.5 * 2 * DT
    torque = 0.5 * 2.0
    assert first[3] == pytest.approx(math.sin(turned) * torque * DT / 0.5, abs=1e-5)
    assert first[4] == pytest.approx(-math.cos(turned) * torque * DT / 0.5, abs=1e-5)
    assert project.errors("sup") == [
        "Error: Node.addForce() takes a list of 3 numbers, got [1.0, 0.0]",
        'Error: addForce(): "wall" has no physics: forces do not move it',
        "Error: addTorque() can only be used with a Solid; DEF INNER Pose is none",
    ]


def test_velocities_teleports_and_stops(project: Project) -> None:
    """A teleport keeps the velocity, resetPhysics takes it and holds the solid for a step; kinematic solids
    go on at theirs."""
    out = supervise(
        project,
        """
        ball, wall = sup.getFromDef("BALL"), sup.getFromDef("WALL")
        ball.setVelocity([1.0, 2.0, 3.0, 0.0, 0.0, 4.0])
        out["set"] = ball.getVelocity()
        ball.getField("translation").setSFVec3f([7.0, 0.0, 5.0])
        ball.getField("rotation").setSFRotation([1.0, 0.0, 0.0, 1.0])
        out["kept"] = [ball.getPosition(), ball.getVelocity()]
        ball.resetPhysics()
        out["stopped"] = ball.getVelocity()
        sup.step(8)
        out["held"] = [ball.getPosition(), ball.getVelocity()]
        sup.step(8)
        out["falls"] = [ball.getPosition()[0], ball.getVelocity()[2]]
        ball.getField("linearVelocity").setSFVec3f([0.0, 0.0, 9.0])
        out["field"] = [ball.getField("linearVelocity").getSFVec3f(), ball.getVelocity()[2]]
        ball.getField("angularVelocity").setSFVec3f([1.0, 0.0, 0.0])
        out["turning"] = ball.getField("angularVelocity").getSFVec3f()
        wall.setVelocity([0.5, 0.0, 0.0, 0.0, 0.0, 0.0])
        start = wall.getPosition()[0]
        for _ in range(10):
            sup.step(8)
        out["wall"] = wall.getPosition()[0] - start
        sup.simulationResetPhysics()
        sup.simulationPhysicsReset()  # its old name
        out["all"] = [ball.getVelocity(), wall.getVelocity()]
        ball.setVelocity([1.0])
        sup.getFromDef("SHAPE").setVelocity([0.0] * 6)
        sup.step(8)
        """,
        nodes=BALL + 'DEF WALL Solid { name "wall" translation 0 0 -9 boundingObject Box { } }',
    )
    assert out["set"] == pytest.approx([1, 2, 3, 0, 0, 4], abs=1e-12)
    assert out["kept"][0] == [7.0, 0.0, 5.0]
    assert out["kept"][1] == pytest.approx([1, 2, 3, 0, 0, 4], abs=1e-12)
    assert out["stopped"] == [0.0] * 6
    assert out["held"] == [[7.0, 0.0, 5.0], [0.0] * 6]
    assert out["falls"] == [7.0, pytest.approx(-G * DT, rel=1e-9)]
    assert out["field"] == [[0.0, 0.0, 9.0], 9.0]
    assert out["turning"] == pytest.approx([1, 0, 0], abs=1e-12)
    assert out["wall"] == pytest.approx(10 * DT * 0.5, rel=1e-9)
    assert out["all"] == [[0.0] * 6, [0.0] * 6]
    assert project.errors("sup") == [
        "Error: Node.setVelocity() takes a list of 6 numbers, got [1.0]",
        "Error: setVelocity() can only be used with a Solid; DEF SHAPE Shape is none",
    ]


def test_joints_are_put_somewhere(project: Project) -> None:
    """setJointPosition and the field position; the end point goes along and stops."""
    out = supervise(
        project,
        """
        joint, hand, params = sup.getFromDef("JOINT"), sup.getFromDef("HAND"), sup.getFromDef("PARAMS")
        joint.setJointPosition(math.pi / 2)
        out["hand"] = hand.getPosition()
        out["position"] = params.getField("position").getSFFloat()
        for _ in range(5):
            sup.step(8)
        out["held"] = params.getField("position").getSFFloat()
        params.getField("position").setSFFloat(0.25)
        out["set"] = [params.getField("position").getSFFloat(), hand.getField("translation").getSFVec3f()]
        joint.setJointPosition(0.0, 2)
        sup.getFromDef("BALL").setJointPosition(0.0)
        params.getField("minStop").setSFFloat(-0.5)
        params.getField("maxStop").setSFFloat(0.75)
        joint.setJointPosition(2.0)
        out["stopped"] = params.getField("position").getSFFloat()
        sup.step(8)
        """,
        nodes=BALL + ARM,
    )
    assert out["hand"] == pytest.approx([5, 1, 2], abs=1e-12)
    assert out["position"] == pytest.approx(math.pi / 2, abs=1e-12)
    # before the first step the motor took the new position as its own; its row is soft
    assert out["held"] == pytest.approx(math.pi / 2, abs=1e-4)
    assert out["set"][0] == 0.25
    assert out["set"][1] == pytest.approx([math.cos(0.25), math.sin(0.25), 0], abs=1e-12)
    assert out["stopped"] == 0.75
    assert project.errors("sup") == [
        "Error: DEF JOINT HingeJoint has 1 axes: the index must be 1 to 1, got 2",
        "Error: setJointPosition() can only be used with a joint; DEF BALL Solid is none",
        "Warning: setJointPosition(): 2 is beyond the stops of DEF JOINT HingeJoint; it goes to 0.75",
    ]


def test_center_of_mass_is_that_of_all_solids_below(project: Project) -> None:
    """4 kg at x = 3 and 1 kg on a hinge at x = 4, 2 kg without a joint at x = 3.7 of a solid between."""
    out = supervise(
        project,
        """
        out["mass"] = sup.getFromDef("TOP").getCenterOfMass()
        """,
        nodes="""DEF TOP Solid { translation 3 0 5 boundingObject Box { size 1 1 1 }
          physics Physics { density -1 mass 4 }
          children [ HingeJoint { endPoint Solid { translation 1 0 0
            boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 1 } children [
              Solid { name "tip" translation -0.3 0 0 boundingObject Sphere { radius 0.1 }
                physics Physics { density -1 mass 2 } } ] } } ] }""",
    )
    x = (4 * 3.0 + 1 * 4.0 + 2 * 3.7) / 7
    # asked before the first step: nothing has fallen yet
    assert out["mass"] == pytest.approx([x, 0, 5], abs=1e-9)


def test_mass_contacts_and_balance(project: Project) -> None:
    """A box on the ground touches it under itself; one that hangs over its edge is not balanced."""
    out = supervise(
        project,
        """
        box, ball = sup.getFromDef("STANDING"), sup.getFromDef("BALL")
        box.enableContactPointsTracking(8)
        box.enableContactPointsTracking(0)
        box.disableContactPointsTracking()
        for _ in range(10):
            sup.step(8)
        points = box.getContactPoints()
        out["points"] = [p.point for p in points]
        out["ids"] = sorted({p.node_id for p in box.getContactPoints(True)}) == [box.getId()]
        out["repr"] = repr(points[0])[:13], points[0].getPoint() == points[0].point, points[0].getNodeId()
        out["balance"] = [box.getStaticBalance(), ball.getStaticBalance()]
        out["mass"] = [box.getCenterOfMass(), sup.getFromDef("GROUND").getCenterOfMass()]
        out["none"] = ball.getContactPoints()
        out["old"] = [box.getNumberOfContactPoints() == len(points),
                      box.getContactPoint(0) == points[0].point, box.getContactPointNode(0) is box,
                      box.getContactPoint(99), box.getContactPointNode(99)]
        sup.getFromDef("SHAPE").getContactPoints()
        """,
        nodes=BALL
        + 'DEF GROUND Solid { translation 0 0 0.25 name "ground" boundingObject Plane { } }'
        + """DEF STANDING Solid { name "standing" translation 3 0 0.75 boundingObject Box { size 1 1 1 }
          physics Physics { density -1 mass 4 centerOfMass [ 0.1 0 0 ] } }""",
    )
    assert len(out["points"]) >= 3
    for x, y, z in out["points"]:
        assert abs(abs(x - 3) - 0.5) < 0.01
        assert abs(abs(y) - 0.5) < 0.01
        assert abs(z - 0.25) < 0.01
    assert out["ids"] is True
    assert out["repr"][:2] == ["ContactPoint(", True]
    assert out["balance"] == [True, False]
    assert out["mass"][0] == pytest.approx([3.1, 0, 0.75], abs=0.01)
    assert out["mass"][1] == [0.0, 0.0, 0.25]
    assert out["none"] == []
    assert out["old"] == [True, True, True, None, None]
    assert project.errors("sup") == [
        "Error: Node.enableContactPointsTracking(): the sampling period must be above 0",
        "Warning: getCenterOfMass(): DEF GROUND Solid and all below it have no physics",
        "Error: getContactPoints() can only be used with a Solid; DEF SHAPE Shape is none",
    ]


def test_states_are_saved_and_loaded(project: Project) -> None:
    """Under names, and the one with which the world was loaded; all at rest, and motors hold."""
    out = supervise(
        project,
        """
        ball, arm, joint = sup.getFromDef("BALL"), sup.getFromDef("ARM"), sup.getFromDef("JOINT")
        for _ in range(5):
            sup.step(8)
        ball.saveState("falling")
        out["saved"] = ball.getPosition()
        joint.setJointPosition(1.0)
        arm.saveState("bent")
        joint.setJointPosition(2.0)
        for _ in range(5):
            sup.step(8)
        ball.loadState("falling")
        out["loaded"] = [ball.getPosition(), ball.getVelocity()]
        arm.loadState("bent")
        sup.step(8)
        out["bent"] = sup.getFromDef("PARAMS").getField("position").getSFFloat()
        ball.loadState("__init__")
        arm.loadState("__init__")
        out["start"] = [ball.getPosition(), ball.getVelocity(), sup.getFromDef("HAND").getPosition()]
        ball.loadState("never")
        sup.step(8)
        """,
        nodes=BALL + ARM,
    )
    # 1e-12: the pose goes through a quaternion and back
    assert out["loaded"] == [pytest.approx(out["saved"], abs=1e-12), [0.0] * 6]
    # the motor had been told nothing and held 0: without its reset it would pull the hand back
    assert out["bent"] == pytest.approx(1.0, abs=1e-9)
    assert out["start"] == [[0, 0, 1], [0.0] * 6, pytest.approx([6, 0, 2], abs=1e-12)]
    assert project.errors("sup") == [
        'Error: loadState(): no state "never" was saved for the node; there are: "__init__", "falling"'
    ]


def test_states_of_frames_are_saved_and_loaded(project: Project) -> None:
    """Of those without a solid, too, and with the solids in them."""
    out = supervise(
        project,
        """
        frames = [sup.getFromDef(name) for name in ("FRAME", "AROUND")]
        inside = [sup.getFromDef(name) for name in ("INNER", "CUBE")]
        def move(height):
            for frame in frames:
                frame.getField("translation").setSFVec3f([0.0, 0.0, height])
            sup.step(8)
        def heights():
            return [node.getPosition()[2] for node in frames + inside]
        move(5.0)
        for frame in frames:
            frame.saveState("high")
        move(9.0)
        out["moved"] = heights()
        for name in ("high", "__init__"):
            for frame in frames:
                frame.loadState(name)
            sup.step(8)
            out[name] = heights()
        """,
        nodes="""
        DEF FRAME Pose { children [ DEF INNER Pose { translation 0 0 1 } ] }
        DEF AROUND Pose { children [ DEF CUBE Solid { translation 0 0 1 name "cube" } ] }
        """,
    )
    assert out["moved"] == [9.0, 9.0, 10.0, 10.0]
    assert out["high"] == [5.0, 5.0, 6.0, 6.0]
    assert out["__init__"] == [0.0, 0.0, 1.0, 1.0]


def test_the_axis_of_what_turns_does_not_flip_where_that_of_webots_does_not(
    project: Project,
) -> None:
    """ODE makes the quaternion of a matrix (beyond 120 degrees with z > 0) and turns it without a jump.

    What a program sets is read as it was set, as long as nothing moves it.
    """
    out = supervise(
        project,
        """
        fields = [sup.getFromDef(name).getField("rotation") for name in ("BACK", "AHEAD", "STILL")]
        for _ in range(50):
            sup.step(8)
        out["turned"] = [field.getSFRotation() for field in fields]
        for field in fields:
            field.setSFRotation([0, 0, 1, -2])
        out["set"] = [field.getSFRotation() for field in fields]
        sup.step(8)
        out["later"] = [field.getSFRotation() for field in fields]
        """,
        nodes="""
        DEF BACK Solid { translation 0 0 9 rotation 0 0 1 -2.5 name "back" angularVelocity 0 0 1
          boundingObject Sphere { radius 0.1 } physics Physics { } }
        DEF AHEAD Solid { translation 1 0 9 rotation 0 0 1 3 name "ahead" angularVelocity 0 0 1
          boundingObject Sphere { radius 0.1 } physics Physics { } }
        DEF STILL Solid { translation 2 0 9 rotation 0 0 1 3 name "still" }
        """,
    )
    near = {"abs": 1e-9}
    assert out["turned"][0] == pytest.approx([0, 0, 1, -2.1], **near)
    assert out["turned"][1] == pytest.approx([0, 0, 1, 3.4 - 2 * math.pi], **near)
    assert out["set"] == [[0, 0, 1, -2]] * 3
    # within 120 degrees w > 0, so that the axis is -z
    assert out["later"][0] == pytest.approx([0, 0, -1, 2 - DT], **near)
    assert out["later"][2] == [0, 0, 1, -2]


def test_physics_are_reset_below_any_node_and_held_for_one_step_of_many(project: Project) -> None:
    """What hangs on a joint is held as well; of ten steps nine move it."""
    out = supervise(
        project,
        """
        sup.step(80)
        moving = [sup.getFromDef(name) for name in ("BALL", "SWING")]
        for name in ("SHELF", "ARM"):
            sup.getFromDef(name).resetPhysics()
        start = [node.getPosition() for node in moving]
        sup.step(8)
        out["held"] = [node.getPosition() for node in moving] == start
        sup.getFromDef("SHELF").resetPhysics()
        sup.step(80)
        out["speed"] = moving[0].getVelocity()[2]
        """,
        nodes="DEF SHELF Pose { children [ "
        + BALL
        + """ ] }
        DEF ARM Robot { name "arm" translation 3 0 3 controller "<none>" children [
          HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 }
            device [ RotationalMotor { name "motor" maxTorque 0.01 } ]
            endPoint DEF SWING Solid { translation 0.3 0 0 boundingObject Box { size 0.6 0.1 0.1 }
              physics Physics { density -1 mass 1 } } } ] }
        """,
    )
    assert out["held"] is True
    assert out["speed"] == pytest.approx(-9 * G * DT, rel=1e-9)


def test_solids_fixed_to_one_that_stands_go_along_and_can_be_moved(project: Project) -> None:
    """Physics makes no difference to that: nothing moves them but programs."""
    out = supervise(
        project,
        """
        sup.step(8)
        sup.getFromDef("BASE").getField("translation").setSFVec3f([5.0, 0.0, 0.0])
        sup.step(8)
        out["along"] = [sup.getFromDef(name).getPosition() for name in ("HEAVY", "LIGHT")]
        for name in ("HEAVY", "LIGHT"):
            sup.getFromDef(name).getField("translation").setSFVec3f([0.0, 2.0, 0.0])
        sup.step(8)
        out["moved"] = [sup.getFromDef(name).getPosition() for name in ("HEAVY", "LIGHT")]
        """,
        nodes="""
        DEF BASE Solid { name "base" children [
          DEF HEAVY Solid { name "heavy" translation 0 0 1 boundingObject Box { } physics Physics { } }
          DEF LIGHT Solid { name "light" translation 0 0 3 boundingObject Box { } } ] }
        """,
    )
    assert out["along"] == [[5.0, 0.0, 1.0], [5.0, 0.0, 3.0]]
    assert out["moved"] == [[5.0, 2.0, 0.0], [5.0, 2.0, 0.0]]


def test_solids_in_a_frame_that_is_moved_go_along(project: Project) -> None:
    """Those that fall do too; what the frame of a solid holds is part of that solid."""
    out = supervise(
        project,
        """
        sup.step(8)
        names = ("STANDS", "INNER", "FALLS")
        before = [sup.getFromDef(name).getPosition() for name in names]
        sup.getFromDef("FRAME").getField("translation").setSFVec3f([0.0, 1.0, 0.0])
        out["translated"] = [[b - a for a, b in zip(old, sup.getFromDef(name).getPosition())]
            for old, name in zip(before, names)]
        out["field"] = sup.getFromDef("STANDS").getField("translation").getSFVec3f()
        sup.getFromDef("FRAME").getField("rotation").setSFRotation([0.0, 0.0, 1.0, math.pi / 2])
        out["turned"] = sup.getFromDef("STANDS").getPosition()
        """,
        nodes="""
        DEF FRAME Pose { translation 1 0 0 children [
          DEF STANDS Solid { name "stands" translation 2 0 0 children [
            Pose { translation 0 0 1 children [ DEF INNER Solid { name "inner" } ] } ] }
          DEF FALLS Solid { name "falls" translation 0 0 5
            boundingObject Sphere { radius 0.1 } physics Physics { } } ] }
        """,
    )
    for moved in out["translated"]:
        assert moved == pytest.approx([-1, 1, 0], abs=1e-12)
    assert out["field"] == [2, 0, 0]
    assert out["turned"] == pytest.approx([0, 3, 0], abs=1e-12)


@pytest.mark.parametrize(
    ("kind", "there", "turned"),
    [("Tracking Shot", [-3, 0, 2], 0.0), ("Mounted Shot", [2, -5, 2], 1.0)],
)
def test_the_viewpoint_is_where_it_has_followed_a_solid_to(
    project: Project, kind: str, there: list[float], turned: float
) -> None:
    """A tracking shot moves with it, a mounted one turns with it; both go on from where they are put."""
    out = supervise(
        project,
        f"""
        view, ball = sup.getFromDef("VIEW"), sup.getFromDef("BALL")
        view.getField("follow").setSFString("ball")
        view.getField("followType").setSFString("{kind}")
        position, turn = view.getField("position"), view.getField("orientation")
        out["first"] = position.getSFVec3f()
        ball.getField("translation").setSFVec3f([2.0, 0.0, 1.0])
        ball.getField("rotation").setSFRotation([0.0, 0.0, 1.0, math.pi / 2])
        out["there"], out["turn"] = position.getSFVec3f(), turn.getSFRotation()
        position.setSFVec3f([9.0, 9.0, 9.0])
        out["put"] = position.getSFVec3f()
        ball.getField("translation").setSFVec3f([2.0, 1.0, 1.0])
        out["on"] = position.getSFVec3f()
        """,
    )
    assert out["first"] == [-5, 0, 2]
    assert out["there"] == pytest.approx(there, abs=1e-12)
    assert out["turn"][3] == pytest.approx(turned * math.pi / 2, abs=1e-12)
    assert out["put"] == pytest.approx([9, 9, 9], abs=1e-12)
    assert out["on"] == pytest.approx([9, 10, 9], abs=1e-12)


def test_what_a_supervisor_lifts_is_carried_for_one_more_step(project: Project) -> None:
    """Webots finds contacts at the end of a step, before programs move things; they act in the next one."""
    out = supervise(
        project,
        """
        ball = sup.getFromDef("BALL")
        sup.step(80)
        ball.getField("translation").setSFVec3f([0.0, 0.0, 1.0])
        out["speeds"] = []
        for _ in range(3):
            sup.step(8)
            out["speeds"].append(ball.getVelocity()[2])
        """,
        nodes="Solid { boundingObject Plane { } } DEF BALL Solid { translation 0 0 0.09961 "
        "boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 1 } }",
    )
    # at rest within a millionth of a metre, which the contact still moves out of
    assert out["speeds"] == pytest.approx([0.0, -9.81 * 0.008, -9.81 * 0.016], abs=1e-3)


def test_contact_points_belong_to_the_solid_that_touches(project: Project) -> None:
    """Feet that are rigidly one with a body have points of their own; the body alone has the rest."""
    foot = (
        'DEF {0} Solid {{ name "{0}" translation {1} 0 -0.1 '
        "boundingObject Box {{ size 0.1 0.1 0.1 }} physics Physics {{ }} }} "
    )
    out = supervise(
        project,
        """
        for _ in range(5):
            sup.step(8)
        nodes = {name: sup.getFromDef(name) for name in ("BODY", "LEFT", "RIGHT")}
        ids = {node.getId(): name for name, node in nodes.items()}
        for name, node in nodes.items():
            out[name] = [len(node.getContactPoints()), len(node.getContactPoints(True))]
        out["owners"] = sorted(ids[point.node_id] for point in nodes["BODY"].getContactPoints(True))
        out["left"] = max(point.point[0] for point in nodes["LEFT"].getContactPoints())
        """,
        nodes='Solid { name "floor" boundingObject Plane { } } '
        'DEF BODY Solid { name "body" translation 3 0 0.15 boundingObject Box { size 0.1 0.1 0.3 } '
        f"physics Physics {{ }} children [ {foot.format('LEFT', -0.5)} {foot.format('RIGHT', 0.5)} ] }}",
    )
    assert out["BODY"] == [4, 12]
    assert out["LEFT"] == out["RIGHT"] == [4, 4]
    assert out["owners"] == ["BODY"] * 4 + ["LEFT"] * 4 + ["RIGHT"] * 4
    assert out["left"] < 2.6


def test_what_a_supervisor_lifts_by_its_joint_is_carried_for_one_more_step(
    project: Project,
) -> None:
    """A ball that slides up and down beside a block, both at rest on the floor, not yet asleep."""
    out = supervise(
        project,
        """
        ball = sup.getFromDef("BALL")
        sup.step(480)
        sup.getFromDef("SLIDE").getField("position").setSFFloat(0.5)
        out["speeds"] = []
        for _ in range(2):
            sup.step(8)
            out["speeds"].append(ball.getVelocity()[2])
        """,
        nodes='Solid { boundingObject Plane { } } Robot { controller "<none>" translation 1 0 0.1 '
        "children [ SliderJoint { jointParameters DEF SLIDE JointParameters { axis 0 0 1 } "
        "endPoint DEF BALL Solid { translation 0.5 0 -0.0004 boundingObject Sphere { radius 0.1 } "
        "physics Physics { density -1 mass 1 } } } ] boundingObject Box { size 0.4 0.4 0.2 } "
        "physics Physics { density -1 mass 10 } }",
    )
    assert out["speeds"] == pytest.approx([0.0, -9.81 * 0.008], abs=1e-4)
