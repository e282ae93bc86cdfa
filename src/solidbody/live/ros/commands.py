"""What ROS may ask of robots: speeds of wheels, targets and trajectories of joints; checked, then queued."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from solidbody.live.ros.cdr import decode
from solidbody.live.ros.names import joined
from solidbody.live.ros.run_messages import RosRobot, Topic
from solidbody.live.ros.settings import QUALITIES
from solidbody.live.ros.trajectories import Trajectory
from solidbody.live.viewer_commands import TARGETS, CommandError, ViewerCommands

if TYPE_CHECKING:
    from solidbody.sim import Sim

TWIST: Final = "geometry_msgs/msg/Twist"
TWIST_STAMPED: Final = "geometry_msgs/msg/TwistStamped"


@dataclass(frozen=True, slots=True)
class CommandTopic:
    """A topic that we listen to, and what is done with its messages in threads of DDS."""

    topic: Topic
    obey: Callable[[dict[str, Any]], None]


class RobotCommands:
    """Takes what is asked of one robot.

    Attributes:
        trajectory: What its joints follow; None = nothing.
        driven: When its wheels were commanded last [s]; None = they are not.
    """

    def __init__(self, sim: Sim, robot: RosRobot, queue: ViewerCommands) -> None:
        self._sim, self._robot, self._queue = sim, robot, queue
        names = sim.joint_names
        self._joints = {
            name: names[row]
            for name, row in robot.joint_rows().items()
            if sim.axis_model(row).motor is not None
        }
        self.trajectory: Trajectory | None = None
        self.driven: float | None = None

    def topics(self) -> list[CommandTopic]:
        """Return what is listened to."""
        found: list[CommandTopic] = []
        space, quality = self._robot.namespace, QUALITIES["default"]
        if self._robot.drive is not None:
            stamped = self._robot.drive.settings.stamped
            message = TWIST_STAMPED if stamped else TWIST
            topic = Topic(joined(space, "cmd_vel"), message, quality)
            found.append(CommandTopic(topic, self._take_twist))
        if self._joints:
            joints = Topic(joined(space, "joint_commands"), "sensor_msgs/msg/JointState", quality)
            path = Topic(
                joined(space, "joint_trajectory"), "trajectory_msgs/msg/JointTrajectory", quality
            )
            found += [
                CommandTopic(joints, self._take_targets),
                CommandTopic(path, self._take_trajectory),
            ]
        return found

    # ------------------------------------------------------------------ in threads of DDS

    def _take_twist(self, message: dict[str, Any]) -> None:
        twist = message.get("twist", message)
        forward, turn = twist["linear"]["x"], twist["angular"]["z"]
        if not (math.isfinite(forward) and math.isfinite(turn)):
            raise CommandError(f"cmd_vel: speeds must be finite numbers, got {forward}, {turn}")
        self._queue.queue(lambda: self._drive(forward, turn))

    def _take_targets(self, message: dict[str, Any]) -> None:
        names = message["name"]
        wanted: list[tuple[str, str, float]] = []
        for key, attribute in TARGETS.items():
            values = message[key].tolist()
            if values and len(values) != len(names):
                raise CommandError(
                    f'joint_commands: "{key}" must hold {len(names)} numbers, one for each name,'
                    f" got {len(values)}"
                )
            for name, value in zip(names, values, strict=False):
                if math.isinf(value):
                    raise CommandError(f'joint_commands: {key} of "{name}" must be finite')
                if not math.isnan(value):  # as ROS says that it is left as it is
                    wanted.append((self._known(name), attribute, value))
        if wanted:
            self._queue.queue(lambda: self._set(wanted))

    def _known(self, name: str) -> str:
        if name not in self._joints:
            raise CommandError(
                f'joint_commands: there is no joint "{name}" with a motor; '
                f"there are: {', '.join(self._joints)}"
            )
        return self._joints[name]

    def _take_trajectory(self, message: dict[str, Any]) -> None:
        if not message["points"] and not message["joint_names"]:
            self._queue.queue(self._stop_trajectory)  # as controllers of ROS do
            return
        trajectory = Trajectory(message, list(self._joints))
        self._queue.queue(lambda: self._begin(trajectory))

    # ------------------------------------------------------------------ in the thread that steps

    def _drive(self, forward: float, turn: float) -> None:
        drive = self._robot.drive
        assert drive is not None
        self.driven = self._sim.time
        for wheel, speed in drive.speeds(forward, turn):
            self._sim.joint(self._sim.joint_names[wheel.row]).target_velocity = speed

    def _set(self, wanted: list[tuple[str, str, float]]) -> None:
        for name, attribute, value in wanted:
            setattr(self._sim.joint(name), attribute, value)

    def _begin(self, trajectory: Trajectory) -> None:
        joints = [self._sim.joint(self._joints[name]) for name in trajectory.joints]
        trajectory.begin(self._sim.time, [joint.position for joint in joints])
        self.trajectory = trajectory

    def _stop_trajectory(self) -> None:
        self.trajectory = None

    def follow(self) -> None:
        """Set what the next step needs."""
        time = self._sim.time
        timeout = self._robot.drive.settings.timeout if self._robot.drive else None
        if timeout is not None and self.driven is not None and time - self.driven > timeout:
            self._drive(0.0, 0.0)
            self.driven = None
        if self.trajectory is None:
            return
        ahead = time + self._sim.time_step
        targets = self.trajectory.at(ahead).tolist()
        for name, target in zip(self.trajectory.joints, targets, strict=True):
            self._sim.joint(self._joints[name]).target_position = target
        if self.trajectory.is_over(ahead):
            self.trajectory = None

    @property
    def is_busy(self) -> bool:
        """Whether each step needs another target."""
        return self.trajectory is not None

    def reset(self) -> None:
        """The simulation went back to its start."""
        self.trajectory = self.driven = None


def decoded(command: CommandTopic, data: bytes) -> dict[str, Any]:
    """Return the message of a command's topic; raises CdrError."""
    return decode(command.topic.message, data)
