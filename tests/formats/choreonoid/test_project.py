"""Project files as scenes: worlds, bodies, simulators, materials, vision, what is left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from solidbody.base.span import NOWHERE
from solidbody.formats.options import LoadOptions
from solidbody.model.devices import DeviceCamera
from solidbody.model.geometry import GeometryBox, GeometryMesh
from solidbody.model.links import Motion
from solidbody.model.programs import ModuleFolder, SimpleController
from solidbody.model.scene import Scene
from tests.formats.choreonoid.projects import (
    FLOOR,
    body,
    item,
    project,
    read,
    read_text,
    world,
)

AIST = item("AISTSimulatorItem", "AIST")
ROBOT = body("Robot", "arm.body")
GROUND = body("Ground", "floor.body")


def camera(scene: Scene) -> DeviceCamera:
    """Return the camera of the arm."""
    found = [device for link in scene.links() for device in link.devices]
    assert isinstance(found[0], DeviceCamera)
    return found[0]


def test_a_project_is_a_scene_of_its_bodies(tmp_path: Path) -> None:
    """In the order of its items, under the names of its items, without a word."""
    scene, messages = read(tmp_path, project(world(ROBOT, GROUND, AIST)))
    assert messages == []
    assert scene.name == "test"
    assert [found.name for found in scene.bodies] == ["Robot", "Ground"]
    assert scene.physics.gravity == (0.0, 0.0, -9.80665)
    assert scene.physics.time_step == 0.001
    assert scene.contacts.find("Sole", "Ground").friction == (1.0,)


def test_bodies_of_one_file_get_names_of_their_own(tmp_path: Path) -> None:
    """Links, joints and paths are unique in the scene; an item name used twice gets a number."""
    items = (ROBOT, ROBOT, body("Other", "arm.body"))
    scene, _ = read(tmp_path, project(world(*items, AIST)))
    assert [found.name for found in scene.bodies] == ["Robot", "Robot(1)", "Other"]
    links = list(scene.links())
    assert len({link.name for link in links}) == len(links) == 12
    assert len({link.path for link in links}) == 12


def test_bodies_nest_in_folders_and_in_each_other(tmp_path: Path) -> None:
    """All bodies below the world take part."""
    inner = item("FolderItem", "Things", children=body("A", "arm.body", children=GROUND))
    scene, _ = read(tmp_path, project(world(inner, item("FolderItem", "Sims", children=AIST))))
    assert [found.name for found in scene.bodies] == ["A", "Ground"]


def test_old_key_of_the_body_file(tmp_path: Path) -> None:
    """`modelFile` until 2019."""
    old = item("BodyItem", "Robot", 'modelFile: "arm.body"')
    scene, messages = read(tmp_path, project(world(old, AIST)))
    assert messages == []
    assert len(scene.bodies) == 1


def test_variables_in_paths(tmp_path: Path) -> None:
    """${PROJECT_DIR} is the project's folder, ${SHARE} that of --share."""
    share = tmp_path / "share"
    (share / "model").mkdir(parents=True)
    (share / "model" / "box.body").write_text(FLOOR)
    items = (body("A", "${PROJECT_DIR}/arm.body"), body("B", "${SHARE}/model/box.body"))
    scene, messages = read(tmp_path, project(world(*items, AIST)), options=LoadOptions(share=share))
    assert messages == []
    assert [found.name for found in scene.bodies] == ["A", "B"]


