"""Reference runs that end somewhere else than ours step by step, and why; made as the other ones.

Choreonoid's solver stops after ten sweeps; ours solves the same rows. Where a run is chaotic, or the sweeps
leave much of a force, what must agree is said in each test, and what differs in docs/choreonoid.md.
"""

from __future__ import annotations

import csv
import math
import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from solidbody.sim import Sim
from tests.formats.choreonoid.projects import FLOOR, body, item, project, world
from tests.physics.choreonoid_runs import CHOREONOID, REFERENCE, SHARED
from tests.physics.test_choreonoid_references import prepared, repeat

pytestmark = pytest.mark.skipif(not REFERENCE.is_dir(), reason="the reference runs are not here")

TANK = SHARED / "corpus" / "choreonoid" / "k38-suzuki+hairo-world-plugin" / "sample" / "tutorial"
IS_LONG = os.environ.get("SOLIDBODY_LONG_TESTS") == "1"
REST = 0.00025
"""[m] Depth at which bodies rest: the correction depth of the simulator."""


def on_floor(text: str, folder: Path, *, height: float) -> Sim:
    """Return the simulation of a body above the references' floor."""
    (folder / "floor.body").write_text(FLOOR)
    (folder / "robot.body").write_text(text, encoding="utf-8")
    items = (
        body("Floor", "floor.body", "initial_root_translation: [0, 0, -0.1]"),
        body("Robot", "robot.body", f"initial_root_translation: [0, 0, {height}]"),
        item("AISTSimulatorItem", "AIST"),
    )
    (folder / "run.cnoid").write_text(project(world(*items)))
    scene, log = read_scene(folder / "run.cnoid")
    assert scene is not None and not log.has_errors, [str(message) for message in log]
    return Sim(scene)


@pytest.mark.slow
def test_a_humanoid_lies_still_at_the_end_as_there(tmp_path: Path) -> None:
    """SR1 without torque, 2 s: half a millimetre until it sits (0.6 s), at rest within 5 mm of 61 mm.

    It falls straight here; there, what the sweeps leave makes it roll sideways by 18 mm.
    """
    run = repeat("sr1_fall", tmp_path)
    early = run.times <= 0.6
    assert np.abs(run.ours[early] - run.theirs[early]).max() < 1e-3
    assert run.ours[-1, 0, 2] == pytest.approx(run.theirs[-1, 0, 2], abs=0.005)
    assert np.abs(run.ours[-1] - run.ours[-10]).max() < 1e-4  # 0.1 s: at rest
    assert abs(run.ours[-1, 0, 1]) < 1e-3


def test_a_ragdoll_falls_as_there_and_ends_on_the_floor(tmp_path: Path) -> None:
    """17 links, no torque. Free fall to rounding; after the impact it is chaos.

    The impact at 3.7 m/s has no restitution and stops the waist here; there it springs back with 1.0 m/s,
    which ten sweeps through a standing chain of links leave over. At the end the waist's capsule (radius
    0.11 m) lies on the floor here; there it still turns at 1 rad/s, 3 cm higher.
    """
    run = repeat("ragdoll", tmp_path)
    falling = run.times < 0.385
    assert np.abs(run.ours[falling] - run.theirs[falling]).max() < 1e-11
    after = (run.times > 0.385) & (run.times < 0.6)
    assert np.abs(np.diff(run.ours[after, 0, 2])).max() < 1e-3  # it stands
    assert run.ours[-1, 0, 2] == pytest.approx(0.11 - REST, abs=1e-3)
    assert run.theirs[-1, 0, 2] == pytest.approx(0.139, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("begin", "end"), [(1.0, 2.0), (0.6, 2.0)] if IS_LONG else [(1.0, 1.2)])
def test_a_pile_of_cubes_goes_on_as_there(begin: float, end: float, tmp_path: Path) -> None:
    """100 cubes, from where the original has them towards their rest: as high within 4 %, as slow.

    At its start they overlap by up to 3 cm. The original then finds contacts wherever triangles cut each
    other (697 after 0.6 s), which carry a buried corner as on a foot; our boxes turn on that corner (256). So
    the pile is begun where most of that is over. From both times ours ends 2 % lower, at 106.5 mm.
    """
    sim, rows = prepared("pile100", tmp_path, until=end)
    at = {float(row["time"]): row for row in rows}
    roots = {found.name: sim.link(found.links[0].name) for found in sim.scene.bodies}
    labels = [column[:-3] for column in rows[0] if column.endswith(".pz")]
    for label in labels:
        link, row = roots[label], at[begin]
        link.set_pose(_read(row, label, "px py pz"), _read(row, label, "qw qx qy qz"))
        link.set_velocity(_read(row, label, "vx vy vz"), _read(row, label, "wx wy wz"))
    sim.step(round((end - begin) / sim.time_step))
    ours = np.array([roots[label].position[2] for label in labels])
    theirs = np.array([_read(at[end], label, "pz") for label in labels])
    assert ours.mean() == pytest.approx(theirs.mean(), rel=0.04)
    assert min(ours.min(), theirs.min()) > 0.05 - 5 * REST
    speeds = [np.linalg.norm(roots[label].linear_velocity) for label in labels]
    their_speeds = [np.linalg.norm(_read(at[end], label, "vx vy vz")) for label in labels]
    assert np.median(speeds) < 2.0 * np.median(their_speeds)
    assert sim.stats.not_converged == 0


