"""Supervisors in C ask, are told and change what those in Python do, value by value."""

# ruff: noqa: E501 - rows of two programs

from __future__ import annotations

from pathlib import Path

import pytest

from tests.control.c.programs import write_c
from tests.control.c.twins import are_same_files, compare
from tests.control.projects import Project, robot

PROTO = """#VRML_SIM R2025a utf8
PROTO Block [ field SFVec3f translation 0 0 0 field SFFloat size 0.2 field SFString name "block" ]
{ Solid { translation IS translation name IS name children [ DEF INNER Group { } ]
  boundingObject Box { size IS size 0.2 0.2 } physics Physics { } } }
"""
WORLD = """
DEF FLOOR Solid { name "floor" translation 0 0 -2.05 boundingObject Box { size 20 20 0.1 } }
DEF BALL Solid { translation 2 0 -1.9 name "ball" boundingObject Sphere { radius 0.1 } physics Physics { mass 2 density -1 }
  children [ DEF PART Pose { translation 0 0 0.5 } ] }
DEF JOINTED Solid { translation 4 0 0 name "base" children [ DEF HINGE HingeJoint {
  jointParameters HingeJointParameters { axis 0 1 0 } endPoint Solid { name "arm" physics Physics { } } } ] }
DEF VALUES Group { children [ DEF LINES Shape { geometry IndexedLineSet {
  coord DEF POINTS Coordinate { point [ 0 0 0, 1 2 3, 4 5 6 ] } coordIndex [ 0, 1, 2, -1 ] } } ] }
DEF LIGHT DirectionalLight { color 0.5 0.25 1 direction 0 0 -1 intensity 2 castShadows TRUE }
DEF VIEW Viewpoint { position 1 2 3 }
DEF SKY Background { skyColor [ 0.1 0.2 0.3 ] luminosity 1 }
DEF BLOCK Block { translation 6 0 0 }
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with a PROTO."""
    place = tmp_path / "protos"
    place.mkdir()
    (place / "Block.proto").write_text(PROTO)
    return Project(tmp_path)


def node(name: str, path: str) -> str:
    """Return the row that finds a node in both programs."""
    return f'- WbNodeRef {name} = wb_supervisor_node_get_from_def("{path}") | {name} = robot.getFromDef("{path}")\n'


def field(name: str, of: str, word: str) -> str:
    """Return the row that finds a field in both programs."""
    return f'- WbFieldRef {name} = wb_supervisor_node_get_field({of}, "{word}") | {name} = {of}.getField("{word}")\n'


