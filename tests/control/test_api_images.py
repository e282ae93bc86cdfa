"""Cameras, range finders and lidars, from controllers in processes of their own."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from solidbody.render.ray_engine import RayEngine
from tests.control.projects import Project

CAMERA = """
Camera { name "camera" width 4 height 2 fieldOfView 1 near 0.02 translation 0 0 2 %s }
"""
WALL = """
Background { skyColor [ 0 0 1 ] }
Solid { name "wall" translation %s 0 2 recognitionColors [ 0 1 0 ] model "plate"
  children [ Shape { appearance PBRAppearance { baseColor 1 0 0 emissiveColor 1 0 0 }
    geometry Box { size 0.02 40 1 } } ]
  boundingObject Box { size 0.02 40 1 } }
"""
SIGN = WALL.replace("40", "1.2")
"""A wall that just fills the picture at 1 m, whose size there is nearly its own."""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_pictures_are_bytes_of_blue_green_red_alpha(project: Project) -> None:
    """The lower half sees a red wall; `array[x][y]` has the columns of the picture."""
    out = project.exercise(
        """
        camera = robot.getDevice("camera")
        out["off"] = camera.getImage()
        camera.enable(8)
        out["before"] = camera.image
        robot.step(8)
        image = camera.getImage()
        array = camera.getImageArray()
        width = camera.getWidth()
        out["size"] = [width, camera.height, len(image), len(array), len(array[0])]
        out["pixel"] = list(image[16:20])
        out["red"] = Camera.imageGetRed(image, width, 0, 1)
        out["green"] = Camera.imageGetGreen(image, width, 0, 1)
        out["blue"] = Camera.imageGetBlue(image, width, 0, 1)
        out["gray"] = Camera.imageGetGray(image, width, 0, 1)
        out["array"] = [array[0][1], array[0][0]]
        out["upper"] = list(image[0:3])
        camera.disable()
        out["period"] = camera.getSamplingPeriod()
        """,
        devices=CAMERA % "",
        # below the line of sight: only the lower row of pixels sees it
        nodes=WALL.replace("0 2 recog", "0 1.5 recog") % 1,
    )
    assert out["off"] is None and out["before"] is None
    assert out["size"] == [4, 2, 32, 4, 2]
    blue, green, red, alpha = out["pixel"]
    assert alpha == 255 and red > 200 and blue < 100
    assert [out["red"], out["green"], out["blue"]] == [red, green, blue]
    assert out["gray"] == (red + green + blue) // 3
    assert out["array"] == [[red, green, blue], out["upper"][::-1]]
    assert out["upper"][0] > 200, "the sky is blue"
    assert out["period"] == 0
    assert any(
        'Camera.getImage() called for the disabled device "camera"' in line
        for line in project.errors()
    )


def test_images_are_black_from_the_step_after_enabling_until_the_first_is_taken(
    project: Project,
) -> None:
    """A period of two steps: programs that read in every step get zeros, not None, in the first."""
    out = project.exercise(
        """
        camera, finder, lidar = map(robot.getDevice, ("camera", "finder", "lidar"))
        for device in (camera, finder, lidar):
            device.enable(16)
        lidar.enablePointCloud()
        def read():
            points = lidar.getPointCloud()
            return [camera.getImage() and list(camera.getImage()), finder.getRangeImage(),
                lidar.getRangeImage(), points and [[p.x, p.y, p.z] for p in points]]
        out["at once"] = read()
        robot.step(8)
        out["black"] = read()
        robot.step(8)
        out["first"] = read()
        """,
        devices=CAMERA % ""
        + 'RangeFinder { name "finder" width 2 height 1 maxRange 5 translation 0 0 2 }'
        + 'Lidar { name "lidar" horizontalResolution 2 numberOfLayers 1 maxRange 5 '
        "fieldOfView 0.2 translation 0 0 2 }",
        nodes=WALL % 1,
    )
    assert out["at once"] == [None] * 4
    assert out["black"] == [[0, 0, 0, 255] * 8, [0.0] * 2, [0.0] * 2, [[0.0] * 3] * 2]
    image, depths, ranges, points = out["first"]
    assert max(image[:3]) > 0 and min(depths) > 0.5 and min(ranges) > 0.5
    assert min(x for x, _, _ in points) > 0.5


def test_zoom_exposure_and_focus_have_limits(project: Project) -> None:
    """What is outside of them is refused with a message."""
    out = project.exercise(
        """
        camera, plain = robot.getDevice("camera"), robot.getDevice("plain")
        out["first"] = [camera.getFov(), camera.getMinFov(), camera.getMaxFov(), camera.getNear(),
            camera.getExposure(), camera.getFocalLength(), camera.getFocalDistance(),
            camera.getMinFocalDistance(), camera.getMaxFocalDistance()]
        camera.setFov(0.75)
        camera.setFov(2.0)
        camera.exposure = 0.5
        camera.setExposure(-1)
        camera.setFocalDistance(3.0)
        camera.setFocalDistance(9.0)
        plain.setFov(0.6)
        plain.setFocalDistance(1.0)
        camera.enable(8)
        robot.step(8)
        out["then"] = [camera.fov, camera.exposure, camera.focal_distance, plain.fov]
        """,
        devices=CAMERA % "zoom Zoom { minFieldOfView 0.5 maxFieldOfView 1.25 } "
        "focus Focus { focalLength 0.01 focalDistance 2 minFocalDistance 1 maxFocalDistance 4 }"
        + 'Camera { name "plain" }',
    )
    assert out["first"] == [1, 0.5, 1.25, 0.02, 1, 0.01, 2, 1, 4]
    assert out["then"] == [0.75, 0.5, 3, pytest.approx(0.785398)]
    errors = "\n".join(project.errors())
    assert "2 is outside of the zoom range 0.5 to 1.25" in errors
    assert "-1 is negative" in errors
    assert "9 is outside of 1 to 4" in errors
    assert 'Camera.setFov() of "plain": the camera has no Zoom node' in errors
    assert "the camera has no Focus node" in errors


def test_depths_are_saved_as_floats_in_radiance_files(project: Project) -> None:
    """A wall at 0.99 m behind a near plane at 0.01 m, of 2 m: 0.49, to 1/128 of it."""
    out = project.exercise(
        """
        finder = robot.getDevice("finder")
        finder.enable(8)
        robot.step(8)
        out["saved"] = [finder.saveImage("depth.hdr", 100), finder.saveImage("no/such/d.hdr", 100)]
        """,
        devices='RangeFinder { name "finder" translation 0 0 2 width 3 height 2 maxRange 2 }',
        nodes=WALL % 1,
    )
    assert out == {"saved": [0, -1]}
    data = (project.folder / "controllers" / "exercise" / "depth.hdr").read_bytes()
    head, _, pixels = data.partition(b"-Y 2 +X 3\n")
    assert head == b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n"
    red, green, blue, exponent = pixels[:4]
    assert len(pixels) == 4 * 6 and red == green == blue
    assert red / 256 * 2.0 ** (exponent - 128) == pytest.approx(0.49, rel=1 / 128)


def test_depths_are_saved_as_they_are_in_tiff_files(project: Project) -> None:
    """As until R2020a."""
    out = project.exercise(
        """
        finder = robot.getDevice("finder")
        finder.enable(8)
        robot.step(8)
        out["saved"] = finder.saveImage("depth.tif", 100)
        """,
        devices='RangeFinder { name "finder" translation 0 0 2 width 3 height 2 maxRange 2 }',
        nodes=WALL % 1,
    )
    assert out == {"saved": 0}
    with Image.open(project.folder / "controllers" / "exercise" / "depth.tif") as image:
        assert image.mode == "F" and image.size == (3, 2)
        assert np.asarray(image) == pytest.approx(0.99, rel=1e-3)


def test_pictures_are_saved_as_png_or_jpeg(project: Project) -> None:
    """The simulator writes them: the controller's Python needs nothing installed."""
    out = project.exercise(
        """
        camera, finder = robot.getDevice("camera"), robot.getDevice("finder")
        out["off"] = camera.saveImage("early.png", 100)
        camera.enable(8)
        finder.enable(8)
        out["early"] = camera.saveImage("early.png", 100)
        robot.step(8)
        out["saved"] = [camera.saveImage("a.png", 100), camera.saveImage("a.jpg", 80),
            finder.saveImage("depth.png", 100)]
        out["refused"] = [camera.saveImage("a.gif", 100), camera.saveImage("b.jpg", 0),
            camera.saveImage("no/such/folder/a.png", 100)]
        """,
        devices=CAMERA % "" + 'RangeFinder { name "finder" width 3 height 2 maxRange 2 }',
        nodes=WALL % 1,
    )
    assert out == {"off": -1, "early": -1, "saved": [0, 0, 0], "refused": [-1, -1, -1]}
    home = project.folder / "controllers" / "exercise"
    with Image.open(home / "a.png") as image:
        assert image.size == (4, 2)
    with Image.open(home / "depth.png") as image:
        assert image.size == (3, 2)
    assert not (home / "a.gif").exists()
    assert 'the file name "a.gif" must end with .png, .jpg or .jpeg' in "\n".join(project.errors())


