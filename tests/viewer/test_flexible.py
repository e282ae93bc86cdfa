"""Muscles and belts on the wire: what the page needs to draw them as cameras see them."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import Any

import numpy as np
import pytest

import solidbody as sb
from solidbody.base.transforms import Pose
from solidbody.base.vectors import matrix
from solidbody.devices.surfaces.belt_path import belt_elements
from solidbody.devices.surfaces.muscles import Muscles
from solidbody.model.devices import DeviceTrackBelt
from solidbody.viewer.live_updates import LiveUpdates
from solidbody.viewer.notebook_frames import replay_of_now
from solidbody.viewer.panel_commands import PanelCommands
from solidbody.viewer.player import Player
from solidbody.viewer.probe import Probe
from solidbody.viewer.protocol import decode_frame
from solidbody.viewer.protocol_scene import WireScene
from solidbody.viewer.scene_encoding import encode_scene
from tests.devices.worlds import sim_of

TRACK = """Robot { translation 1 0 0.5 children [ Track { rotation 0 0 1 0.5 textureAnimation 2 0
  device LinearMotor { name "belt" maxVelocity 5 }
  children [
    Shape { appearance PBRAppearance { baseColorMap ImageTexture { url "a.png" } } geometry Box { } }
    %s
  ]
  animatedGeometry Pose { translation 0 0 0.01 children [
    Shape { geometry Box { size 0.04 0.2 0.02 } } ] }
  geometriesCount 12
  boundingObject Box { } } ] }"""

WHEELS = """TrackWheel { position -0.3 0 radius 0.1 }
  TrackWheel { position 0 0.02 radius 0.05 inner FALSE }
  TrackWheel { position 0.3 0 radius 0.15 }"""

ARM = """Robot { children [ HingeJoint { jointParameters HingeJointParameters { axis 1 0 0 }
  device [ RotationalMotor { maxTorque 20 muscles [
    Muscle { volume 0.02 startOffset 0 0 0.5 endOffset 0 0.1 0 color [ 0 0 1, 1 0 0, 0 1 0 ] }
    Muscle { visible FALSE } ] } ]
  endPoint Solid { translation 0 1 0 children [ Shape { geometry Sphere { radius 0.05 } } ]
    boundingObject Sphere { radius 0.05 } physics Physics { density -1 mass 1 } } } ] }"""


def encoded(sim: sb.Sim) -> WireScene:
    """Return the scene as the page gets it."""
    return encode_scene(sim.scene, sim.poses(), sim.moving, time_step=sim.time_step)


def looks(sim: sb.Sim, live: LiveUpdates, now: float) -> dict[str, Any]:
    """Return what the page is told of looks."""
    live.observe(now)
    return json.loads(live.news["looks"].data)


def belt_places(path: tuple[float, ...], length: float, along: np.ndarray) -> np.ndarray:
    """Return x and z of places on a path, read from its numbers as the wire documents them."""
    pieces = np.array(path).reshape(-1, 5)
    out: list[tuple[float, float]] = []
    for place in along % length:
        start, x, z, outward, radius = pieces[pieces[:, 0] <= place][-1]
        rest = place - start
        if radius == 0.0:  # along the straight, which has "outwards" on its left
            out.append((x + rest * np.sin(outward), z - rest * np.cos(outward)))
        else:
            angle = outward - rest / radius
            out.append((x + radius * np.cos(angle), z + radius * np.sin(angle)))
    return np.array(out)


def test_the_path_on_the_wire_is_the_one_that_cameras_see() -> None:
    """Twelve elements after 0.37 m: the same places from the wire's numbers and for cameras."""
    sim = sim_of(TRACK % WHEELS)
    scene = encoded(sim)
    (belt,) = scene.belts
    device = next(
        d for link in sim.scene.links() for d in link.devices if isinstance(d, DeviceTrackBelt)
    )
    assert (belt.count, belt.first_shape, len(scene.shapes)) == (12, 2, 14)
    assert {scene.shapes[k].position for k in range(2, 14)} == {(0.0, 0.0, 0.01)}
    along = 0.37 + np.arange(12) * belt.length / 12
    places = belt_places(tuple(belt.path), belt.length, along)
    poses = belt_elements(device, 0.37)
    # elements are 1 cm outside the path: take that off along their own z
    on_path = poses[:, :3] - 0.01 * np.stack([matrix(row[3:])[:, 2] for row in poses])
    frame = Pose(belt.position, belt.rotation)
    wanted = np.array([frame.point((x, 0.0, z)) for x, z in places])
    assert on_path == pytest.approx(wanted, abs=1e-9)  # sums of lengths of about a metre