def test_nodes(project: Project) -> None:
    """What nodes are, where they are, how they move."""
    rows = (
        node("ball", "BALL")
        + node("part", "BALL.PART")
        + node("hinge", "JOINTED.HINGE")
        + node("block", "BLOCK")
    )
    rows += """
    - WbNodeRef root = wb_supervisor_node_get_root(), self = wb_supervisor_node_get_self() | root, self = robot.getRoot(), robot.getSelf()
    - WbDeviceTag motor = wb_robot_get_device("motor") | motor = robot.getDevice("motor")
    i wb_supervisor_node_get_id(root) | root.getId()
    i wb_supervisor_node_get_id(self) | self.getId()
    i wb_supervisor_node_get_type(self) | self.getType()
    t wb_supervisor_node_get_type_name(ball) | ball.getTypeName()
    t wb_supervisor_node_get_type_name(block) | block.getTypeName()
    t wb_supervisor_node_get_base_type_name(block) | block.getBaseTypeName()
    t wb_supervisor_node_get_def(ball) | ball.getDef()
    b wb_supervisor_node_is_proto(block) | block.isProto()
    b wb_supervisor_node_is_proto(ball) | ball.isProto()
    b wb_supervisor_node_get_parent_node(part) == ball | part.getParentNode() == ball
    b wb_supervisor_node_get_from_id(wb_supervisor_node_get_id(ball)) == ball | robot.getFromId(ball.getId()) == ball
    b wb_supervisor_node_get_from_def("NONE") == NULL | robot.getFromDef("NONE") is None
    b wb_supervisor_node_get_selected() == NULL | robot.getSelected() is None
    i wb_supervisor_node_get_type(wb_supervisor_node_get_from_device(motor)) | robot.getFromDevice(motor).getType()
    t wb_supervisor_node_get_type_name(wb_supervisor_node_get_from_proto_def(block, "INNER")) | block.getFromProtoDef("INNER").getTypeName()
    t wb_supervisor_node_export_string(part) | part.exportString()
    i wb_supervisor_node_get_number_of_fields(ball) | ball.getNumberOfFields()
    i wb_supervisor_node_get_number_of_base_node_fields(block) | block.getNumberOfBaseNodeFields()
    i wb_supervisor_node_get_proto_number_of_fields(block) | block.getProtoNumberOfFields()
    t wb_supervisor_field_get_name(wb_supervisor_node_get_field_by_index(ball, 2)) | ball.getFieldByIndex(2).getName()
    t wb_supervisor_field_get_name(wb_supervisor_node_get_base_node_field_by_index(block, 1)) | block.getBaseNodeFieldByIndex(1).getName()
    t wb_supervisor_field_get_name(wb_supervisor_node_get_proto_field_by_index(block, 1)) | block.getProtoFieldByIndex(1).getName()
    v3 wb_supervisor_field_get_sf_vec3f(wb_supervisor_node_get_base_node_field(block, "translation")) | block.getBaseNodeField("translation").getSFVec3f()
    v3 wb_supervisor_field_get_sf_vec3f(wb_supervisor_node_get_proto_field(block, "translation")) | block.getProtoField("translation").getSFVec3f()
    - wb_supervisor_node_enable_pose_tracking(ball, 8, NULL) | ball.enablePoseTracking(8)
    - wb_supervisor_node_enable_contact_points_tracking(ball, 8, 1) | ball.enableContactPointsTracking(8, True)
    - wb_supervisor_node_save_state(ball, "first") | ball.saveState("first")
    - double velocity[6] = {0.5, 0.1, 0, 0, 2, 1} | velocity = [0.5, 0.1, 0, 0, 2, 1]
    - double force[3] = {1, 2, 30}, offset[3] = {0, 0.1, 0} | force, offset = [1, 2, 30], [0, 0.1, 0]
    - wb_supervisor_node_set_velocity(ball, velocity) | ball.setVelocity(velocity)
    - wb_supervisor_node_set_joint_position(hinge, 0.5, 1) | hinge.setJointPosition(0.5, 1)
    step 2
    - wb_supervisor_node_add_force(ball, force, 0) | ball.addForce(force, False)
    - wb_supervisor_node_add_force_with_offset(ball, force, offset, 1) | ball.addForceWithOffset(force, offset, True)
    - wb_supervisor_node_add_torque(ball, offset, 1) | ball.addTorque(offset, True)
    step 2
    v3 wb_supervisor_node_get_position(ball) | ball.getPosition()
    v9 wb_supervisor_node_get_orientation(ball) | ball.getOrientation()
    v16 wb_supervisor_node_get_pose(part, NULL) | part.getPose()
    v16 wb_supervisor_node_get_pose(part, self) | part.getPose(self)
    v6 wb_supervisor_node_get_velocity(ball) | ball.getVelocity()
    v3 wb_supervisor_node_get_center_of_mass(ball) | ball.getCenterOfMass()
    b wb_supervisor_node_get_static_balance(ball) | ball.getStaticBalance()
    - wb_supervisor_node_load_state(ball, "first") | ball.loadState("first")
    - wb_supervisor_node_reset_physics(ball) | ball.resetPhysics()
    step 12
    - int count = 0 | count = 0
    - WbContactPoint *points = wb_supervisor_node_get_contact_points(ball, 0, &count) | points = ball.getContactPoints()
    i count | len(points)
    v3 points[0].point | points[0].point
    i points[0].node_id | points[0].node_id
    i wb_supervisor_node_get_number_of_contact_points(ball, 1) | ball.getNumberOfContactPoints(True)
    i wb_supervisor_node_get_number_of_contact_points(ball) | ball.getNumberOfContactPoints(True)
    v3 wb_supervisor_node_get_contact_point(ball, 0) | ball.getContactPoint(0)
    b wb_supervisor_node_get_contact_point_node(ball, 0) == ball | ball.getContactPointNode(0) == ball
    - wb_supervisor_node_disable_pose_tracking(ball, NULL) | ball.disablePoseTracking()
    - wb_supervisor_node_disable_contact_points_tracking(ball) | ball.disableContactPointsTracking()
    - wb_supervisor_node_enable_contact_point_tracking(ball, 8, 0) | pass
    - wb_supervisor_node_disable_contact_point_tracking(ball, 0) | pass
    - wb_supervisor_node_move_viewpoint(ball) | ball.moveViewpoint()
    - wb_supervisor_node_set_visibility(ball, wb_supervisor_node_get_from_def("VIEW"), 0) | ball.setVisibility(robot.getFromDef("VIEW"), False)
    - wb_supervisor_node_remove(part) | part.remove()
    i wb_supervisor_node_get_id(part) | part.getId()
    b wb_supervisor_node_get_from_def("BALL.PART") == NULL | robot.getFromDef("BALL.PART") is None
    """
    compare(project, rows, nodes=WORLD, seconds=1.0)