def test_recognised_objects_and_their_colours(project: Project) -> None:
    """The wall is 1 m ahead, painted in its recognition colour in the segmentation."""
    out = project.exercise(
        """
        camera, plain = robot.getDevice("camera"), robot.getDevice("plain")
        out["has"] = [camera.hasRecognition(), camera.hasRecognitionSegmentation(),
            plain.hasRecognition(), plain.hasRecognitionSegmentation()]
        plain.recognitionEnable(8)
        plain.enableRecognitionSegmentation()
        out["off"] = [camera.getRecognitionNumberOfObjects(),
            camera.getRecognitionSegmentationImage()]
        camera.enable(8)
        camera.recognitionEnable(8)
        camera.enableRecognitionSegmentation()
        robot.step(8)
        out["period"] = camera.getRecognitionSamplingPeriod()
        out["count"] = camera.getRecognitionNumberOfObjects()
        found = camera.getRecognitionObjects()[0]
        out["found"] = [found.getPosition(), found.getOrientation(), found.getSize(),
            found.getPositionOnImage(), found.getSizeOnImage(), found.getNumberOfColors(),
            found.getColors(), found.getModel()]
        out["same"] = [found.getId() == found.id, found.position == found.getPosition(),
            found.model == found.getModel(), found.get_model().decode("utf-8") == found.getModel(),
            b"plate" == found.get_model() != b"plates", not found.model != b"plate",
            {found.model: 1} == {"plate": 1},
            found.get_position_on_image() == found.getPositionOnImage()]
        out["on"] = camera.isRecognitionSegmentationEnabled()
        out["pixel"] = list(camera.getRecognitionSegmentationImage()[0:4])
        out["array"] = camera.getRecognitionSegmentationImageArray()[0][0]
        out["saved"] = camera.saveRecognitionSegmentationImage("segments.png", 100)
        camera.disableRecognitionSegmentation()
        camera.recognitionDisable()
        out["over"] = [camera.recognition_sampling_period,
            camera.isRecognitionSegmentationEnabled()]
        """,
        devices=CAMERA % "recognition Recognition { segmentation TRUE }"
        + 'Camera { name "plain" translation 0 0 -1 }',
        nodes=SIGN % 1,
    )
    assert out["has"] == [True, True, False, False]
    assert out["off"] == [0, None]
    assert (out["period"], out["count"], out["on"], out["saved"]) == (8, 1, True, 0)
    position, orientation, size, at, extent, colors, color, model = out["found"]
    # corners beyond an edge are moved onto the plane through it, a little farther away
    assert position == pytest.approx([1.1, 0, 0], abs=0.1)
    assert orientation[3] == pytest.approx(0, abs=1e-9)
    assert size == pytest.approx([0.02, 1.15], abs=0.1), "forward and to the left"
    # of four columns: a corner that is moved onto the upper plane after that on the left leaves it again
    assert (at, extent) == ([1, 1], [2, 1]), "between the middles of the outermost pixels"
    assert (colors, color, model) == (1, [0, 1, 0], "plate")
    assert all(out["same"])
    assert out["pixel"] == [0, 255, 0, 255]
    assert out["array"] == [0, 255, 0]
    assert out["over"] == [0, False]
    errors = "\n".join(project.errors())
    assert "the camera has no Recognition node" in errors
    assert "call recognitionEnable() first" in errors


