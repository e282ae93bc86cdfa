"""`Motion` of Webots' controller API: plays motor positions from `.motion` files.

A file has a line `#WEBOTS_MOTION,V1.0` followed by names of motors, then one line per pose: time
([[minutes:]seconds:]milliseconds), name of the pose, one position per motor, `*` = none.
"""

from __future__ import annotations

import math
from bisect import bisect_right

from .device import complain, the_robot
from .motor import Motor

HEADER, VERSION = "#WEBOTS_MOTION", "V1.0"

DIGITS = 9
"""Of minutes, seconds or milliseconds: two thousand years of minutes."""


class MotionError(ValueError):
    """A file is not a motion; the text says where."""


def milliseconds(text: str) -> int:
    """Return a time written as [[minutes:]seconds:]milliseconds."""
    parts = text.split(":")
    if len(parts) > 3 or not all(part.isascii() and part.isdigit() for part in parts):
        raise MotionError(f'expected a time as [[minutes:]seconds:]milliseconds, got "{text}"')
    if max(map(len, parts)) > DIGITS:
        raise MotionError(f"a part of a time has at most {DIGITS} digits")
    minutes, seconds, rest = [0] * (3 - len(parts)) + [int(part) for part in parts]
    return minutes * 60000 + seconds * 1000 + rest


def parse_motion(text: str) -> tuple[list[str], list[int], list[list[float | None]]]:
    """Return names of motors, times [ms] and positions of each pose."""
    lines = text.splitlines()
    head = lines[0].strip().split(",") if lines else []
    if len(head) < 2 or head[0] != HEADER:
        raise MotionError(f'line 1: expected "{HEADER},{VERSION}" and names of motors')
    if head[1] != VERSION:
        raise MotionError(f"line 1: version {head[1]} is not known; expected {VERSION}")
    names = [name.strip() for name in head[2:] if name.strip()]
    times: list[int] = []
    poses: list[list[float | None]] = []
    for number, line in enumerate(lines[1:], 2):
        cells = line.strip().rstrip(",").split(",")
        if cells == [""]:
            break
        try:
            time, pose = _pose(cells, len(names))
        except MotionError as error:
            raise MotionError(f"line {number}: {error}") from error
        if times and time <= times[-1]:
            raise MotionError(f"line {number}: the time {cells[0]} is not after the one before it")
        times.append(time)
        poses.append(pose)
    if not names or not times:
        raise MotionError("a motion needs at least one motor and one pose")
    return names, times, poses


def _pose(cells: list[str], count: int) -> tuple[int, list[float | None]]:
    time = milliseconds(cells[0])
    if len(cells) != count + 2:
        raise MotionError(f"expected a time, a name and {count} positions, got {len(cells)} items")
    positions: list[float | None] = []
    for cell in cells[2:]:
        try:
            position = None if cell.strip() == "*" else float(cell)
        except ValueError:
            raise MotionError(f'expected a number or "*", got "{cell}"') from None
        if position is not None and not math.isfinite(position):
            raise MotionError(f'expected a finite number or "*", got "{cell}"')
        positions.append(position)
    return time, positions


class Motion:
    """A motion that moves motors while the robot steps."""

    def __init__(self, filename: str) -> None:
        self._names: list[str] = []
        self._times: list[int] = []
        self._poses: list[list[float | None]] = []
        self._motors: list[Motor | None] = []
        self._elapsed = 0
        self._plays = self._loops = self._reverses = False
        try:
            with open(filename, encoding="utf-8") as file:
                self._names, self._times, self._poses = parse_motion(file.read())
        except (OSError, UnicodeDecodeError, MotionError) as error:
            complain(f"Error: Motion('{filename}'): {error}")
            return
        robot = the_robot()
        if robot is None:
            complain("Error: Motion() needs a Robot to be made first")
            return
        self._motors = [self._motor(robot, name, filename) for name in self._names]
        robot._sb_motions.append(self)

    @staticmethod
    def _motor(robot: object, name: str, filename: str) -> Motor | None:
        device = robot._sb_names.get(name)  # type: ignore[attr-defined]
        if isinstance(device, Motor):
            return device
        what = "no device" if device is None else "not a motor"
        complain(f"Warning: Motion('{filename}'): \"{name}\" is {what} of this robot; left out")
        return None

    def isValid(self) -> bool:
        """Return whether the file could be read."""
        return bool(self._motors)

    def play(self) -> None:
        """Begin, or go on; from the other end, if an end was reached."""
        self._plays = self.isValid()
        if self._reverses and self._elapsed <= 0:
            self._elapsed = self.getDuration()
        elif not self._reverses and self._elapsed >= self.getDuration():
            self._elapsed = 0

    def stop(self) -> None:
        """Pause."""
        self._plays = False

    def setLoop(self, loop: bool) -> None:
        """Begin again whenever an end is reached."""
        self._loops = bool(loop)

    def setReverse(self, reverse: bool) -> None:
        """Play backwards."""
        self._reverses = bool(reverse)

    def isOver(self) -> bool:
        """Return whether the end was reached; a loop has none."""
        if self._loops:
            return False
        return self._elapsed <= 0 if self._reverses else self._elapsed >= self.getDuration()

    def getDuration(self) -> int:
        """Return the time of the last pose [ms]."""
        return self._times[-1] if self._times else 0

    def getTime(self) -> int:
        """Return how far it has been played [ms]."""
        return self._elapsed

    def setTime(self, time: int) -> None:
        """Go to a time [ms]."""
        self._elapsed = min(max(int(time), 0), self.getDuration())

    def _advance(self, step: int) -> None:
        """Move the motors to where they are to be now; `step` milliseconds follow."""
        if not self._plays:
            return
        for motor, position in zip(self._motors, self._positions()):
            if motor is not None and position is not None:
                motor.setPosition(position)
        end = 0 if self._reverses else self.getDuration()
        if self._elapsed != end:
            moved = self._elapsed - step if self._reverses else self._elapsed + step
            self.setTime(moved)
        elif self._loops:
            self._elapsed = self.getDuration() - end
        else:
            self._plays = False

    def _positions(self) -> list[float | None]:
        after = bisect_right(self._times, self._elapsed)
        if after in (0, len(self._times)):
            return self._poses[0 if after == 0 else -1]
        start, end = self._times[after - 1], self._times[after]
        share = (self._elapsed - start) / (end - start)
        return [
            None if a is None or b is None else a + share * (b - a)
            for a, b in zip(self._poses[after - 1], self._poses[after])
        ]

    duration = property(getDuration)
    time = property(getTime, setTime)