@pytest.mark.slow
def test_a_pile_of_cubes_that_start_inside_each_other_ends_higher(tmp_path: Path) -> None:
    """From the reference's start (see above) the pile stays steeper: 122 to 126 mm, there 108."""
    run = repeat("pile100", tmp_path, until=2.0 if IS_LONG else 0.6)
    ours, theirs = run.ours[-1, :, 2], run.theirs[-1, :, 2]
    assert ours.mean() == pytest.approx(theirs.mean(), rel=0.18 if IS_LONG else 0.05)
    assert ours.max() < 0.5


def _read(row: dict[str, str], label: str, columns: str) -> list[float]:
    return [float(row[f"{label}.{column}"]) for column in columns.split()]


CAR = """format: ChoreonoidBody
format_version: 2.0
angle_unit: degree
name: Car
links:
  - name: BODY
    joint_type: free
    mass: 10
    inertia: [0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1]
    elements: [ { type: Shape, geometry: { type: Box, size: [0.6, 0.3, 0.1] } } ]
"""
WHEEL = """  - name: {name}
    parent: BODY
    joint_type: revolute
    joint_axis: Y
    translation: [{x}, {y}, -0.02]
    mass: 1
    inertia: [0.002, 0, 0, 0, 0.003, 0, 0, 0, 0.002]
    elements: [ {{ type: Shape, geometry: {{ type: Cylinder, radius: 0.08, height: 0.05 }} }} ]
"""


def test_a_car_stands_as_there(tmp_path: Path) -> None:
    """The reference's file is not public; its run says: root at 0.1 m, wheels that touch, free joints.

    A car of ours like that ends at the same height within 2 um, and rolls no farther.
    """
    with (REFERENCE / "car.csv").open() as file:
        last = list(csv.DictReader(file))[-1]
    wheels = "".join(
        WHEEL.format(name=f"W{k}", x=x, y=y)
        for k, (x, y) in enumerate((x, y) for x in (0.2, -0.2) for y in (0.2, -0.2))
    )
    sim = on_floor(CAR + wheels, tmp_path, height=0.1)
    sim.step(2000)
    root = next(k for k, link in enumerate(sim.scene.links()) if link.name == "BODY")
    place = sim.poses()[root]
    assert place[2] == pytest.approx(float(last["FourWheelCar.pz"]), abs=2e-6)
    assert place[2] == pytest.approx(0.1 - REST, abs=2e-6)
    assert np.abs(place[:2]).max() < 2e-5  # there: 16 um
    assert np.abs(sim.velocities()[root]).max() < 1e-5


Moment = tuple[float, NDArray[np.float64], NDArray[np.float64], dict[str, str]]


def driven_tank(folder: Path) -> list[Moment]:
    """Return time, pose and velocity of the chassis, and the reference's row, every 10 ms."""
    text = (TANK / "Tutorial" / "SimpleTank.body").read_text(encoding="utf-8")
    # the tutorial's copy has its gun fixed
    gun = "jointType: fixed\n    jointAxis: -Y"
    assert gun in text
    sim = on_floor(text.replace(gun, gun.replace("fixed", "revolute")), folder, height=0.1)
    with (REFERENCE / "simple_tank.csv").open() as file:
        rows = list(csv.DictReader(file))
    joints = [sim.joint("TURRET_Y"), sim.joint("TURRET_P")]
    wanted, before, effort = np.array((0.5, 0.2)), np.zeros(2), np.zeros(2)
    root = next(k for k, link in enumerate(sim.scene.links()) if link.name == "CHASSIS")
    out: list[Moment] = []
    for row in rows:
        while sim.stats.steps < round(float(row["time"]) / 0.001):
            now = np.array([joint.position for joint in joints])
            following = 200.0 * (wanted - now) - 50.0 * (now - before) / 0.001
            for joint, value in zip(joints, effort.tolist(), strict=True):
                joint.effort = value
            sim.step()
            before, effort = now, following
            for name, speed in (("TRACK_L", 1.0), ("TRACK_R", 0.5)):
                sim.joint(name).target_velocity = speed
        out.append(
            (float(row["time"]), sim.poses()[root].copy(), sim.velocities()[root].copy(), row)
        )
    return out