def test_a_missing_body_is_an_error_that_says_how_to_provide_it(tmp_path: Path) -> None:
    """The rest still loads."""
    scene, messages = read(
        tmp_path,
        project(world(ROBOT, body("Gone", "${SHARE}/model/gone.body"), AIST)),
        options=LoadOptions(share=tmp_path),
    )
    assert [found.name for found in scene.bodies] == ["Robot"]
    assert len(messages) == 1
    assert 'error: WorldItem "World" > BodyItem "Gone".file: cannot read' in messages[0]
    assert '"${SHARE}/model/gone.body": there is no such file.' in messages[0]
    assert "Give Choreonoid's share folder (or yours) with --share." in messages[0]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", "a body item needs the file of its body."),
        (
            'file: "robot.sdf"',
            'cannot read bodies from ".sdf" files ("robot.sdf"); known: .body, .yaml, ',
        ),
        ('file: "broken.body"', 'no body comes of "broken.body"; see the messages of that file.'),
        ('file: "/etc/passwd"', "the path leads out of the folders that may be read"),
    ],
)
def test_a_body_that_cannot_be_read_is_left_out(tmp_path: Path, data: str, message: str) -> None:
    """With an error that names its item."""
    (tmp_path / "robot.sdf").write_text("<sdf/>")
    (tmp_path / "broken.body").write_text("links: [")
    scene, messages = read(tmp_path, project(world(item("BodyItem", "Bad", data), ROBOT, AIST)))
    assert len(scene.bodies) == 1
    assert any('BodyItem "Bad"' in text and message in text for text in messages)


# --------------------------------------------------------------------------------------- simulators


def test_simulator_settings_are_used(tmp_path: Path) -> None:
    """Time step and gravity, also from an item in a folder."""
    aist = item("AISTSimulatorItem", "AIST", "time_step: 0.004, gravity: [0, 0, -1]")
    scene, messages = read(
        tmp_path, project(world(ROBOT, item("FolderItem", "Sims", children=aist)))
    )
    assert messages == []
    assert (scene.physics.time_step, scene.physics.gravity) == (0.004, (0.0, 0.0, -1.0))


def test_the_time_bar_gives_the_step_where_the_item_does_not(tmp_path: Path) -> None:
    """As the toolbar of the program does."""
    text = project(world(ROBOT, AIST), more='toolbars: { "TimeBar": { frame_rate: 200 } }')
    scene, messages = read(tmp_path, text)
    assert messages == []
    assert scene.physics.time_step == 0.005


def test_of_several_simulators_aist_comes_first_unless_another_is_selected(tmp_path: Path) -> None:
    """The others are named."""
    ode = item("ODESimulatorItem", "ODE", "time_step: 0.002")
    scene, messages = read(tmp_path, project(world(ROBOT, ode, AIST)))
    assert scene.physics.time_step == 0.001
    assert len(messages) == 1
    assert 'info: items: of 2 simulators "AIST" is used, not "ODE".' in messages[0]
    selected = ode[:-1] + ", is_selected: true}"
    scene, _ = read(tmp_path, project(world(ROBOT, AIST, selected)))
    assert scene.physics.time_step == 0.002


def test_without_simulator_the_defaults_hold(tmp_path: Path) -> None:
    """And it is said."""
    scene, messages = read(tmp_path, project(world(ROBOT)))
    assert scene.physics.time_step == 0.001
    assert len(messages) == 1
    assert "the project has no simulator; the AIST simulator's defaults are used" in messages[0]


def test_the_world_with_a_simulator_is_simulated(tmp_path: Path) -> None:
    """Other worlds and bodies outside are named."""
    first = item("WorldItem", "Empty", children=body("Elsewhere", "arm.body"))
    scene, messages = read(
        tmp_path, project(first, world(GROUND, AIST), body("Outside", "arm.body"))
    )
    assert [found.name for found in scene.bodies] == ["Ground"]
    assert 'of 2 worlds "World" is simulated, not "Empty".' in messages[0]
    assert 'not simulated: "Elsewhere", "Outside".' in messages[1]


def test_without_world_all_bodies_take_part(tmp_path: Path) -> None:
    """Parts of larger projects are saved like this."""
    scene, _ = read(tmp_path, project(ROBOT, GROUND, AIST))
    assert len(scene.bodies) == 2


# ---------------------------------------------------------------------------------------- materials


def test_material_table_of_the_world_and_items_over_it(tmp_path: Path) -> None:
    """Later entries win."""
    (tmp_path / "own.yaml").write_text(
        "contact_materials: [ { materials: [ Sole, Ground ], friction: 0.9 },"
        " { materials: [ Sole, Ice ], friction: 0.2 } ]"
    )
    (tmp_path / "slippy.yaml").write_text(
        "contact_materials: [ { materials: [ Sole, Ground ], friction: 0.01 } ]"
    )
    table = item("MaterialTableItem", "Slippy", "file: slippy.yaml, format: MATERIAL-TABLE-FILE")
    for key in ("default_material_table_file", "materialTableFile"):
        text = project(world(ROBOT, GROUND, AIST, table, data=f"{key}: own.yaml"))
        scene, messages = read(tmp_path, text)
        assert messages == []
        assert scene.contacts.find("Sole", "Ground").friction == (0.01,)
        assert scene.contacts.find("Sole", "Ice").friction == (0.2,)


