"""Bridges from a running simulation to other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solidbody.base.extras import need

if TYPE_CHECKING:
    import os

    from solidbody.live.foxglove_bridge import FoxgloveBridge
    from solidbody.live.ros.bridge import RosBridge
    from solidbody.live.ros.settings import Ros2Settings
    from solidbody.sim import Sim


def foxglove(
    sim: Sim,
    *,
    port: int = 8765,
    host: str = "127.0.0.1",
    period: float = 1.0 / 60.0,
    all_sensors: bool = False,
    takes_commands: bool = True,
    holds_time: bool = True,
) -> FoxgloveBridge:
    """Send what `sim` does to Foxglove, live, from its next step on; a context manager that ends it.

    Args:
        sim: The simulation, stepped by the caller.
        port: TCP port; 0 gives a free one.
        host: Address to serve at; others than the loopback let other machines in.
        period: Simulated time between messages [s].
        all_sensors: Whether sensors are turned on that nobody has turned on.
        takes_commands: Whether viewers may command motors and, with `holds_time`, the time.
        holds_time: Whether they may pause, step and reset: a pause holds the caller of `sim.step`.

    Raises:
        BridgeError: The port is taken, or the host is none of this machine.
    """
    need("foxglove", "the bridge to Foxglove")
    from solidbody.live.foxglove_bridge import FoxgloveBridge

    return FoxgloveBridge(
        sim,
        port=port,
        host=host,
        period=period,
        all_sensors=all_sensors,
        takes_commands=takes_commands,
        holds_time=holds_time,
    )


def ros2(
    sim: Sim,
    settings: Ros2Settings | str | os.PathLike[str] | None = None,
    *,
    holds_time: bool = True,
) -> RosBridge:
    """Send what `sim` does to ROS 2 and obey it, from the next step on; a context manager that ends it.

    Args:
        sim: The simulation, stepped by the caller.
        settings: What differs from the defaults, or a file that says it (docs/ros2.md).
        holds_time: Whether ROS may pause, step and reset: a pause holds the caller of `sim.step`.

    Raises:
        Ros2Error: There is no DDS, or it cannot use the network.
        SettingsError: The settings are wrong.
    """
    from pathlib import Path

    from solidbody.live.ros.bridge import RosBridge
    from solidbody.live.ros.settings import Ros2Settings, read_settings

    if settings is not None and not isinstance(settings, Ros2Settings):
        settings = read_settings(Path(settings))
    return RosBridge(sim, settings, holds_time=holds_time)