def test_range_finders_measure_depth(project: Project) -> None:
    """A wall 0.99 m ahead; nothing in range is infinite."""
    out = project.exercise(
        """
        import numpy
        finder = robot.getDevice("finder")
        finder.enable(8)
        robot.step(8)
        image = finder.getRangeImage()
        rows = finder.getRangeImageArray()
        out["sizes"] = [len(image), len(rows), len(rows[0]), len(finder.getRangeImage("buffer"))]
        buffer = finder.getRangeImage("buffer")
        out["read as bytes"] = numpy.frombuffer(buffer, numpy.float32).tolist() == image
        out["read as a pointer"] = numpy.ctypeslib.as_array(buffer, (2, 3)).tolist() == rows
        out["depth"] = RangeFinder.rangeImageGetDepth(image, finder.getWidth(), 1, 0)
        out["corner"] = rows[1][2] == image[5]
        out["facts"] = [finder.getWidth(), finder.getHeight(), finder.getFov(),
            finder.getMinRange(), finder.getMaxRange()]
        out["properties"] = [finder.width, finder.height, finder.fov, finder.min_range,
            finder.max_range]
        """,
        devices='RangeFinder { name "finder" width 3 height 2 fieldOfView 0.5 translation 0 0 2'
        " minRange 0.1 maxRange 5 }",
        nodes=WALL % 1,
    )
    assert out["sizes"] == [6, 2, 3, 6]
    # the image holds 32-bit floats
    assert out["depth"] == pytest.approx(0.99, abs=1e-5)
    assert out["corner"]
    assert out["read as bytes"], "what programs did until R2022a"
    assert out["read as a pointer"], "what they do since"
    assert out["facts"] == out["properties"] == [3, 2, 0.5, 0.1, 5]


