"""`ControllerEnv`: an environment that is driven by Webots' own controller API, in this process.

For people who have programs for Webots: methods have the names that deepbots gave them.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import SimulationEnd, SimulationError, SolidbodyError
from solidbody.control.hub import ControllerHub, ControllerOptions
from solidbody.control.in_process import InProcessLink, connected, slot_of
from solidbody.control.session import Session
from solidbody.formats.loading import load
from solidbody.model.scene import Scene
from solidbody.rl.rendering import RENDER_MODES, Rendering, check_render_mode
from solidbody.sim import Sim

if TYPE_CHECKING:
    # where programs of robots find it
    from controller.supervisor import Supervisor


class ControllerEnv(gymnasium.Env[Any, Any]):
    """A world in which one robot is driven from here, by the API that it has in a program of its own.

    Derive a class: give it `action_space` and `observation_space`, find devices in `__init__`, and say
    what actions do and what is observed. What the robot can do, the environment can: `self.getDevice` is
    `self.robot.getDevice`.

    Args:
        world: The file, or the scene.
        robot: Name of the robot; None = the only one. Its `controller` in the file is not started.
        timestep: Of an action [ms], a multiple of the world's; None = the world's own.
        controllers: Whether the programs of other robots are started, in processes of their own.
        max_episode_steps: Actions after which an episode is cut off; None = never.
        render_mode: "rgb_array" (`render` returns pictures of the viewpoint), "human" (a page in the browser
            follows), or None.
        width: Of pictures [pixels].
        height: Of pictures [pixels].

    Attributes:
        robot: `Supervisor` where the robot is one, else `Robot`, of the module `controller`.
        timestep: As given [ms].
        sim: The simulation.
    """

    def __init__(
        self,
        world: str | os.PathLike[str] | Scene,
        robot: str | None = None,
        *,
        timestep: int | None = None,
        controllers: bool = True,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        width: int = 480,
        height: int = 360,
    ) -> None:
        check_render_mode(render_mode)
        if max_episode_steps is not None and max_episode_steps < 1:
            raise ValueError(f"max_episode_steps must be at least 1, got {max_episode_steps}")
        self.sim = Sim(world if isinstance(world, Scene) else load(world))
        basic = self.sim.time_step * 1000.0
        self.timestep = max(1, round(basic)) if timestep is None else timestep
        if self.timestep < basic - 1e-9:
            raise ValueError(f"timestep must be at least {basic:g} ms, got {timestep}")
        if timestep is not None and abs(timestep / basic - round(timestep / basic)) > 1e-6:
            raise ValueError(
                f"timestep must be a multiple of the world's {basic:g} ms, got {timestep}"
            )
        self._limit = max_episode_steps
        self._hub = ControllerHub(self.sim, options=ControllerOptions(start=controllers))
        try:
            self.robot: Supervisor = self._take_seat(robot)
        except BaseException:
            self._hub.close()
            raise
        self._robot = self.robot
        self._elapsed, self._episode, self._seed = 0, -1, 0
        self._is_begun = self._is_over = False
        period = self.timestep / 1000.0
        self.render_mode = render_mode
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "render_fps": max(1, round(1.0 / period)),
        }
        size = (width, height)
        self._rendering = Rendering(lambda: self._photographer(size), period, render_mode, size)

    def _take_seat(self, robot: str | None) -> Any:
        self._slot = slot_of(self._hub, robot)
        self._slot.is_ours = True
        self._slot.session = Session(self._hub, self._slot.place)
        self._link = InProcessLink(self._hub, self._slot.session, None)
        with connected(self._link):
            self._hub.start()
            kind = "Supervisor" if self._slot.place.robot.is_supervisor else "Robot"
            return getattr(importlib.import_module("controller"), kind)()

    def _photographer(self, size: tuple[int, int]) -> Any:
        from solidbody.rl.pictures import SimPhotographer

        return SimPhotographer(self.sim, size)

    # ------------------------------------------------------------------ what a task says

    def apply_action(self, action: Any) -> None:
        """Command motors; the world then goes on by one `timestep`."""
        raise NotImplementedError

    def get_observations(self) -> Any:
        """Return what is observed, in the type of the observation space or as a list."""
        raise NotImplementedError

    def get_reward(self, action: Any) -> float:
        """Return what the last action was worth."""
        raise NotImplementedError

    def is_done(self) -> bool:
        """Tell whether the episode has come to its end, good or bad."""
        raise NotImplementedError

    def get_info(self) -> dict[str, Any] | None:
        """Return what else is known."""
        return None

    def get_default_observation(self) -> Any:
        """Return what is observed of a simulation that broke down."""
        return np.zeros(self.observation_space.shape or (), self.observation_space.dtype)

    def begin(self) -> None:
        """Start an episode: the world is as its file says, motors know no commands, sensors stay enabled.

        Draw from `self.np_random` what episodes differ in.
        """

    # ------------------------------------------------------------------ Gymnasium

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode; the noise of sensors is that of the seed and the number of the episode."""
        super().reset(seed=seed)
        self._check_robot()
        if seed is not None or not self._is_begun:
            self._seed, self._episode = int(self.np_random_seed or 0), -1
        self._episode += 1
        self._hub.quit_status = None
        self._elapsed, self._is_over = 0, False
        if not self._is_begun:
            self._robot.step(
                0
            )  # what devices were told so far is obeyed, as it is before later resets
            self._is_begun = True
        self.sim.reset()
        words = np.random.SeedSequence((self._seed % 2**64, self._episode))
        self.sim.devices.random.bit_generator.state = np.random.PCG64(words).state
        self.begin()
        if self._robot.step(self.timestep) == -1:
            raise SolidbodyError("a program has ended the simulation in its first step")
        self._rendering.follow()
        return self._observed(), dict(self.get_info() or {})

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Carry out one action."""
        if not self._is_begun or self._is_over:
            raise gymnasium.error.ResetNeeded("call reset before the first step of an episode")
        self._check_robot()
        self.apply_action(action)
        try:
            is_cut_off = self._robot.step(self.timestep) == -1
        except SimulationEnd:  # of another program
            is_cut_off = True
        except SimulationError as error:
            self._is_over = True
            return (
                self._typed(self.get_default_observation()),
                0.0,
                True,
                False,
                {"failed": str(error)},
            )
        self._elapsed += 1
        self._is_over = is_cut_off
        observation = self._observed()
        reward, done = float(self.get_reward(action)), bool(self.is_done())
        is_cut_off |= self._limit is not None and self._elapsed >= self._limit
        self._rendering.follow()
        return observation, reward, done, is_cut_off, dict(self.get_info() or {})

    def _check_robot(self) -> None:
        if self._slot.session is None or self._hub.is_closed:
            gone = "the environment is closed" if self._hub.is_closed else "its robot was removed"
            raise SolidbodyError(f"nothing can be driven any more: {gone}")

    def _observed(self) -> Any:
        return self._typed(self.get_observations())

    def _typed(self, value: Any) -> Any:
        space = self.observation_space
        if not isinstance(space, gymnasium.spaces.Box):
            return value
        found = np.array(value, dtype=space.dtype)
        if found.shape != space.shape:
            raise ValueError(
                f"an array of shape {found.shape} is observed; the space wants {space.shape}"
            )
        return found

    def render(self) -> NDArray[np.uint8] | None:
        """Return a picture (height, width, 3); None in the mode "human"."""
        return self._rendering.picture(0)

    def close(self) -> None:
        """End other programs and close the page; may be called more than once."""
        if self._hub.is_closed:
            return
        self._rendering.close()
        self._link.say_farewell()
        self._hub.close()

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the robot."""
        robot = self.__dict__.get("_robot") or self.__dict__.get("robot")
        if robot is None or name.startswith("_"):
            raise AttributeError(f'{type(self).__name__} has no attribute "{name}"')
        return getattr(robot, name)
