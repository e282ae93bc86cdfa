"""Closed kinematic loops as MuJoCo equality constraints, for MJCF files; our own step has its own rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import mujoco

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose
from solidbody.model.joints import (
    JointAxis,
    JointBall,
    JointFixed,
    JointHinge,
    Loop,
    LoopAttachment,
    LoopBall,
    LoopFixed,
    LoopGeneral,
    LoopHinge,
    LoopPiston,
    LoopPlane,
)

if TYPE_CHECKING:
    from solidbody.compiler.bodies import LinkPart

HINGE_ARM = 0.05
"""[m] Distance along the axis of a hinge's second point. Both points being held keeps the axes
parallel; a shorter arm makes that softer, a longer one stiffer than the joint itself."""


class LoopBuilder:
    """Adds the loops of one body to a spec."""

    def __init__(self, spec: Any, parts: Mapping[str, LinkPart], log: DiagnosticLog) -> None:
        self._spec, self._parts, self._log = spec, parts, log
        self._count = 0

    def add(self, loop: Loop) -> None:
        """Add one loop; what MuJoCo cannot say is reported."""
        match loop:
            case LoopBall(ends=ends):
                self._connect(ends, 0.0)
            case LoopHinge(ends=ends):
                self._connect(ends, 0.0)
                self._connect(ends, HINGE_ARM)
            case LoopFixed(ends=ends):
                self._weld(ends)
            case LoopGeneral(ends=ends, joint=JointBall(axis1=one, axis2=two, axis3=three)):
                self._connect(ends, 0.0)
                self._report_devices(loop, one, two, three)
            case LoopGeneral(ends=ends, joint=JointHinge(axis=axis)):
                self._connect(ends, 0.0)
                self._connect(ends, HINGE_ARM)
                self._report_devices(loop, axis)
            case LoopGeneral(ends=ends, joint=JointFixed()):
                self._weld(ends)
            case LoopPiston() | LoopPlane() | LoopGeneral():
                self._log.warning(
                    "loop-kind",
                    loop.span,
                    "a closed loop of this kind is left open",
                    node=loop.name,
                )

    def _report_devices(self, loop: LoopGeneral, *axes: JointAxis) -> None:
        if any(x.motor or x.stops or x.spring or x.damping or x.static_friction for x in axes):
            self._log.warning(
                "loop-axis",
                loop.span,
                "motor, stops, spring and friction of a joint that closes a loop are left out",
                node=loop.name,
            )

    def _sites(self, ends: tuple[LoopAttachment, LoopAttachment], along: float) -> tuple[str, str]:
        """Return the names of two sites at the joint frames, moved along z."""
        names: list[str] = []
        for number, end in enumerate(ends):
            pose = end.pose * Pose((0.0, 0.0, along))
            owner = self._spec.worldbody
            if end.link is not None:
                part = self._parts[end.link]
                owner, pose = part.body, part.offset * pose
            name = f"loop {self._count} end {number} of {owner.name}"
            owner.add_site(name=name, pos=pose.position, quat=pose.rotation)
            names.append(name)
        self._count += 1
        return names[0], names[1]

    def _connect(self, ends: tuple[LoopAttachment, LoopAttachment], along: float) -> None:
        self._equality(mujoco.mjtEq.mjEQ_CONNECT, self._sites(ends, along))

    def _weld(self, ends: tuple[LoopAttachment, LoopAttachment]) -> None:
        self._equality(mujoco.mjtEq.mjEQ_WELD, self._sites(ends, 0.0))

    def _equality(self, kind: Any, sites: tuple[str, str]) -> None:
        self._spec.add_equality(
            type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, name1=sites[0], name2=sites[1]
        )