def test_lidars_have_layers_and_points(project: Project) -> None:
    """Each layer is its own (Webots' library always returns the first)."""
    out = project.exercise(
        """
        import struct
        lidar = robot.getDevice("lidar")
        lidar.enable(8)
        out["cloud before"] = lidar.isPointCloudEnabled()
        lidar.enablePointCloud()
        robot.step(8)
        image, rows = lidar.getRangeImage(), lidar.getRangeImageArray()
        layers = [lidar.getLayerRangeImage(0), lidar.getLayerRangeImage(1)]
        out["same"] = [rows == layers, image == layers[0] + layers[1], layers[0] != layers[1]]
        out["none"] = [lidar.getLayerRangeImage(2), lidar.getLayerPointCloud(-1)]
        points, layer = lidar.getPointCloud(), lidar.getLayerPointCloud(1)
        out["points"] = [len(points), lidar.getNumberOfPoints(), len(layer), layer[0].layer_id]
        middle = layer[2]
        out["middle"] = [middle.x, middle.y, middle.time]
        out["distance"] = layers[1][2]
        buffer = lidar.getPointCloud("buffer")
        out["buffer"] = [len(buffer), struct.unpack_from("fffif", buffer, 7 * 20)]
        out["layer buffer"] = lidar.getLayerPointCloud(1, "buffer") == buffer[5 * 20 :]
        out["facts"] = [lidar.getHorizontalResolution(), lidar.getNumberOfLayers(),
            lidar.getFov(), lidar.getVerticalFov(), lidar.getMinRange(), lidar.getMaxRange()]
        turning = robot.getDevice("turning")
        out["frequency"] = [turning.getFrequency(), turning.getMinFrequency(),
            turning.getMaxFrequency()]
        turning.setFrequency(12)
        turning.setFrequency(30)
        out["set"] = turning.frequency
        lidar.disablePointCloud()
        out["cloud after"] = lidar.isPointCloudEnabled()
        """,
        devices='Lidar { name "lidar" horizontalResolution 5 numberOfLayers 2 fieldOfView 1'
        " verticalFieldOfView 0.2 minRange 0.1 maxRange 5 translation 0 0 1.95 type "
        '"fixed" } Lidar { name "turning" type "rotating" defaultFrequency 10 minFrequency 5'
        " maxFrequency 20 }",
        nodes=WALL.replace("0 2 recog", "0 1.45 recog") % 1,
    )
    assert out["same"] == [True, True, True], "the upper layer misses the wall"
    assert out["none"] == [None, None]
    assert out["points"] == [10, 10, 5, 1]
    x, y, time = out["middle"]
    assert (x, y) == pytest.approx((0.99, 0), abs=1e-5)
    assert time == pytest.approx(0.008)
    # the lower layer looks 0.1 rad down
    assert out["distance"] == pytest.approx(0.99 / math.cos(0.1), abs=1e-5)
    # the structure of Webots' C library, point 7 is the middle of the lower layer
    assert out["buffer"] == [10 * 20, [x, y, pytest.approx(-0.099, abs=1e-3), 1, time]]
    assert out["layer buffer"]
    assert out["facts"] == [5, 2, 1, pytest.approx(0.2), 0.1, 5]
    assert out["frequency"] == [10, 5, 20] and out["set"] == 12
    assert "30 is outside of 5 to 20" in "\n".join(project.errors())
    assert not out["cloud before"] and not out["cloud after"]
    assert "2 is not a layer of 0 to 1" in "\n".join(project.errors())


