"""Trajectories of joints: positions to be reached at times, followed in simulated time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.live.viewer_commands import CommandError

MOST_POINTS: Final = 100_000
"""Of one trajectory."""

Floats = NDArray[np.float64]


class Trajectory:
    """Positions of some joints over time: straight between points or, where velocities are given, smooth.

    Args:
        message: A `JointTrajectory`.
        known: Names of joints that have motors.

    Attributes:
        joints: Names of the joints.

    Raises:
        CommandError: The message cannot be followed.
    """

    def __init__(self, message: dict[str, Any], known: Sequence[str]) -> None:
        self.joints: list[str] = message["joint_names"]
        points = message["points"]
        for name in self.joints:
            if name not in known:
                raise CommandError(
                    f'trajectory: there is no joint "{name}" with a motor; '
                    f"there are: {', '.join(known)}"
                )
        if len(set(self.joints)) != len(self.joints) or not self.joints:
            raise CommandError("trajectory: each joint must be named once, and one at least")
        if not 1 <= len(points) <= MOST_POINTS:
            raise CommandError(
                f"trajectory: 1 to {MOST_POINTS} points are needed, got {len(points)}"
            )
        self._times = np.array([_seconds(point["time_from_start"]) for point in points])
        self._positions = np.array([self._row(point, "positions") for point in points])
        self._velocities: Floats | None = None
        if all(len(point["velocities"]) for point in points):
            self._velocities = np.array([self._row(point, "velocities") for point in points])
        if self._times[0] < 0.0 or (np.diff(self._times) <= 0.0).any():
            raise CommandError("trajectory: times of points must increase from 0")
        self._start = 0.0

    def _row(self, point: dict[str, Any], key: str) -> Floats:
        values = np.asarray(point[key], dtype=np.float64)
        if len(values) != len(self.joints):
            raise CommandError(
                f"trajectory: each point needs {len(self.joints)} {key}, got {len(values)}"
            )
        if not np.isfinite(values).all():
            raise CommandError(f"trajectory: {key} must be finite numbers")
        return values

    def begin(self, time: float, positions: Sequence[float]) -> None:
        """Start from where the joints are."""
        self._start = time
        if self._times[0] > 0.0:
            self._times = np.concatenate(([0.0], self._times))
            self._positions = np.concatenate(([positions], self._positions))
            if self._velocities is not None:
                still = np.zeros((1, len(self.joints)))
                self._velocities = np.concatenate((still, self._velocities))

    def is_over(self, time: float) -> bool:
        """Whether the last point is reached."""
        return time - self._start >= self._times[-1]

    def at(self, time: float) -> Floats:
        """Return the positions at a time."""
        t = float(np.clip(time - self._start, self._times[0], self._times[-1]))
        after = int(np.clip(np.searchsorted(self._times, t, side="right"), 1, len(self._times) - 1))
        if len(self._times) == 1:
            return self._positions[0]
        span = self._times[after] - self._times[after - 1]
        share = (t - self._times[after - 1]) / span
        a, b = self._positions[after - 1], self._positions[after]
        if self._velocities is None:
            return a + share * (b - a)
        va, vb = span * self._velocities[after - 1], span * self._velocities[after]
        s2, s3 = share * share, share * share * share
        return (
            (2 * s3 - 3 * s2 + 1) * a
            + (s3 - 2 * s2 + share) * va
            + (3 * s2 - 2 * s3) * b
            + (s3 - s2) * vb
        )


def _seconds(duration: dict[str, int]) -> float:
    return duration["sec"] + 1e-9 * duration["nanosec"]
