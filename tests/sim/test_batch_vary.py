"""Constants that differ from copy to copy: each copy is a simulation of the scene edited to its values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import solidbody as sb
from benchmarks.scenes import humanoid, six_joint_arm, two_wheeled_robot
from solidbody.base.errors import NameLookupError
from solidbody.sim.batch.batch import Batch
from solidbody.sim.batch.variables import VARIABLES
from solidbody.sim.following import follow
from tests.sim.test_batch_native import KINEMATIC, scene_of
from tests.sim.test_batch_sensors import CART, EYES, FLOOR, KINDS, NOISY

WORLD = (
    FLOOR.replace(
        "gpsReference 10 20 30",
        """gpsReference 10 20 30 contactProperties [
  ContactProperties { material1 "rubber" bounce 0.3 coulombFriction [ 0.7 ] rollingFriction 0.001 0 0 }
  ContactProperties { material1 "rubber" material2 "rubber" coulombFriction [ 0.4 0.6 ] } ]""",
    )
    + """
Solid { translation 0.9 -0.7 0.4 name "tin" contactMaterial "rubber"
  boundingObject Shape { geometry Cylinder { radius 0.1 height 0.3 } }
  physics Physics { density -1 mass 0.7 centerOfMass [ 0.01 0.02 0.03 ]
    inertiaMatrix [ 0.02 0.03 0.04, 0.001 0.002 0.003 ] } }
Solid { translation -0.7 -0.8 0.6 name "bean" contactMaterial "rubber"
  boundingObject Shape { geometry Capsule { radius 0.1 height 0.3 } } physics Physics { density 500 } }
Solid { translation -0.9 0.9 0.5 name "marble" contactMaterial "rubber"
  boundingObject Shape { geometry Sphere { radius 0.1 } } physics Physics { density 500 } }
"""
    + CART % (EYES + NOISY, KINDS["noisy"][1], KINDS["noisy"][2], KINDS["noisy"][3])
)

COPIES = 4

SLOW = ("sensor.light",)
"""What Python samples."""


def world() -> sb.Scene:
    """Return a world with bodies of all forms, a robot on wheels and its sensors."""
    return scene_of(WORLD)


SCENES: dict[str, Callable[[], sb.Scene]] = {
    "world": world,
    "arm": six_joint_arm,
    "robot": two_wheeled_robot,
    "humanoid": lambda: humanoid()[0],
}

ALL = [row.name for row in VARIABLES]


def drawn(name: str, nominal: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return other values, near what the scene says: (copies, items, ...)."""
    shape = nominal.shape
    factor = random.uniform(0.6, 1.6, shape)
    if name == "joint.range":
        return np.sort(random.uniform(-0.4, 0.4, shape), axis=-1)
    if name == "link.inertia":
        each = random.uniform(0.9, 1.1, (len(nominal), nominal.shape[1], 1))
        return nominal * each
    if name == "link.center_of_mass":
        return nominal + random.uniform(-0.01, 0.01, shape)
    if name in ("joint.acceleration", "sensor.noise", "joint.damping", "joint.static_friction"):
        return random.uniform(0.05, 0.6, shape)
    if name == "contact.rolling_friction":
        return random.uniform(0.0, 0.01, shape)
    if name == "world.gravity":
        return random.uniform(-3.0, 3.0, shape) + np.array([0.0, 0.0, -8.0])
    if name in ("contact.bounce", "contact.soft_erp"):
        return random.uniform(0.1, 0.9, shape)
    if name == "contact.friction":
        return random.uniform(0.05, 0.9, shape)
    return np.where(np.isfinite(nominal[:1]), nominal[:1], 1.0) * factor + 1e-3


def can_differ(batch: Batch, name: str, values: np.ndarray) -> list[str]:
    """Return the items that may have these values."""
    channel, out = batch.variables[name], list[str]()
    for k, item in enumerate(channel.items):
        try:
            batch.vary(name, values[:, k : k + 1], [item])
        except ValueError as error:
            if "cannot differ" not in str(error):
                raise
        else:
            out.append(item)
    return out