def test_the_shipped_table_needs_no_file(tmp_path: Path) -> None:
    """Its numbers are known; any other missing table is an error."""
    data = 'default_material_table_file: "${SHARE}/default/materials.yaml"'
    scene, messages = read(tmp_path, project(world(ROBOT, AIST, data=data)))
    assert messages == []
    assert scene.contacts.find("Tire", "Ground").friction == (3.0,)
    scene, messages = read(
        tmp_path, project(world(ROBOT, AIST, data='default_material_table_file: "my.yaml"'))
    )
    assert len(messages) == 1
    assert 'cannot read "my.yaml": there is no such file.' in messages[0]


# ------------------------------------------------------------------------------------------- vision


def test_without_vision_simulator_cameras_deliver_nothing(tmp_path: Path) -> None:
    """As in the original: they are off; a program may switch them on."""
    scene, _ = read(tmp_path, project(world(ROBOT, AIST)))
    assert not camera(scene).is_on


@pytest.mark.parametrize(
    ("data", "runs"),
    [
        ("", True),
        ("enabled: false", False),
        ("target_bodies: [ Robot ]", True),
        ("target_bodies: [ Another ]", False),
        ("target_sensors: [ Eye ]", True),
        ("targetSensors: [ Nose ]", False),
    ],
)
def test_vision_simulator_runs_the_sensors_it_names(tmp_path: Path, data: str, runs: bool) -> None:
    """All, unless there are lists."""
    vision = item("GLVisionSimulatorItem", "GL", data)
    aist = item("AISTSimulatorItem", "AIST", children=vision)
    scene, messages = read(tmp_path, project(world(ROBOT, aist)))
    assert messages == []
    assert camera(scene).is_on is runs


def test_several_vision_simulators_share_the_sensors(tmp_path: Path) -> None:
    names = (("Robot", "Other"), ("Robot", "Eye"), ("Nobody", "Eye"))
    items = [
        item(
            "GLVisionSimulatorItem",
            f"GL{rate}",
            f"targetBodies: [ {whose} ], targetSensors: [ {name} ], maxFrameRate: {rate}",
        )
        for rate, (whose, name) in enumerate(names, 1)
    ]
    aist = item("AISTSimulatorItem", "AIST", children=", ".join(items))
    scene, messages = read(tmp_path, project(world(ROBOT, aist)))
    assert messages == []
    assert (camera(scene).is_on, camera(scene).frame_rate) == (True, 2.0)


def test_vision_simulator_limits_the_rate_and_gives_the_background(tmp_path: Path) -> None:
    """30 Hz become 20 where no more is allowed."""
    data = "max_frame_rate: 20, antialiasing: true, background_color: [ 0.1, 0.2, 0.3 ]"
    vision = item("GLVisionSimulatorItem", "GL", data)
    aist = item("AISTSimulatorItem", "AIST", children=vision)
    scene, _ = read(tmp_path, project(world(ROBOT, aist)))
    assert (camera(scene).frame_rate, camera(scene).anti_aliasing) == (20.0, True)
    assert scene.background is not None
    assert scene.background.color == (0.1, 0.2, 0.3)