def test_protos(project: Project) -> None:
    """PROTOs and their parameters."""
    rows = node("block", "BLOCK")
    rows += """
    - WbProtoRef proto = wb_supervisor_node_get_proto(block) | proto = block.getProto()
    t wb_supervisor_proto_get_type_name(proto) | proto.getTypeName()
    b wb_supervisor_proto_is_derived(proto) | proto.isDerived()
    b wb_supervisor_proto_get_parent(proto) == NULL | proto.getParent() is None
    i wb_supervisor_proto_get_number_of_fields(proto) | proto.getNumberOfFields()
    - WbFieldRef size = wb_supervisor_proto_get_field(proto, "size") | size = proto.getField("size")
    n wb_supervisor_field_get_sf_float(size) | size.getSFFloat()
    t wb_supervisor_field_get_name(wb_supervisor_proto_get_field_by_index(proto, 0)) | proto.getFieldByIndex(0).getName()
    t wb_supervisor_field_get_name(wb_supervisor_field_get_actual_field(size)) | size.getActualField().getName()
    b wb_supervisor_node_get_proto(wb_supervisor_node_get_self()) == NULL | robot.getSelf().getProto() is None
    """
    compare(project, rows, nodes=WORLD)


def test_fields(project: Project) -> None:
    """All types are read, set, inserted and removed."""
    rows = (
        node("ball", "BALL")
        + node("light", "LIGHT")
        + node("sky", "SKY")
        + node("points", "POINTS")
    )
    rows += node("lines", "LINES") + node("group", "VALUES")
    rows += '- WbNodeRef set = wb_supervisor_field_get_sf_node(wb_supervisor_node_get_field(lines, "geometry")) | set = lines.getField("geometry").getSFNode()\n'
    rows += "- WbNodeRef self = wb_supervisor_node_get_self() | self = robot.getSelf()\n"
    for name, of, word in (
        ("t", "ball", "translation"), ("r", "ball", "rotation"), ("c", "light", "color"), ("f", "light", "intensity"),
        ("b", "light", "castShadows"), ("s", "ball", "name"), ("p", "points", "point"), ("i", "set", "coordIndex"),
        ("k", "sky", "skyColor"), ("a", "lines", "appearance"), ("n", "group", "children"),
        ("q", "self", "controllerArgs"),
    ):  # fmt: skip
        rows += field(name, of, word)
    rows += """
    i wb_supervisor_field_get_type(t) | t.getType()
    t wb_supervisor_field_get_type_name(p) | p.getTypeName()
    t wb_supervisor_field_get_name(k) | k.getName()
    i wb_supervisor_field_get_count(p) | p.getCount()
    - wb_supervisor_field_enable_sf_tracking(t, 8) | t.enableSFTracking(8)
    - wb_supervisor_field_disable_sf_tracking(t) | t.disableSFTracking()
    v3 wb_supervisor_field_get_sf_vec3f(t) | t.getSFVec3f()
    v4 wb_supervisor_field_get_sf_rotation(r) | r.getSFRotation()
    v3 wb_supervisor_field_get_sf_color(c) | c.getSFColor()
    n wb_supervisor_field_get_sf_float(f) | f.getSFFloat()
    b wb_supervisor_field_get_sf_bool(b) | b.getSFBool()
    t wb_supervisor_field_get_sf_string(s) | s.getSFString()
    v3 wb_supervisor_field_get_mf_vec3f(p, 1) | p.getMFVec3f(1)
    v3 wb_supervisor_field_get_mf_vec3f(p, -1) | p.getMFVec3f(-1)
    i wb_supervisor_field_get_mf_int32(i, 2) | i.getMFInt32(2)
    v3 wb_supervisor_field_get_mf_color(k, 0) | k.getMFColor(0)
    b wb_supervisor_field_get_mf_node(n, 0) == lines | n.getMFNode(0) == lines
    b wb_supervisor_field_get_sf_node(a) == NULL | a.getSFNode() is None
    - double three[3] = {0.5, 0.25, 1}, turn[4] = {0, 0, 1, 0.5} | three, turn = [0.5, 0.25, 1.0], [0.0, 0.0, 1.0, 0.5]
    - wb_supervisor_field_set_sf_vec3f(t, three) | t.setSFVec3f(three)
    - wb_supervisor_field_set_sf_rotation(r, turn) | r.setSFRotation(turn)
    - wb_supervisor_field_set_sf_color(c, three) | c.setSFColor(three)
    - wb_supervisor_field_set_sf_float(f, 0.75) | f.setSFFloat(0.75)
    - wb_supervisor_field_set_sf_float(f, 0.5) | f.setSFFloat(0.5)
    - wb_supervisor_field_set_sf_bool(b, 0) | b.setSFBool(False)
    - wb_supervisor_field_set_sf_string(s, "other") | s.setSFString("other")
    - wb_supervisor_field_set_mf_vec3f(p, 0, three) | p.setMFVec3f(0, three)
    - wb_supervisor_field_insert_mf_vec3f(p, -1, three) | p.insertMFVec3f(-1, three)
    - wb_supervisor_field_set_mf_int32(i, 0, 1) | i.setMFInt32(0, 1)
    - wb_supervisor_field_insert_mf_int32(i, 1, 2) | i.insertMFInt32(1, 2)
    - wb_supervisor_field_set_mf_color(k, 0, three) | k.setMFColor(0, three)
    - wb_supervisor_field_insert_mf_color(k, 1, three) | k.insertMFColor(1, three)
    - wb_supervisor_field_insert_mf_string(q, 0, "one") | q.insertMFString(0, "one")
    - wb_supervisor_field_insert_mf_string(q, -1, "two") | q.insertMFString(-1, "two")
    - wb_supervisor_field_set_mf_string(q, 0, "first") | q.setMFString(0, "first")
    t wb_supervisor_field_get_mf_string(q, 0) | q.getMFString(0)
    t wb_supervisor_field_get_mf_string(q, 1) | q.getMFString(1)
    - wb_supervisor_field_remove_mf(p, 1) | p.removeMF(1)
    i wb_supervisor_field_get_count(p) | p.getCount()
    i wb_supervisor_field_get_count(i) | i.getCount()
    v3 wb_supervisor_field_get_mf_vec3f(p, -1) | p.getMFVec3f(-1)
    i wb_supervisor_field_get_mf_int32(i, 1) | i.getMFInt32(1)
    v3 wb_supervisor_field_get_mf_color(k, 1) | k.getMFColor(1)
    v3 wb_supervisor_field_get_sf_vec3f(t) | t.getSFVec3f()
    v4 wb_supervisor_field_get_sf_rotation(r) | r.getSFRotation()
    v3 wb_supervisor_field_get_sf_color(c) | c.getSFColor()
    n wb_supervisor_field_get_sf_float(f) | f.getSFFloat()
    b wb_supervisor_field_get_sf_bool(b) | b.getSFBool()
    t wb_supervisor_field_get_sf_string(s) | s.getSFString()
    - wb_supervisor_field_import_mf_node_from_string(n, -1, "DEF NEW Pose { translation 1 2 3 }") | n.importMFNodeFromString(-1, "DEF NEW Pose { translation 1 2 3 }")
    - wb_supervisor_field_import_sf_node_from_string(a, "PBRAppearance { }") | a.importSFNodeFromString("PBRAppearance { }")
    i wb_supervisor_field_get_count(n) | n.getCount()
    t wb_supervisor_node_get_type_name(wb_supervisor_field_get_sf_node(a)) | a.getSFNode().getTypeName()
    v3 wb_supervisor_node_get_position(wb_supervisor_node_get_from_def("NEW")) | robot.getFromDef("NEW").getPosition()
    - wb_supervisor_field_remove_sf(a) | a.removeSF()
    - wb_supervisor_field_remove_mf_node(n, -1) | n.removeMF(-1)
    i wb_supervisor_field_get_count(n) | n.getCount()
    b wb_supervisor_field_get_sf_node(a) == NULL | a.getSFNode() is None
    step 1
    v3 wb_supervisor_node_get_position(ball) | ball.getPosition()
    """
    compare(project, rows, nodes=WORLD)


