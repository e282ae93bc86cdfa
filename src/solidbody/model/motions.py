"""Motions that are played: joints that go through recorded positions, one frame a step."""

from __future__ import annotations

from dataclasses import dataclass

from solidbody.base.span import NOWHERE, SourceSpan


@dataclass(frozen=True, slots=True)
class PlayedMotion:
    """Positions that joints of a body take, whatever effort it takes, from the start of the simulation.

    After step k the joints are where frame k has them; behind the last frame they stay.

    Attributes:
        name: Of the motion.
        links: Places in `Body.links` of the links whose joints go through it.
        positions: Frame by frame, for each of these links its position [rad, m], as 8-byte numbers.
    """

    name: str
    links: tuple[int, ...]
    positions: bytes
    span: SourceSpan = NOWHERE

    def __post_init__(self) -> None:
        if not self.links or len(self.positions) % (8 * len(self.links)):
            raise ValueError(f'the motion "{self.name}" has frames of different sizes')

    @property
    def frame_count(self) -> int:
        """How many frames there are."""
        return len(self.positions) // (8 * len(self.links))