@pytest.mark.parametrize(
    "url",
    [
        "${SHARE}/model/misc/floor.body",
        "${SHARE}/model/misc/floor.wrl",
        "${HOME}/choreonoid/share/model/misc/floor.body",
        "../../choreonoid/share/model/misc/floor.body",
        "/usr/local/share/choreonoid-1.7/model/misc/floor.wrl",
    ],
)
def test_a_floor_of_ours_stands_in_for_the_shared_one(tmp_path: Path, url: str) -> None:
    """Nearly half of the public projects stand on it; its top is where they expect it."""
    floor = body("Floor", url, "initial_root_translation: [0, 0, -0.1]")
    scene, messages = read(tmp_path, project(world(ROBOT, floor, AIST)))
    (link,) = scene.bodies[1].links
    (shape,) = link.shapes
    assert isinstance(shape.geometry, GeometryBox)
    assert link.pose.position[2] + shape.geometry.size[2] / 2 == 0.0
    assert (link.motion, shape.contact_material) == (Motion.KINEMATIC, "Ground")
    known = "${SHARE}/model/misc/floor.body"
    assert f'"{known}" is not found; a body of our own stands in.' in messages[-1]
    others = [text for text in messages if "is taken for it" in text]
    assert len(others) == (url != known)
    assert all(f'"{url}" cannot be read; "{known}" is taken for it.' in text for text in others)


def test_the_project_s_own_body_goes_before_ours(tmp_path: Path) -> None:
    """Its folder must agree, too: many projects have some floor."""
    url = "${SHARE}/model/Tank/Tank.body"
    place = tmp_path / "Tank" / "Tank.body"
    place.parent.mkdir()
    place.write_text(FLOOR, "utf-8")
    scene, messages = read(tmp_path, project(world(body("T", url), AIST)))
    assert [link.name for link in scene.bodies[0].links] == ["MAIN"]
    assert messages[0].endswith('"Tank/Tank.body" is taken for it.')


def test_sub_projects_and_tables_of_the_repository_may_be_called_shared(tmp_path: Path) -> None:
    """A table of the same name as Choreonoid's, but in a folder that agrees, is the one that is meant."""
    (tmp_path / "rooms").mkdir()
    (tmp_path / "rooms" / "a.cnoid").write_text(project(body("Robot", "../arm.body")), "utf-8")
    (tmp_path / "default").mkdir()
    table = "contactMaterials: [ { materials: [ Ground, Mud ], friction: 0.25 } ]"
    (tmp_path / "default" / "materials.yaml").write_text(table, "utf-8")
    room = item("SubProjectItem", "R", 'file: "${SHARE}/ours/rooms/a.cnoid"')
    data = 'default_material_table_file: "${SHARE}/ours/default/materials.yaml"'
    scene, messages = read(tmp_path, project(world(room, AIST, data=data)))
    assert [one.name for one in scene.bodies] == ["Robot"]
    assert scene.contacts.find("Ground", "Mud").friction == (0.25,)
    assert '"rooms/a.cnoid" is taken for it.' in messages[0]
    assert '"default/materials.yaml" is taken for it.' in messages[1]


@pytest.mark.parametrize(
    ("class_name", "data", "name"),
    [
        ("BodyRTCItem", "moduleName: /me/PDcontroller", "/me/PDcontroller"),
        ("ROSControlItem", "", "C"),
    ],
)
def test_controllers_are_named_not_run(
    tmp_path: Path, class_name: str, data: str, name: str
) -> None:
    robot = body("Robot", "arm.body", children=item(class_name, "C", data))
    scene, messages = read(tmp_path, project(world(robot, AIST)))
    assert dict(scene.bodies[0].metadata)["controller"] == name
    (message,) = messages
    assert (
        f'the controller "{name}" of "Robot" is native code of Choreonoid and is not run' in message
    )
    assert "run --hold" in message


def test_controllers_belong_to_the_body_that_is_next_above(tmp_path: Path) -> None:
    inner = body("Chair", "arm.body", children=item("SimpleControllerItem", "C", "controller: Sit"))
    outer = body("Table", "arm.body", children=inner)
    scene, _ = read(tmp_path, project(world(outer, AIST)))
    found = {one.name: dict(one.metadata).get("controller") for one in scene.bodies}
    assert found == {"Table": None, "Chair": "Sit"}


@pytest.mark.parametrize("ending", ["wrl", "yaml"])
def test_an_old_name_means_the_body_file_of_that_name(tmp_path: Path, ending: str) -> None:
    """Choreonoid's own models have been renamed; projects of that time still have the old names."""
    scene, messages = read(tmp_path, project(world(ROBOT, body("Old", f"floor.{ending}"), AIST)))
    assert [item.name for item in scene.bodies] == ["Robot", "Old"]
    assert any(f'"floor.{ending}" cannot be read; "floor.body"' in text for text in messages)