@pytest.mark.slow
@pytest.mark.skipif(not TANK.is_dir(), reason="the corpus is not here")
def test_a_tank_turns_as_there(tmp_path: Path) -> None:
    """Tracks at 1.0 and 0.5 m/s: 4 mm from the reference after 2.25 m, where 3 % are asked.

    Eight corners carry the tank, three would do: the first sweeps share the weight out by the order of the
    list of contacts, and later ones keep it, here as there. With equal loads it would end 0.13 m away.
    """
    run = driven_tank(tmp_path)
    spins = np.array([(v[5], float(row["SimpleTank.wz"])) for time, _, v, row in run if time > 0.5])
    assert spins[:, 0] == pytest.approx(spins[:, 1], rel=0.02)
    assert np.ptp(spins, axis=0).min() > 0.025  # plain friction turns steadily, with 0.555 rad/s
    for time, pose, _, row in run:
        gone = math.hypot(float(row["SimpleTank.px"]), float(row["SimpleTank.py"]))
        off = math.dist(pose[:2], (float(row["SimpleTank.px"]), float(row["SimpleTank.py"])))
        assert off < 0.005 * gone + 1e-3, time
    _, last, _, row = run[-1]
    heading = 2 * math.atan2(last[6], last[3])
    theirs = 2 * math.atan2(float(row["SimpleTank.qz"]), float(row["SimpleTank.qw"]))
    assert heading == pytest.approx(theirs, rel=0.01)


SPOT = SHARED / "corpus" / "choreonoid" / "k38-suzuki+hairo-world-plugin" / "sample" / "spot"


@pytest.mark.skipif(not SPOT.is_dir(), reason="the corpus is not here")
def test_a_free_arm_without_damping_stays_finite() -> None:
    """Seven links with forces of the start of the step: it gains speed, up to 0.3 rad per step or so."""
    scene, log = read_scene(SPOT / "model" / "Spot" / "SpotArm.body")
    assert scene is not None and not log.has_errors
    sim, fastest = Sim(scene, cut_meshes=False), 0.0
    for _ in range(100):
        sim.step(100)
        fastest = max(fastest, float(np.abs(sim.joint_states()[:, 1]).max()))
    assert 150.0 < fastest < 1000.0


CRAWLER = CHOREONOID / "sample" / "SimpleController" / "SampleCrawler.cnoid"


@pytest.mark.skipif(not CRAWLER.is_file(), reason="the corpus is not here")
def test_a_crawler_climbs_an_edge_and_lies_flat_again_as_there() -> None:
    """Driven by what its controller says in the first two seconds: 1.5 m/s from the second step on.

    At 0.57 s it meets a ramp that begins at height 0, on which tracks get caught there and not here: the
    edge of the box comes a tenth of a second sooner. Without the floor's normal it ended 14 mm in the ground.
    """
    scene, log = read_scene(CRAWLER, options=LoadOptions(share=CHOREONOID / "share"))
    assert scene is not None and not log.has_errors
    sim = Sim(scene)
    root = next(found.links[0].name for found in scene.bodies if found.name == "Crawler")
    with (REFERENCE / "programs" / "crawler.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if float(row["time"]) <= 2.0 + 1e-9]
    places = []
    for row in rows:
        while sim.step_count < round(float(row["time"]) / 0.001):
            sim.step()
            for name in ("CRAWLER_TRACK_L", "CRAWLER_TRACK_R"):
                sim.joint(name).target_velocity = 1.5
        places.append(sim[root].position)
    ours = np.array(places)
    theirs = np.array([[float(row[f"Crawler.p{a}"]) for a in "xyz"] for row in rows])
    assert np.abs(ours - theirs)[:56].max() < 2e-3  # a step of friction more or less at the start
    assert ours[100:, 2].max() == pytest.approx(theirs[100:, 2].max(), abs=2e-3)
    assert ours[-1, 2] == pytest.approx(theirs[-1, 2], abs=2e-4)
    assert ours[-1, 1] == pytest.approx(theirs[-1, 1], abs=2e-3)
    assert ours[-1, 0] - ours[-6, 0] == pytest.approx(theirs[-1, 0] - theirs[-6, 0], rel=1e-3)