def drive(batch: Batch, sims: list[sb.Sim] | None = None) -> None:
    """Let all motors go to a place."""
    if "joint.target_position" not in batch.channels:
        return
    told = batch.bind("joint.target_position")
    told[:] = np.linspace(-1.0, 1.0, told.shape[1])
    rows = batch.channels["joint.target_position"].rows
    for sim in sims or ():
        for column, row in enumerate(rows):
            sim.motors.go_to(row, float(told[0, column]))


def state(sim: sb.Sim) -> list[bytes]:
    """Return what must be the same bytes."""
    d = sim.data
    return [d.qpos.tobytes(), d.qvel.tobytes(), sim.state.motors.tobytes()]


SERVO = """<mujoco><worldbody><body pos="0 0 1"><joint name="swing" axis="0 1 0"/>
 <geom type="capsule" size="0.05 0.2" pos="0 0 -0.3"/></body></worldbody>
 <actuator><position joint="swing" kp="30" kv="2"/></actuator></mujoco>"""


def servo(folder: Path) -> sb.Scene:
    """Return a pendulum of MuJoCo whose motor pulls as a spring does."""
    path = folder / "servo.xml"
    path.write_text(SERVO)
    return sb.load(path)


def compare(batch: Batch, steps: int = 20) -> None:
    """Let all copies and simulations of their scenes do the same; the same bytes come out."""
    batch.reset()
    scenes = [batch._varying.scene_of(copy) for copy in range(COPIES)]
    sims = [sb.Sim(one) for one in scenes]
    drive(batch, sims)
    batch.step(steps)
    for sim in sims:
        sim.step(steps)
    snapshot = batch.snapshot()
    for copy, sim in enumerate(sims):
        assert [snapshot[copy].qpos, snapshot[copy].qvel] == state(sim)[:2], copy
    batch.reset()
    drive(batch)
    batch.step(steps)
    again = batch.snapshot()
    assert [again[k].qpos for k in range(COPIES)] == [snapshot[k].qpos for k in range(COPIES)]
    for copy, sim in enumerate(sims):  # whoever takes a copy in hand has the same simulation
        sim.step(5)
        batch[copy].step(5)
        assert state(batch[copy]) == state(sim)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ALL if name != "joint.servo"])
def test_a_copy_moves_as_the_edited_scene_does(name: str) -> None:
    """To the byte, from the start and after a reset."""
    batch = sb.Sim(world()).batch(COPIES, threads=3)
    values = drawn(name, batch.constants(name), np.random.default_rng(3))
    assert can_differ(batch, name, values)
    compare(batch)
    moves = [batch.snapshot([copy])[0].qpos for copy in range(COPIES)]
    if name.startswith(("link.", "world.", "box.")) or name in ("contact.friction", "joint.gains"):
        assert len(set(moves)) == COPIES  # it does make a difference


@pytest.mark.parametrize("scene", ["arm", "robot", "humanoid"])
def test_everything_differs_at_once(scene: str) -> None:
    """All that can, in all items."""
    batch = sb.Sim(SCENES[scene]()).batch(COPIES, threads=3)
    random = np.random.default_rng(7)
    for name in batch.variables:
        can_differ(batch, name, drawn(name, batch.constants(name), random))
    compare(batch, 12)


def test_gains_of_motors_that_pull_differ(tmp_path: Path) -> None:
    """Of a model of MuJoCo with a position actuator."""
    batch = sb.Sim(servo(tmp_path)).batch(COPIES)
    batch.vary("joint.servo", [[[10.0, 1.0]], [[20.0, 1.0]], [[40.0, 0.5]], [[80.0, 4.0]]])
    compare(batch)
    assert len({batch.snapshot([copy])[0].qpos for copy in range(COPIES)}) == COPIES


