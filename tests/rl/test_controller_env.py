"""`ControllerEnv`: Webots' own controller API drives an environment."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env

from solidbody import rl
from solidbody.base.errors import SolidbodyError
from tests.control.projects import Project, robot

WORLD = Path(rl.__file__).parent / "worlds" / "pole.wbt"


class Pole(rl.ControllerEnv):
    """The cart and its pole, as a program for Webots would see them."""

    action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
    observation_space = spaces.Box(-np.inf, np.inf, (2,), np.float32)

    def __init__(self, world: Any = WORLD, **more: Any) -> None:
        super().__init__(world, **more)
        self.motor = self.getDevice("cart motor")
        self.where, self.tilt = (self.getDevice(f"{name} sensor") for name in ("cart", "pole"))
        for sensor in (self.where, self.tilt):
            sensor.enable(self.timestep)

    def begin(self) -> None:
        self.motor.setForce(float(self.np_random.uniform(-1.0, 1.0)))

    def apply_action(self, action: Any) -> None:
        self.motor.setForce(20.0 * float(action[0]))

    def get_observations(self) -> list[float]:
        return [self.where.getValue(), self.tilt.getValue()]

    def get_reward(self, action: Any) -> float:
        return 1.0

    def is_done(self) -> bool:
        return abs(self.tilt.getValue()) > 0.35

    def get_info(self) -> dict[str, Any]:
        return {"time": self.getTime()}


def trail(env: gymnasium.Env, actions: int = 30, seed: int | None = None) -> bytes:
    """Return what is observed when the pole is balanced by its angle and rate."""
    observation, _ = env.reset(seed=seed)
    out, before = [observation], observation[1]
    for _ in range(actions):
        force = np.array([3.0 * observation[1] + 40.0 * (observation[1] - before)], np.float32)
        before = observation[1]
        observation, _, terminated, truncated, _ = env.step(np.clip(force, -1.0, 1.0))
        assert not terminated and not truncated
        out.append(observation)
    return np.concatenate(out).tobytes()


def test_it_passes_the_check() -> None:
    """Gymnasium's own checker: no warning but that there are no bounds."""
    env = Pole(render_mode="rgb_array", width=32, height=24)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env, skip_render_check=True)
    assert not [str(item.message) for item in caught if "infinity" not in str(item.message)]
    picture = env.render()
    assert picture is not None and picture.shape == (24, 32, 3) and picture.std() > 0.0
    env.close()
    env.close()


def test_the_robot_balances_by_its_own_devices() -> None:
    """For 3 s; nobody pushes: it has fallen by then. Times are those of the API."""
    env = Pole(max_episode_steps=400)
    trail(env, 300, seed=1)
    assert env.get_info()["time"] == pytest.approx(301 * 0.01)
    env.reset(seed=1)
    nothing = np.zeros(1, np.float32)
    ends = [env.step(nothing)[2] for _ in range(300)]
    assert any(ends)
    env.close()


def test_seeds_and_episodes_repeat_to_the_byte() -> None:
    """The first episode of an environment is as any other one of its seed."""
    one, two = Pole(), Pole()
    first = [trail(one, seed=3), trail(one), trail(one)]
    assert len(set(first)) == 3
    assert [trail(one, seed=3), trail(one), trail(one)] == first
    # another environment of this process drives its own world meanwhile
    assert [trail(two, seed=3), trail(one, seed=9), trail(two)][::2] == first[:2]
    one.close(), two.close()


def test_noise_is_that_of_seed_and_episode(tmp_path: Path) -> None:
    """A noisy sensor reads the same under the same seed, and something else in the next episode."""
    project = Project(tmp_path)
    world = project.world(
        robot("<none>", devices='DistanceSensor { name "ds" lookupTable [ 0 0 0.2 10 10 0.2 ] }')
        + 'Solid { translation 1 0 0 boundingObject Box { size 0.1 9 9 } name "wall" }'
    )

    class Noisy(Pole):
        def __init__(self) -> None:
            rl.ControllerEnv.__init__(self, world)
            self.sensor = self.getDevice("ds")
            self.sensor.enable(self.timestep)

        def begin(self) -> None:
            pass

        def apply_action(self, action: Any) -> None:
            pass

        def get_observations(self) -> list[float]:
            return [self.sensor.getValue(), 0.0]

        def is_done(self) -> bool:
            return False

    env = Noisy()

    def values(seed: int | None) -> list[float]:
        return [float(env.reset(seed=seed)[0][0])] + [float(env.step(0)[0][0]) for _ in range(5)]

    one, two = values(7), values(None)
    assert len({*one, *two}) == 12
    assert (values(7), values(None)) == (one, two)
    env.close()


PROGRAM = """
import json
from controller import Robot
robot = Robot()
motor, position = robot.getDevice("motor"), robot.getDevice("position")
position.enable(16)
motor.setPosition(float("inf"))
out = []
for k in range(20):
    motor.setVelocity(0.2 * k)
    robot.step(16)
    out.append(position.getValue())
print(json.dumps(out))
"""