def test_a_supervisor_finds_the_nodes_that_its_camera_recognises(project: Project) -> None:
    """By their numbers: a solid of its own, and one that is a part of another."""
    out = project.exercise(
        """
        camera = robot.getDevice("camera")
        camera.enable(8)
        camera.recognitionEnable(8)
        robot.step(8)
        found = camera.getRecognitionObjects()
        out["defs"] = sorted(robot.getFromId(one.getId()).getDef() for one in found)
        """,
        robot_class="Supervisor",
        fields="supervisor TRUE",
        devices=(CAMERA % "recognition Recognition { occlusion 0 }").replace(
            "width 4 height 2", "width 64 height 32"
        ),
        nodes="""
        DEF NEAR Solid { name "near" translation 1 0.1 2 recognitionColors [ 0 1 0 ]
          boundingObject Box { size 0.1 0.1 0.1 } physics Physics { }
          children [ DEF PART Solid { name "part" translation 0 -0.2 0 recognitionColors [ 1 0 0 ]
            boundingObject Box { size 0.1 0.1 0.1 } } ] }
        """,
    )
    assert out["defs"] == ["NEAR", "PART"]


def test_pictures_are_made_for_controllers_that_read_them(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """20 steps, of which 3 are looked at; recognition and segmentation as well."""
    made: list[int] = []
    real = RayEngine.picture

    def picture(self: RayEngine, *arguments: Any, **named: Any) -> Any:
        made.append(1)
        return real(self, *arguments, **named)

    monkeypatch.setattr(RayEngine, "picture", picture)
    out = project.exercise(
        """
        camera = robot.getDevice("camera")
        camera.enable(8)
        camera.recognitionEnable(8)
        camera.enableRecognitionSegmentation()
        out["same"], out["seen"] = [], []
        for step in range(20):
            robot.step(8)
            if step % 8 == 1:
                out["same"].append(camera.getImage() == camera.getImage())
                out["seen"].append(len(camera.getRecognitionObjects()))
                out["segments"] = list(camera.getRecognitionSegmentationImage()[-16:-12])
        """,
        devices=CAMERA % "recognition Recognition { segmentation TRUE }",
        nodes=SIGN % 1,
    )
    assert out["same"] == [True] * 3 and out["seen"] == [1] * 3
    assert out["segments"] == [0, 255, 0, 255]
    assert len(made) == 3


def test_pictures_can_be_read_while_the_simulation_steps(project: Project) -> None:
    """Between stepBegin and stepEnd they are those of before the step."""
    out = project.exercise(
        """
        camera, lidar = robot.getDevice("camera"), robot.getDevice("lidar")
        camera.enable(8)
        camera.recognitionEnable(8)
        lidar.enable(8)
        lidar.enablePointCloud()
        robot.step(8)
        robot.stepBegin(8)
        image, cloud, objects = camera.getImage(), lidar.getPointCloud(), camera.getRecognitionObjects()
        out["length"], out["points"], out["objects"] = len(image), len(cloud), len(objects)
        out["range"] = lidar.getRangeImage()
        robot.stepEnd()
        out["after"] = camera.getImage() == image
        """,
        devices=CAMERA % "recognition Recognition { }"
        + 'Lidar { name "lidar" horizontalResolution 5 numberOfLayers 2 translation 0 0 2 }',
        nodes=SIGN % 0.51,
    )
    assert (out["length"], out["points"], out["objects"], out["after"]) == (32, 10, 1, True)
    # the upper of two layers looks up by half of the default angle of 0.2
    assert out["range"][2] == pytest.approx(0.5 / math.cos(0.1), rel=1e-6)
    assert not project.errors()


def test_what_was_seen_stays_seen_when_the_world_changes(project: Project) -> None:
    """A wall is gone before anybody has looked at the picture with it."""
    out = project.exercise(
        """
        camera = robot.getDevice("camera")
        camera.enable(8)
        camera.recognitionEnable(8)
        camera.enableRecognitionSegmentation()
        robot.step(16)
        robot.getFromDef("WALL").remove()
        out["segments"] = list(camera.getRecognitionSegmentationImage()[-4:])
        out["red"] = camera.getImage()[-2]
        out["objects"] = [found.model for found in camera.getRecognitionObjects()]
        robot.step(16)
        out["after"] = list(camera.getRecognitionSegmentationImage()[-4:])
        """,
        devices=CAMERA % "recognition Recognition { segmentation TRUE }",
        nodes=SIGN.replace("Solid {", "DEF WALL Solid {") % 1,
        fields="supervisor TRUE",
        robot_class="Supervisor",
    )
    assert out["segments"] == [0, 255, 0, 255] and out["after"] == [0, 0, 0, 255]
    assert out["red"] > 200 and out["objects"] == ["plate"]


def test_a_supervisor_changes_fields_of_a_camera(project: Project) -> None:
    """Field of view, exposure, segmentation and noise mask: the program is told, pictures show them."""
    Image.new("RGB", (4, 4), (10, 20, 30)).save(project.folder / "mask.png")
    out = project.exercise(
        """
        camera, node = robot.getDevice("camera"), robot.getFromDef("CAMERA")
        camera.enable(8)
        robot.step(8)
        out["before"] = [camera.getFov(), camera.getExposure(), camera.hasRecognitionSegmentation()]
        node.getField("fieldOfView").setSFFloat(0.5)
        node.getField("exposure").setSFFloat(3.0)
        recognition = node.getField("recognition").getSFNode()
        recognition.getField("segmentation").setSFBool(False)
        node.getField("noiseMaskUrl").setSFString("../mask.png")
        robot.step(8)
        out["after"] = [camera.getFov(), camera.getExposure(), camera.hasRecognitionSegmentation()]
        out["pixel"] = list(camera.getImage()[:3])
        node.getField("noiseMaskUrl").setSFString("")
        robot.step(8)
        out["bare"] = list(camera.getImage()[:3])
        """,
        devices="DEF CAMERA" + CAMERA % "recognition Recognition { segmentation TRUE }",
        nodes="Background { skyColor [ 0 0 1 ] }",
        fields="supervisor TRUE",
        robot_class="Supervisor",
    )
    assert out["before"] == [1, 1, True]
    assert out["after"] == [0.5, 3, False]
    assert (out["pixel"], out["bare"]) == ([30, 20, 10], [255, 0, 0])


@pytest.mark.parametrize("harm", ["cut off", "removed", "filled"])
def test_a_program_that_spoils_its_picture_harms_nobody(project: Project, harm: str) -> None:
    """The memory is the program's too: a simulator that maps what was cut off would be killed."""
    project.controller(
        "vandal",
        f"""
        import os
        from controller import Robot
        robot = Robot()
        camera = robot.getDevice("camera")
        camera.enable(8)
        robot.step(8)
        assert camera.getImage()
        path = camera._facts["memory"]
        for turn in range(20):
            if {harm!r} == "cut off":
                os.truncate(path, 0)
            elif {harm!r} == "filled":
                open(path, "wb").write(b"x" * 10**6)
            elif turn == 0:
                os.unlink(path)
            robot.step(8)
            assert len(camera.getImage()) == 32  # it was written again
        print("done", flush=True)
        os._exit(0)
        """,
    )
    sim = project.run(
        f'Robot {{ name "robot" controller "vandal" children [ {CAMERA % ""} ] }}' + WALL % 1, 0.3
    )
    assert sim.time >= 0.3 - 1e-9
    assert project.output()[-1:] == ["done"], project.lines