def test_the_run(project: Project) -> None:
    """Modes, saving, labels, animations, resets."""
    rows = """
    i wb_supervisor_simulation_get_mode() | robot.simulationGetMode()
    - wb_supervisor_simulation_set_mode(WB_SUPERVISOR_SIMULATION_MODE_REAL_TIME) | robot.simulationSetMode(1)
    i wb_supervisor_simulation_get_mode() | robot.simulationGetMode()
    - wb_supervisor_simulation_set_mode(WB_SUPERVISOR_SIMULATION_MODE_FAST) | robot.simulationSetMode(2)
    - wb_supervisor_set_label(1, "text", 0.1, 0.2, 0.1, 0xff0000, 0.5, "Arial") | robot.setLabel(1, "text", 0.1, 0.2, 0.1, 0xff0000, 0.5, "Arial")
    b wb_supervisor_world_save("saved.wbt") | robot.worldSave("saved.wbt")
    b wb_supervisor_movie_is_ready() | robot.movieIsReady()
    b wb_supervisor_movie_failed() | robot.movieFailed()
    b wb_supervisor_animation_start_recording("run.html") | robot.animationStartRecording("run.html")
    step 1
    b wb_supervisor_animation_stop_recording() | robot.animationStopRecording()
    b wb_supervisor_virtual_reality_headset_is_used() | robot.virtualRealityHeadsetIsUsed()
    - wb_supervisor_simulation_reset_physics() | robot.simulationResetPhysics()
    - wb_supervisor_simulation_physics_reset() | robot.simulationResetPhysics()
    step 1
    - wb_supervisor_simulation_reset() | robot.simulationReset()
    step 2
    n wb_robot_get_time() | robot.getTime()
    v3 wb_supervisor_node_get_position(wb_supervisor_node_get_from_def("BALL")) | robot.getFromDef("BALL").getPosition()
    """
    compare(project, rows, nodes=WORLD)


