"""The complete state of a simulation, detached from it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that the next step depends on, as bytes: restoring continues bit for bit.

    Attributes:
        step_count: Steps since the start.
        qpos: Positions.
        qvel: Velocities.
        mocap: Poses of kinematic bodies.
        asleep: Who sleeps.
        forces: Forces applied from outside.
        commands: Motor commands and velocities of kinematic bodies.
        motors: Memory of the motors' controllers.
        solver: Warm starts.
    """

    step_count: int
    qpos: bytes
    qvel: bytes
    mocap: bytes
    asleep: bytes
    forces: bytes
    commands: bytes
    motors: bytes
    solver: bytes