@pytest.mark.parametrize(
    "name", ["world.gravity", "link.center_of_mass", "box.size", "sphere.radius", "sensor.noise"]
)
def test_sensors_follow(name: str) -> None:
    """A copy reads what the same copy of a batch of the edited scene reads."""
    batch = sb.Sim(world()).batch(COPIES, seed=5)
    names = [n for n in batch.channels if n.startswith("sensor.") and n not in SLOW]
    before = {n: batch.bind(n) for n in names[:3]}
    values = drawn(name, batch.constants(name), np.random.default_rng(3))
    assert can_differ(batch, name, values)
    found = before | {n: batch.bind(n) for n in names[3:]}
    batch.reset()
    batch.step(7)
    assert not batch._in_python
    for copy in range(COPIES):
        other = sb.Sim(batch._varying.scene_of(copy)).batch(COPIES, seed=5)
        wanted = {n: other.bind(n) for n in names}
        other.reset()
        other.step(7)
        for n in names:
            if name in ("box.size", "sphere.radius", "link.center_of_mass"):
                assert found[n][copy] == pytest.approx(wanted[n][copy], rel=1e-12, nan_ok=True)
            else:
                assert found[n][copy].tobytes() == wanted[n][copy].tobytes(), n


def test_what_is_varied_on_the_way_goes_on_as_an_edited_world() -> None:
    """`sim/following.py` says how; a floating link stays where it is."""
    batch = sb.Sim(world()).batch(2)
    sim = sb.Sim(world())
    for some in (batch, sim):
        some.step(15)
    batch.vary("link.mass", [[2.0]], "crate", ids=[1])
    batch.vary("contact.friction", 0.1, ids=[1])
    follow(sim, batch._varying.scene_of(1))
    batch.step(15)
    sim.step(15)
    assert batch.snapshot([1])[0].qpos == sim.data.qpos.tobytes()
    pose, twist = batch.bind("link.pose", "tin"), batch.bind("link.twist", "tin")
    held = pose.copy(), twist.copy()
    batch.vary("link.center_of_mass", [0.02, 0.0, -0.04], "tin")
    assert pose == pytest.approx(held[0], abs=1e-12)
    assert twist == pytest.approx(held[1], abs=1e-12)
    batch.step(1)
    assert np.abs(pose - held[0])[..., :3].max() < 0.05


def test_threads_order_and_subsets_change_no_byte() -> None:
    """Nor does it matter in how many calls values were given."""
    one, other = (sb.Sim(world()).batch(5, threads=count, seed=2) for count in (1, 8))
    masses, noise = np.linspace(0.5, 3.0, 5)[:, None], np.linspace(0.01, 0.3, 5)[:, None]
    gps = [batch.bind("sensor.gps") for batch in (one, other)]
    one.vary("link.mass", masses, "crate")
    one.vary("sensor.noise", noise, "gps")
    for copy in (3, 0, 4, 1, 2):
        other.vary("sensor.noise", noise[[copy]], "gps", ids=[copy])
        other.vary("link.mass", masses[[copy]], "crate", ids=[copy])
    for batch in (one, other):
        batch.reset()
    one.step(12)
    for ids in ([4, 1], [0], [2, 3]):
        other.step(12, ids)
    assert [one.snapshot()[k].to_bytes() for k in range(5)] == [
        other.snapshot()[k].to_bytes() for k in range(5)
    ]
    assert gps[0].tobytes() == gps[1].tobytes()
    assert len({row.tobytes() for row in gps[0]}) == 5


def test_nominal_values_come_back() -> None:
    """None is what the scene says, also where one number stands for several."""
    plain, batch = sb.Sim(world()).batch(2), sb.Sim(world()).batch(2)
    random = np.random.default_rng(1)
    for name in batch.variables:
        nominal = batch.constants(name)
        values = np.repeat(drawn(name, nominal, random)[:1], 2, axis=0)
        can_differ(batch, name, values)
        batch.vary(name, None)
        assert batch.constants(name).tobytes() == nominal.tobytes()
    for some in (plain, batch):
        some.reset()
        some.step(20)
    assert [plain.snapshot()[k].to_bytes() for k in range(2)] == [
        batch.snapshot()[k].to_bytes() for k in range(2)
    ]