@pytest.mark.slow
def test_pictures_of_the_view(project: Project) -> None:
    """Byte by byte."""
    rows = '- wb_supervisor_export_image("view.png", 90) | robot.exportImage("view.png", 90)'
    compare(project, rows, nodes=WORLD)
    assert are_same_files(project, "view.png")


def test_devices_that_supervisors_change(project: Project) -> None:
    """Getters tell the new fields; what the program has set itself stays."""
    rows = node("eye", "EYE") + field("f", "eye", "fieldOfView") + field("w", "eye", "near")
    rows += """
    - WbDeviceTag c = wb_robot_get_device("camera") | c = robot.getDevice("camera")
    - wb_camera_set_fov(c, 0.75) | c.setFov(0.75)
    - wb_supervisor_field_set_sf_float(w, 0.5) | w.setSFFloat(0.5)
    step 2
    n wb_camera_get_near(c) | c.getNear()
    n wb_camera_get_fov(c) | c.getFov()
    - wb_supervisor_field_set_sf_float(f, 0.25) | f.setSFFloat(0.25)
    step 2
    n wb_camera_get_fov(c) | c.getFov()
    """
    zoom = "zoom Zoom { minFieldOfView 0.1 maxFieldOfView 1.5 }"
    said = compare(project, rows, devices=f'DEF EYE Camera {{ name "camera" {zoom} }}')
    assert [line.split(" = ")[1] for line in said[:-1]] == ["0.5", "0.75", "0.25"]


