"""What wheel.toml measures."""

from __future__ import annotations

import numpy as np

RADIUS = 0.1
"""Of the wheel [m]."""


def slip(run):
    """How long the wheel spins on the ground [s], and how far it turns in vain meanwhile [m]."""
    time, velocity = run.columns["time"], run.columns["carriage.vx"]
    rim = run.parameters["speed"] * RADIUS
    spins = velocity < 0.99 * rim
    if spins.all():  # to the end
        return {"time": None, "way": None}
    end = int(np.argmin(spins))
    return {
        "time": time[end],
        "way": rim * time[end] - np.trapezoid(velocity[: end + 1], time[: end + 1]),
    }