BAD = [
    ("link.mass", -1.0, 'link.mass of "floor" in copy 0 must be a finite number'),
    ("link.mass", np.nan, "must be a finite number"),
    ("contact.bounce", 1.5, r"must be a number of 0 to 1; got 1\.5"),
    ("contact.friction", -0.1, "must be 0 or more; infinite = no limit"),
    ("link.inertia", [1.0, 1.0, 5.0, 0.0, 0.0, 0.0], "that some body can have"),
    ("joint.range", [1.0, -1.0], "must be lowest, highest"),
    ("box.size", [1.0, 0.0, 1.0], "must be a finite number above 0"),
    ("world.gravity", [0.0, 0.0, np.inf], "must be a finite number"),
    ("sensor.noise", [[[1.0]]], r"takes values of shape \(2, \d+\), got \(1, 1, 1\)"),
    ("link.mass", np.ones((3, 1)), r"takes values of shape \(2, \d+\), got \(3, 1\)"),
]


@pytest.mark.parametrize(("name", "value", "text"), BAD)
def test_bad_values_are_refused(name: str, value: Any, text: str) -> None:
    """And nothing has changed then."""
    batch = sb.Sim(world()).batch(2)
    before = batch.constants(name)
    with pytest.raises(
        ValueError, match=text.replace("floor", batch.variables["link.mass"].items[0])
    ):
        batch.vary(name, value)
    assert batch.constants(name).tobytes() == before.tobytes()


def test_unknown_names_are_refused_with_a_suggestion() -> None:
    """Variables, items and copies."""
    batch = sb.Sim(world()).batch(2)
    with pytest.raises(NameLookupError, match=r'no variable is named "link\.mas"\. Did you mean'):
        batch.vary("link.mas", 1.0)
    with pytest.raises(NameLookupError, match=r'named "crat"\. Did you mean "crate"'):
        batch.vary("link.mass", 1.0, "crat")
    with pytest.raises(IndexError, match="there is no copy 7"):
        batch.vary("link.mass", 1.0, "crate", ids=[7])


def test_what_needs_another_model_is_refused() -> None:
    """With what is in the way."""
    batch = sb.Sim(world()).batch(2)
    with pytest.raises(ValueError, match="has its principal axes along those of its link"):
        batch.vary("link.inertia", [0.1, 0.1, 0.1, 0.01, 0.0, 0.0], "marble")
    batch.vary("link.inertia", [0.1, 0.1, 0.15, 0.0, 0.0, 0.0], "marble")


def test_the_plain_step_takes_them_too() -> None:
    """Without the native library every copy is a simulation of its scene."""
    batch = sb.Sim(two_wheeled_robot(), engine="reference").batch(2)
    batch.vary("link.mass", [[1.0], [5.0]], "chassis")
    batch.vary("contact.friction", [[0.2], [0.9]], "default")
    batch.step(3)
    for copy in range(2):
        sim = sb.Sim(batch._varying.scene_of(copy), engine="reference")
        sim.step(3)
        assert batch[copy].data.qpos.tobytes() == sim.data.qpos.tobytes()


def test_kinematic_scenes_refuse_what_is_in_their_own_models() -> None:
    """Their steps write places of bodies into a model per copy already; frictions may differ."""
    batch = sb.Sim(scene_of(KINEMATIC)).batch(2)
    with pytest.raises(ValueError, match="steps move bodies that are fixed to others"):
        batch.vary("world.gravity", [0.0, 0.0, -1.0])
    batch.vary("contact.friction", [[0.1], [0.2]], "default")
    batch.step(3)