def test_files_that_are_imported_and_recorded(project: Project) -> None:
    """Nodes of files, other robots' controllers, movies: by the names of all releases."""
    rows = node("group", "VALUES") + node("other", "OTHER") + node("lines", "LINES")
    rows += field("n", "group", "children") + field("a", "lines", "appearance")
    movie = ', 16, 12, 0, 90, 1, 0) | robot.movieStartRecording("{0}", 16, 12, 0, 90, 1, False)'
    status = "i wb_supervisor_movie_get_status() == WB_SUPERVISOR_MOVIE_{0} | robot.movieIsReady() == {1}\n"
    rows += """
    - wb_supervisor_field_import_mf_node(n, -1, "new.wbo") | n.importMFNode(-1, "new.wbo")
    v3 wb_supervisor_node_get_position(wb_supervisor_node_get_from_def("FILED")) | robot.getFromDef("FILED").getPosition()
    - wb_supervisor_field_import_sf_node(a, "look.wbo") | a.importSFNode("look.wbo")
    t wb_supervisor_node_get_type_name(wb_supervisor_field_get_sf_node(a)) | a.getSFNode().getTypeName()
    - wb_supervisor_node_restart_controller(other) | other.restartController()
    v3 wb_supervisor_virtual_reality_headset_get_orientation() | robot.virtualRealityHeadsetGetOrientation()
    """
    rows += '- wb_supervisor_movie_start_recording("new.gif"' + movie.format("new.gif") + "\n"
    rows += status.format("RECORDING", False) + "step 11\n"
    rows += "- wb_supervisor_movie_stop_recording() | robot.movieStopRecording()\nstep 1\n"
    rows += status.format("READY", True)
    rows += '- wb_supervisor_start_movie("old.gif"' + movie.format("old.gif") + "\nstep 11\n"
    rows += "- wb_supervisor_stop_movie() | robot.movieStopRecording()\nstep 1\n"
    project.controller(
        "other", 'from controller import Robot\nr = Robot()\nprint("starts")\nr.step(8)'
    )
    said = compare(
        project,
        rows,
        nodes=WORLD + 'DEF OTHER Robot { name "other" controller "other" }',
        seconds=1.0,
        new__wbo="#VRML_SIM R2025a utf8\nDEF FILED Solid { translation 3 2 1 }\n",
        look__wbo="#VRML_SIM R2025a utf8\nPBRAppearance { }\n",
    )
    assert "PBRAppearance" in said[3]
    assert project.output("other") == ["starts", "starts"]
    assert all(are_same_files(project, name) for name in ("new.gif", "old.gif"))


@pytest.mark.parametrize(
    ("call", "then"),
    [
        ("wb_supervisor_world_reload()", "world.wbt"),
        ("wb_supervisor_simulation_revert()", "world.wbt"),
        ('wb_supervisor_world_load("next.wbt")', "next.wbt"),
        ('wb_supervisor_load_world("../../worlds/next.wbt")', "next.wbt"),
    ],
)
def test_worlds_are_loaded_and_reloaded(project: Project, call: str, then: str) -> None:
    """The program is told that it is over; that of the new world begins."""
    write_c(
        project,
        f"""
        int main(void) {{
          wb_robot_init();
          printf("%s %g\\n", strrchr(wb_robot_get_world_path(), '/') + 1, wb_robot_get_time());
          FILE *mark = fopen("was_here", "r");
          if (!mark) {{
            fclose(fopen("was_here", "w"));
            wb_robot_step(8);
            {call};
          }}
          while (wb_robot_step(8) != -1) ;
          puts("ends");
          wb_robot_cleanup();
          return 0;
        }}
        """,
    )
    world = robot("exercise", fields="supervisor TRUE")
    project.world(world).rename(project.folder / "worlds" / "next.wbt")
    project.run(world, 0.08)
    assert project.output() == ["world.wbt 0", "ends", f"{then} 0", "ends"], project.errors()
