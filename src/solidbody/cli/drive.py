"""`--drive JOINT=VALUE[:MODE]` and `--hold`: motor commands from the command line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from solidbody.base.diagnostics import did_you_mean
from solidbody.base.errors import SolidbodyError

if TYPE_CHECKING:
    from solidbody.sim import Sim

MODES = ("velocity", "position", "effort")


class DriveError(SolidbodyError):
    """A --drive option that makes no sense; the text says what is allowed."""


@dataclass(frozen=True, slots=True)
class Drive:
    """One command: what a motor is told at the start (SI units)."""

    joint: str
    value: float
    mode: str


def parse_drive(text: str) -> Drive:
    """Read `JOINT=VALUE` or `JOINT=VALUE:MODE`; the joint's name may hold any character."""
    joint, equals, command = text.rpartition("=")
    number, colon, mode = command.partition(":")
    mode = mode if colon else "velocity"
    if not equals or not joint:
        raise DriveError(f'--drive takes JOINT=VALUE[:velocity|position|effort], got "{text}"')
    if mode not in MODES:
        raise DriveError(
            f'--drive "{text}": unknown mode "{mode}".{did_you_mean(mode, MODES)} '
            f"Allowed: {', '.join(MODES)}"
        )
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DriveError(f'--drive "{text}": expected a finite number after "=", got "{number}"')
    return Drive(joint, value, mode)


def apply_drives(sim: Sim, drives: list[Drive]) -> None:
    """Command the motors; a later reset of the simulation keeps the commands."""
    for drive in drives:
        joint = sim.joint(drive.joint)
        try:
            match drive.mode:
                case "velocity":
                    joint.target_velocity = drive.value
                case "position":
                    joint.target_position = drive.value
                case _:
                    joint.effort = drive.value
        except ValueError as error:
            raise DriveError(f"--drive: {error}") from error
    if drives:
        sim.keep_commands()


def hold_joints(sim: Sim) -> None:
    """Let joints that wait for a command stay where they are; a later reset keeps that."""
    for name in sim.joint_names:
        joint = sim.joint(name)
        if joint.waits:
            joint.hold()
    sim.keep_commands()
