"""Bridges from a running simulation to other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from solidbody.live.foxglove_bridge import FoxgloveBridge
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