def test_frames_tell_how_far_belts_have_run() -> None:
    """Travels follow the poses; the picture on the track goes by two sizes per metre of them."""
    sim = sim_of(TRACK % WHEELS)
    sim.joint("belt").target_velocity = 1.0
    sim.run(0.3)
    player = Player(sim, paused=True, attendant=PanelCommands(sim))
    header, poses, travels = decode_frame(player.frame.message)
    assert (header.belt_count, header.body_count) == (1, len(poses))
    assert travels.tolist() == pytest.approx([sim.joint_states()[0, 0]], rel=1e-6)  # float32
    assert travels[0] == pytest.approx(0.3, abs=0.02)  # it starts at the speed of its motor
    (belt,) = encoded(sim).belts
    assert (belt.slides, tuple(belt.texture_velocity)) == ([1], (2.0, 0.0))


def test_a_replay_of_now_tells_how_far_belts_have_run() -> None:
    """One frame: poses, then travels, as the page expects them."""
    sim = sim_of(TRACK % WHEELS)
    sim.joint("belt").target_velocity = 1.0
    sim.run(0.3)
    found = re.search(r'id="replay">(.*?)</script>', replay_of_now(sim), re.DOTALL)
    assert found is not None
    packed = base64.b64decode(json.loads(found[1])["poses"])
    numbers = np.frombuffer(gzip.decompress(packed), dtype="<f4")
    assert len(numbers) == 7 * len(sim.moving) + 1
    assert numbers[-1] == np.float32(sim.joint_states()[0, 0])


def test_a_belt_without_wheels_has_no_elements() -> None:
    """There is no path to put them on; its picture still runs."""
    (belt,) = encoded(sim_of(TRACK % "")).belts
    assert (belt.count, belt.path, belt.slides) == (0, (), [1])


def test_a_muscle_spans_two_links() -> None:
    """From its offset on the robot to its offset on the arm; a hidden one is not sent."""
    scene = encoded(sim_of(ARM))
    (muscle,) = scene.muscles
    links = [link.name for link in scene.links]
    ball = scene.shapes[muscle.shape]
    assert (ball.link, muscle.end_link) == (0, 1), links
    assert (muscle.start, muscle.end, muscle.volume) == ((0, 0, 0.5), (0, 0.1, 0), 0.02)
    assert ball.live
    assert scene.materials[ball.material].color == (0.0, 0.0, 1.0)


def test_the_colour_of_a_muscle_follows_its_motor() -> None:
    """1 kg held out at 1 m: 9.81 of 20 N*m, blue mixed with red or green as it shrinks or grows."""
    sim = sim_of(ARM)
    live = LiveUpdates(sim, Probe(sim), lambda _: None)
    looks(sim, live, 1.0)
    sim.run(1.0)
    motor = sim.joint("rotational motor")
    motor.target_position = 0.5  # the arm comes nearer to the muscle's start
    sim.run(0.02)
    looks(sim, live, 2.0)
    sim.run(0.02)
    (tint,) = looks(sim, live, 3.0)["tints"]
    muscles = next(g for g in sim.devices.groups if isinstance(g, Muscles))
    share = muscles.share(0)
    assert share > 0.4
    assert tint["shape"] == 2
    assert tint["color"] == pytest.approx([share, 0.0, 1.0 - share], abs=1e-3)  # three places
    motor.target_position = -0.5
    sim.run(0.2)
    looks(sim, live, 4.0)
    sim.run(0.02)
    (tint,) = looks(sim, live, 5.0)["tints"]
    assert (tint["color"][0], tint["color"][1] > 0.0) == (0.0, True)


def test_watching_does_not_change_what_cameras_see() -> None:
    """The page keeps a note of its own of which way muscles move."""
    sim = sim_of(ARM)
    muscles = next(g for g in sim.devices.groups if isinstance(g, Muscles))
    sim.run(1.0)
    before = muscles.color(0)
    live = LiveUpdates(sim, Probe(sim), lambda _: None)
    sim.joint("rotational motor").target_position = -0.5
    for k in range(5):
        sim.run(0.02)
        looks(sim, live, 1.0 + k)
    share = muscles.share(0)
    assert before[1] == muscles.color(0)[1] == 0.0  # never green: no camera has seen it grow
    assert muscles.color(0)[0] == pytest.approx(share)