def test_other_robots_have_their_programs(tmp_path: Path) -> None:
    """The program of our robot is not started; one of another robot runs in its own process, in step."""
    project = Project(tmp_path)
    sends = "from controller import Robot\nrobot = Robot()\nemitter = robot.getDevice('out')\n"
    loop = "while robot.step(16) != -1:\n    emitter.send(str(round(1000 * robot.getTime())))\n"
    project.controller("talk", sends + loop)
    nodes = robot("<extern>", name="mine", devices='Receiver { name "in" }')
    world = project.world(
        nodes + robot("talk", name="other", devices='Emitter { name "out" }', x=2)
    )

    class Listening(rl.ControllerEnv):
        action_space = spaces.Discrete(2)
        observation_space = spaces.Box(0.0, 1e6, (1,), np.float32)

        def __init__(self) -> None:
            super().__init__(world, "mine", timestep=16)
            self.receiver = self.getDevice("in")
            self.receiver.enable(16)

        def apply_action(self, action: Any) -> None:
            while self.receiver.getQueueLength():
                self.receiver.nextPacket()

        def get_observations(self) -> list[float]:
            return [float(self.receiver.getString()) if self.receiver.getQueueLength() else 0.0]

        def get_reward(self, action: Any) -> float:
            return 0.0

        def is_done(self) -> bool:
            return False

    env = Listening()
    env.reset(seed=0)
    heard = [env.step(0)[0][0] for _ in range(10)]
    assert heard[-1] > heard[1] >= 16.0
    assert np.allclose(np.diff(heard[1:]), 16.0)
    env.close()


class Spawning(rl.ControllerEnv):
    """A supervisor that puts a ball into the world in each episode."""

    action_space = spaces.Discrete(2)
    observation_space = spaces.Box(-np.inf, np.inf, (2,), np.float64)

    def begin(self) -> None:
        height = self.np_random.uniform(1.0, 2.0)
        fields = f"translation 3 0 {height} boundingObject Sphere {{ }} physics Physics {{ }}"
        ball = f"DEF BALL Solid {{ {fields} }}"
        self.getRoot().getField("children").importMFNodeFromString(-1, ball)
        self.ball = self.getFromDef("BALL")

    def apply_action(self, action: Any) -> None:
        if action:
            self.simulationQuit(3)

    def get_observations(self) -> list[float]:
        return [self.ball.getPosition()[2], self.getRoot().getField("children").getCount()]

    def get_reward(self, action: Any) -> float:
        return 0.0

    def is_done(self) -> bool:
        return False


def test_supervisor_changes_the_world_and_resets_take_it_back(tmp_path: Path) -> None:
    """The same number of nodes in each episode; who ends the simulation ends the episode."""
    world = Project(tmp_path).world(robot("<none>", fields="supervisor TRUE"))
    env = Spawning(world)
    starts = [env.reset(seed=2)[0], env.reset()[0], env.reset(seed=2)[0]]
    assert len({start[1] for start in starts}) == 1
    assert starts[0][0] == starts[2][0] != starts[1][0]
    for _ in range(5):
        fallen, _, terminated, truncated, _ = env.step(0)
        assert not terminated and not truncated
    assert fallen[0] < starts[0][0]
    assert env.step(1)[3]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    assert env.reset(seed=2)[0].tolist() == starts[0].tolist()
    env.close()
    with pytest.raises(SolidbodyError, match="the environment is closed"):
        env.reset()


def test_simulation_that_breaks_down_ends_its_episode() -> None:
    """Terminated, worth nothing, observed as nothing; the next episode is as good as new."""
    env = Pole()
    first = env.reset(seed=0)[0]
    env.sim.data.qvel[0] = np.inf
    observation, reward, terminated, truncated, info = env.step(np.zeros(1, np.float32))
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert "failed" in info and not observation.any()
    assert np.array_equal(env.reset(seed=0)[0], first)
    env.close()


def test_what_does_not_fit_is_told(tmp_path: Path) -> None:
    """Unknown robots, time steps, shapes, attributes."""
    world = Project(tmp_path).world(robot("<none>", name="a") + robot("<none>", name="b", x=2))
    with pytest.raises(SolidbodyError, match="there are: a, b"):
        rl.ControllerEnv(world)
    with pytest.raises(ValueError, match="at least 10 ms"):
        rl.ControllerEnv(WORLD, timestep=5)
    with pytest.raises(ValueError, match="a multiple of the world's 10 ms, got 25"):
        rl.ControllerEnv(WORLD, timestep=25)

    class Wrong(Pole):
        def get_observations(self) -> list[float]:
            return [0.0]

    env = Wrong()
    with pytest.raises(ValueError, match=r"shape \(1,\) is observed; the space wants \(2,\)"):
        env.reset()
    with pytest.raises(AttributeError, match="getDevise"):
        env.getDevise("motor")
    env.close()


def test_same_bytes_as_a_program_of_its_own(tmp_path: Path) -> None:
    """What the API reads here is what it reads in a process."""
    project = Project(tmp_path)
    project.controller("drive", PROGRAM)
    project.run(robot("drive"), 0.5)
    outside = json.loads(project.output()[0])

    class Inside(rl.ControllerEnv):
        action_space = spaces.Discrete(30)
        observation_space = spaces.Box(-np.inf, np.inf, (1,), np.float64)

        def __init__(self) -> None:
            super().__init__(project.folder / "worlds" / "world.wbt", timestep=16)
            self.motor, self.position = self.getDevice("motor"), self.getDevice("position")
            self.position.enable(16)

        def begin(self) -> None:
            self.motor.setPosition(float("inf"))
            self.apply_action(0)

        def apply_action(self, action: Any) -> None:
            self.motor.setVelocity(0.2 * action)

        def get_observations(self) -> list[float]:
            return [self.position.getValue()]

        def get_reward(self, action: Any) -> float:
            return 0.0

        def is_done(self) -> bool:
            return False

    env = Inside()
    inside = [env.reset()[0][0]] + [env.step(k)[0][0] for k in range(1, 20)]
    assert inside == outside and inside[-1] > 0.5
    env.close()
