"""Names of the states of links that programs read and command, as bits (C17.2)."""

from __future__ import annotations

from typing import Final


class LinkStates:
    """Bits of states; `Link` and controllers have them too, so that programs may write them either way."""

    StateNone: Final = 0
    JointDisplacement: Final = 1
    JointAngle: Final = 1
    JointVelocity: Final = 2
    JointAcceleration: Final = 4
    JointEffort: Final = 8
    JointForce: Final = 8
    JointTorque: Final = 8
    LinkPosition: Final = 16
    LinkTwist: Final = 32
    LinkAcceleration: Final = 64
    LinkExtWrench: Final = 128
    LinkContactState: Final = 256
    HighGainActuation: Final = 512
    DeprecatedJointSurfaceVelocity: Final = 1024

    # spellings of old programs
    NO_ACTUATION: Final = 0
    JOINT_DISPLACEMENT: Final = 1
    JOINT_ANGLE: Final = 1
    JOINT_VELOCITY: Final = 2
    JOINT_ACCELERATION: Final = 4
    JOINT_EFFORT: Final = 8
    JOINT_FORCE: Final = 8
    JOINT_TORQUE: Final = 8
    LINK_POSITION: Final = 16
    JOINT_SURFACE_VELOCITY: Final = 1024


def names_of(states: int) -> str:
    """Return the names of the bits of a number, for messages."""
    found: dict[int, str] = {}
    for name, bit in vars(LinkStates).items():
        if isinstance(bit, int) and not name.startswith("_"):
            found.setdefault(bit, name)
    return " | ".join(found[bit] for bit in found if bit and states & bit) or found[0]