def test_a_shared_model_is_found_whatever_machine_the_address_is_of(tmp_path: Path) -> None:
    """A clone has no such folder, but the user has a share folder."""
    folder = tmp_path / "share" / "model" / "misc"
    folder.mkdir(parents=True)
    (folder / "box.body").write_text(FLOOR)
    mine = body("Box", "/usr/local/choreonoid/share/model/misc/box.body")
    scene, messages = read(tmp_path, project(world(ROBOT, mine, AIST)))
    assert len(scene.bodies) == 2
    assert any('"${SHARE}/model/misc/box.body" is taken for it.' in text for text in messages)


def test_a_body_is_found_where_it_is_now(tmp_path: Path) -> None:
    """The author's disk had it elsewhere."""
    robot = body("Robot", "/opt/author/project/arm.body")
    scene, messages = read(tmp_path, project(world(robot, AIST)))
    assert [item.name for item in scene.bodies] == ["Robot"]
    assert any('cannot be read; "arm.body" is taken for it.' in text for text in messages)


def test_a_file_of_meshes_is_a_body_that_stands(tmp_path: Path) -> None:
    """Scenery is put into projects so; Choreonoid calls its link Root."""
    (tmp_path / "wall.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    scene, messages = read(tmp_path, project(world(ROBOT, body("Wall", "wall.obj"), AIST)))
    assert messages == []
    (link,) = scene.bodies[1].links
    assert (link.name, link.motion) == ("Root", Motion.KINEMATIC)
    assert [type(shape.geometry) for shape in link.shapes] == [GeometryMesh]


def test_the_shared_floor_itself_is_taken_where_it_is(tmp_path: Path) -> None:
    """A note is given only without it."""
    folder = tmp_path / "share" / "model" / "misc"
    folder.mkdir(parents=True)
    (folder / "floor.body").write_text(FLOOR.replace("[ 10, 10, 0.2 ]", "[ 7, 7, 0.2 ]"))
    floor = body("Floor", "${SHARE}/model/misc/floor.body")
    options = LoadOptions(share=tmp_path / "share")
    scene, messages = read(tmp_path, project(world(floor, AIST)), options=options)
    assert messages == []
    (shape,) = scene.bodies[0].links[0].shapes
    assert isinstance(shape.geometry, GeometryBox)
    assert shape.geometry.size == (7.0, 7.0, 0.2)


def test_vision_simulator_with_effects_sees_without_them(tmp_path: Path) -> None:
    """Of a plugin: cameras run as under the plain one, and the project says what is missing."""
    vision = item("VFXVisionSimulatorItem", "VFX", "max_frame_rate: 20, dynamics_type: All process")
    aist = item("AISTSimulatorItem", "AIST", children=vision)
    scene, messages = read(tmp_path, project(world(ROBOT, aist)))
    assert (camera(scene).is_on, camera(scene).frame_rate) == (True, 20.0)
    assert len(messages) == 1
    assert "cameras see without the noise and distortions that this simulator adds." in messages[0]


# ------------------------------------------------------------------------------- what is left out


def test_controllers_that_are_run_are_read_with_all_that_they_are_told(tmp_path: Path) -> None:
    """Those below another one share its body, however deep they stand."""
    deep = item("SimpleControllerItem", "C", "controller: Third")
    folder = item("FolderItem", "F", "", children=deep)
    below = item(
        "SimpleControllerItem", "B", "controller: Second, reloading: false", children=folder
    )
    data = (
        "controller: ../First.so, baseDirectory: Project directory, controllerOptions: fast, "
        "isNoDelayMode: true, exportSymbols: true, isOldTargetVariableMode: true, "
        "inputLinkPositions: true"
    )
    first = item("SimpleControllerItem", "A", data, children=below)
    robot = body("Robot", "arm.body", children=first)
    aist = "controllerOptions: all, is_active_control_time_range_mode: true"
    scene, messages = read(tmp_path, project(world(robot, item("AISTSimulatorItem", "S", aist))))
    assert messages == []
    a, b, c = scene.bodies[0].programs
    assert replace(a, span=NOWHERE) == SimpleController(
        module="../First.so",
        name="A",
        options="fast",
        simulator_options="all",
        folder=ModuleFolder.PROJECT,
        no_delay=True,
        reloads=True,
        exports=True,
        old_targets=True,
    )
    assert (a.parent, b.parent, c.parent) == (None, 0, 0)
    assert (b.module, b.reloads, c.module) == ("Second", False, "Third")
    assert ("controller", "../First.so") in scene.bodies[0].metadata
    assert scene.bodies[0].robots[0].name == "Robot"
    assert scene.ends_with_programs


def test_a_controller_item_without_a_name_is_an_error(tmp_path: Path) -> None:
    nameless = body("Robot", "arm.body", children=item("SimpleControllerItem", "C"))
    _, messages = read(tmp_path, project(world(nameless, AIST)))
    (message,) = messages
    assert "a controller item needs the name of its shared object" in message


def test_items_that_nothing_takes_the_place_of_are_told_once(tmp_path: Path) -> None:
    """One note for each class, one for all views."""
    extra = item("SensorVisualizerItem", "V")
    text = project(world(ROBOT, AIST, extra, extra), more="views: [ { class: SceneView } ]")
    _, messages = read(tmp_path, text)
    assert len(messages) == 2
    assert "2 items of the class SensorVisualizerItem (plugin Body) left out" in messages[0]
    assert messages[1].endswith("of the program's views only the first scene view's place is read.")


def test_missing_forces_are_a_warning(tmp_path: Path) -> None:
    """A submarine will sink."""
    _, messages = read(tmp_path, project(world(ROBOT, AIST, item("SubmersibleSimulatorItem", "S"))))
    assert len(messages) == 1
    assert "warning: " in messages[0]
    assert "SubmersibleSimulatorItem left out: buoyancy and drag are missing." in messages[0]


def test_a_project_in_a_project(tmp_path: Path) -> None:
    """Its items stand below the item that names it."""
    (tmp_path / "part.cnoid").write_text(project(GROUND))
    sub = item("SubProjectItem", "Part", 'filename: "${PROJECT_DIR}/part.cnoid"')
    scene, messages = read(tmp_path, project(world(ROBOT, sub, AIST)))
    assert messages == []
    assert [found.name for found in scene.bodies] == ["Robot", "Ground"]


def test_a_project_that_holds_itself_ends(tmp_path: Path) -> None:
    """With an error."""
    sub = item("SubProjectItem", "Self", 'filename: "test.cnoid"')
    scene, messages = read(tmp_path, project(ROBOT, AIST, sub))
    assert len(scene.bodies) == 17
    assert any("projects stand more than 16 deep in each other." in text for text in messages)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file holds no value."),
        ("[ 1 ]", 'expected a mapping with "items".'),
        ("views: []", "a project has its items under this key."),
        ("items: 3", 'expected a mapping, got "3".'),
        ("items: {", "this is not YAML"),
    ],
)
def test_what_is_no_project_gives_no_scene(tmp_path: Path, text: str, message: str) -> None:
    """And one error."""
    scene, messages = read_text(tmp_path, text)
    assert scene is None
    assert len(messages) == 1
    assert message in messages[0]


def test_an_item_of_a_wrong_kind_is_named(tmp_path: Path) -> None:
    """Children and data must be mappings."""
    text = project(world(ROBOT, "3", AIST), "{class: BodyItem, name: B, data: 5}")
    scene, messages = read(tmp_path, text)
    assert len(scene.bodies) == 1
    assert any('expected a mapping, got "3".' in found for found in messages)
    assert any('expected a mapping, got "5".' in found for found in messages)


def test_a_mistyped_key_of_an_item_is_named(tmp_path: Path) -> None:
    """A body would silently start at the origin."""
    robot = body("Robot", "arm.body", "initial_root_translatoin: [ 0, 0, 1 ]")
    _, messages = read(tmp_path, project(world(robot, AIST)))
    assert len(messages) == 1
    assert 'BodyItem "Robot".initial_root_translatoin: there is no such key' in messages[0]
    assert 'Did you mean "initial_root_translation"?' in messages[0]
