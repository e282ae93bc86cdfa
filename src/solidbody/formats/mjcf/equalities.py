"""Equalities and tendons of MuJoCo: loops between links, joints that follow others.

| MuJoCo                | here                                                                     |
|-----------------------|--------------------------------------------------------------------------|
| connect               | `LoopBall`                                                               |
| weld                  | `LoopFixed`; torquescale is left out                                     |
| joint                 | `Coupling`: constant and factor of polycoef; more is refused             |
| tendon                | refused                                                                  |
| fixed tendon          | `Coupling` of its joints, if an actuator acts on it                      |
| spatial tendon, flex  | refused                                                                  |
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from solidbody.base.span import SourceSpan
from solidbody.base.transforms import Pose
from solidbody.formats.link_trees.messages import Messages, Spot
from solidbody.formats.mjcf.bodies import Trees
from solidbody.formats.mjcf.compiling import Compilation
from solidbody.formats.mjcf.frames import unit, vector
from solidbody.model.joints import Coupling, Loop, LoopAttachment, LoopBall, LoopFixed


@dataclass(slots=True)
class Equalities:
    """Reads what holds links and joints together.

    Attributes:
        joined: Pairs of bodies that belong together.
        ratios: Joints and their coefficients of each fixed tendon that moves what it runs along.
    """

    compilation: Compilation
    messages: Messages
    trees: Trees
    joined: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    ratios: dict[int, dict[int, float]] = field(default_factory=dict[int, dict[int, float]])
    _followers: dict[int, tuple[int, float, float, SourceSpan]] = field(
        default_factory=dict[int, tuple[int, float, float, SourceSpan]]
    )

    def read_tendons(self) -> None:
        """Find the fixed tendons that couple joints."""
        import mujoco

        model = self.compilation.model
        driven = {
            int(model.actuator_trnid[k][0])
            for k in range(len(model.actuator_trntype))
            if int(model.actuator_trntype[k]) == mujoco.mjtTrn.mjTRN_TENDON
        }
        for number, tendon in enumerate(self.compilation.spec.tendons):
            spot = self.compilation.spot(self.messages, tendon)
            start, count = int(model.tendon_adr[number]), int(model.tendon_num[number])
            kinds = model.wrap_type[start : start + count]
            if any(int(kind) != mujoco.mjtWrap.mjWRAP_JOINT for kind in kinds):
                said = "spatial tendons have no counterpart here; it is left out."
                spot.warning("no-spatial-tendon", said)
                continue
            acts = model.tendon_limited[number] or model.tendon_stiffness[number]
            if acts or model.tendon_damping[number] or model.tendon_frictionloss[number]:
                said = "limits, stiffness, damping and friction of tendons are left out."
                spot.warning("no-tendon-force", said)
            if number not in driven:
                continue
            self.ratios[number] = {
                int(model.wrap_objid[k]): float(model.wrap_prm[k])
                for k in range(start, start + count)
                if model.wrap_prm[k]
            }
            if not self.ratios[number]:
                del self.ratios[number]

    def read_equalities(self) -> None:
        """Find joints that follow others, and bodies that belong together."""
        import mujoco

        model = self.compilation.model
        kinds = mujoco.mjtEq
        for number, equality in enumerate(self.compilation.spec.equalities):
            spot = self.compilation.spot(self.messages, equality)
            kind = kinds(int(model.eq_type[number]))
            if not model.eq_active0[number]:
                spot.info("inactive-equality", "it is not active at the start; it is left out.")
            elif kind == kinds.mjEQ_JOINT:
                self._read_joint(number, spot)
            elif kind in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD):
                self.joined.append(self._ends(number))
            else:
                word = kind.name.removeprefix("mjEQ_").lower()
                said = f"equalities of type {word} have no counterpart here; it is left out."
                spot.warning("no-equality", said)
        self._couple_tendons()
        for follower, (leader, *_) in self._followers.items():
            self.joined.append((int(model.jnt_bodyid[follower]), int(model.jnt_bodyid[leader])))

    def _read_joint(self, number: int, spot: Spot) -> None:
        model = self.compilation.model
        one, two = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
        data = [float(x) for x in model.eq_data[number][:5]]
        if two < 0:
            said = "a joint that is held where it is has no counterpart here; it is left out."
            spot.warning("no-equality", said)
            return
        if any(data[2:5]):
            spot.warning("no-polynomial", "only the constant and the factor of polycoef are kept.")
        if self._leads_to(two, one):
            spot.error("coupling-circle", "joints follow each other in a circle; it is left out.")
            return
        if one in self._followers:
            spot.warning("no-equality", "the joint follows another one already; it is left out.")
            return
        refs = [float(model.qpos0[int(model.jnt_qposadr[k])]) for k in (one, two)]
        offset = refs[0] + data[0] - data[1] * refs[1]
        self._followers[one] = (two, data[1], offset, spot.span)

    def _leads_to(self, joint: int, end: int) -> bool:
        """Whether a joint follows another one, maybe by way of more."""
        while joint in self._followers and joint != end:
            joint = self._followers[joint][0]
        return joint == end

    def _couple_tendons(self) -> None:
        """Let the joints of driven tendons keep the ratio of their coefficients."""
        model = self.compilation.model
        tendons = list(self.compilation.spec.tendons)
        for number, coefficients in self.ratios.items():
            first, *others = coefficients
            span = self.compilation.span(tendons[number])
            for joint in others:
                if joint in self._followers or self._leads_to(first, joint):
                    continue
                ratio = coefficients[joint] / coefficients[first]
                starts = [float(model.qpos0[int(model.jnt_qposadr[k])]) for k in (joint, first)]
                self._followers[joint] = (first, ratio, starts[0] - ratio * starts[1], span)

    def _ends(self, number: int) -> tuple[int, int]:
        """Return the bodies of a connect or weld."""
        import mujoco

        model = self.compilation.model
        one, two = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
        if int(model.eq_objtype[number]) == mujoco.mjtObj.mjOBJ_SITE:
            return int(model.site_bodyid[one]), int(model.site_bodyid[two])
        return one, two

    # ---------------------------------------------------------------------------------- for the model

    def couplings(self) -> Iterator[tuple[int, Coupling]]:
        """Yield couplings, each with a link of its body."""
        for follower, (leader, ratio, offset, span) in self._followers.items():
            links = [self.trees.joint_links.get(joint) for joint in (follower, leader)]
            one, two = links
            if one is not None and two is not None:
                paths = self.trees.path(one), self.trees.path(two)
                yield one, Coupling(paths[0], paths[1], ratio, offset, span)

    def loops(self) -> Iterator[tuple[int, Loop]]:
        """Yield loops, each with a link of its body."""
        import mujoco

        model = self.compilation.model
        for number, equality in enumerate(self.compilation.spec.equalities):
            kind = int(model.eq_type[number])
            if not model.eq_active0[number] or kind not in (
                mujoco.mjtEq.mjEQ_CONNECT,
                mujoco.mjtEq.mjEQ_WELD,
            ):
                continue
            bodies = self._ends(number)
            poses = self._poses(number, is_weld=kind == mujoco.mjtEq.mjEQ_WELD)
            ends = [
                LoopAttachment(self._path(body), pose)
                for body, pose in zip(bodies, poses, strict=True)
            ]
            home = next((k for k in bodies if k), None)
            if home is None:
                continue
            made = LoopFixed if kind == mujoco.mjtEq.mjEQ_WELD else LoopBall
            span = self.compilation.span(equality)
            yield (
                self.trees.link_of_body[home],
                made((ends[0], ends[1]), equality.name or f"equality {number}", span),
            )

    def _path(self, body: int) -> str | None:
        return None if body == 0 else self.trees.path(self.trees.link_of_body[body])

    def _poses(self, number: int, *, is_weld: bool) -> tuple[Pose, Pose]:
        """Return the frames that an equality holds together, in its two bodies."""
        import mujoco

        model = self.compilation.model
        if int(model.eq_objtype[number]) == mujoco.mjtObj.mjOBJ_SITE:
            one, two = (
                Pose(vector(model.site_pos[k]), unit(model.site_quat[k]))
                for k in (int(model.eq_obj1id[number]), int(model.eq_obj2id[number]))
            )
            return one, two
        data: Any = model.eq_data[number]
        if is_weld:
            return Pose(vector(data[3:6]), unit(data[6:10])), Pose(vector(data[0:3]))
        return Pose(vector(data[0:3])), Pose(vector(data[3:6]))
