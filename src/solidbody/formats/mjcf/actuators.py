"""Actuators of MuJoCo as motors: motor, position and velocity, and general ones that are one of these.

An actuator gives the force gain*u + bias to what it acts on, its length times `gear`. With the gear g of a
joint:

| MuJoCo                                 | motor                                                         |
|----------------------------------------|---------------------------------------------------------------|
| gain k, no bias                        | effort k g u; at most |k g u| over ctrlrange, g forcerange    |
| gain k, bias -k length - v velocity    | servo with stiffness k g^2 and damping v g^2, target u/g      |
| gain v, bias -v velocity               | servo with damping v g^2, target velocity u/g                 |

A fixed tendon couples its joints if something acts on it: they keep the ratio of their coefficients, and the
motor is that of the first one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Final

from solidbody.formats.link_trees.messages import Messages, Spot
from solidbody.formats.mjcf.bodies import AxisParts, Trees
from solidbody.formats.mjcf.compiling import Compilation
from solidbody.formats.mjcf.frames import MjcfState
from solidbody.formats.webots.lower.names import UniqueNames
from solidbody.model.motors import ControlMode, Motor, Servo

NEAR: Final = 1e-9
"""Relative difference up to which two gains are the same."""


@dataclass(frozen=True, slots=True)
class JointDrive:
    """What an actuator acts on: a joint, and how far its length goes with that joint."""

    joint: int
    gear: float


@dataclass(slots=True)
class ActuatorReader:
    """Reads actuators into the parts of joints."""

    compilation: Compilation
    messages: Messages
    state: MjcfState
    trees: Trees
    ratios: dict[int, dict[int, float]]
    names: UniqueNames

    def read(self) -> None:
        """Put motors on all joints that actuators act on."""
        model = self.compilation.model
        for number, actuator in enumerate(self.compilation.spec.actuators):
            spot = self.compilation.spot(self.messages, actuator)
            drive = self._drive(number, spot)
            if drive is None:
                continue
            if model.actuator_ctrlnum[number] != 1:
                spot.warning("no-actuator", "it takes several commands; it is left out.")
                continue
            name = actuator.name or self.trees.joint_names[drive.joint]
            motor = self._motor(number, name, drive, spot)
            if motor is not None:
                self._add(drive.joint, motor, spot)

    def _add(self, joint: int, motor: Motor, spot: Spot) -> None:
        parts = self.trees.parts.setdefault(joint, AxisParts())
        first = parts.motor
        if first is None:
            parts.motor = replace(motor, name=self.names.take(motor.name))
            return
        one, two = first.servo, motor.servo
        if one is not None and two is not None and one.stiffness and not two.stiffness:
            parts.motor = replace(first, servo=Servo(one.stiffness, one.damping + two.damping))
            spot.info("joined-actuators", f'it is joined with "{first.name}" of the same joint.')
            return
        said = f'the joint has the actuator "{first.name}" already; this one is left out.'
        spot.warning("no-actuator", said)

    def _drive(self, number: int, spot: Spot) -> JointDrive | None:
        """Return what an actuator acts on, or None after a message."""
        import mujoco

        model = self.compilation.model
        kinds = mujoco.mjtTrn
        kind = kinds(int(model.actuator_trntype[number]))
        target = int(model.actuator_trnid[number][0])
        gear = float(model.actuator_gear[number][0])
        if kind in (kinds.mjTRN_JOINT, kinds.mjTRN_JOINTINPARENT):
            if int(model.jnt_type[target]) in (
                mujoco.mjtJoint.mjJNT_HINGE,
                mujoco.mjtJoint.mjJNT_SLIDE,
            ):
                if abs(gear) > 1e-12:
                    return JointDrive(target, gear)
                spot.warning("no-actuator", "its gear is 0: it moves nothing, and is left out.")
                return None
            said = "actuators of free and ball joints have no counterpart here; it is left out."
            spot.warning("no-actuator", said)
            return None
        if kind == kinds.mjTRN_TENDON and target in self.ratios:
            return self._tendon_drive(target, gear)
        words = {
            kinds.mjTRN_TENDON: "spatial tendons",
            kinds.mjTRN_SITE: "sites",
            kinds.mjTRN_BODY: "bodies (adhesion)",
            kinds.mjTRN_SLIDERCRANK: "slider-cranks",
        }
        what = words.get(kind, "what it acts on")
        spot.warning(
            "no-actuator", f"actuators of {what} have no counterpart here; it is left out."
        )
        return None

    def _tendon_drive(self, tendon: int, gear: float) -> JointDrive | None:
        """Return how the length of a fixed tendon goes with its first joint, the others following."""
        coefficients = self.ratios[tendon]
        first = next(iter(coefficients))
        lead = coefficients[first]
        total = sum(c * c for c in coefficients.values()) / lead
        return JointDrive(first, gear * total)

    def _motor(self, number: int, name: str, drive: JointDrive, spot: Spot) -> Motor | None:
        import mujoco

        model = self.compilation.model
        if int(model.actuator_gaintype[number]) != mujoco.mjtGain.mjGAIN_FIXED:
            spot.warning("no-actuator", "its gain is not constant; it is left out.")
            return None
        if int(model.actuator_dyntype[number]) not in (
            mujoco.mjtDyn.mjDYN_NONE,
            mujoco.mjtDyn.mjDYN_FILTER,
            mujoco.mjtDyn.mjDYN_FILTEREXACT,
        ):
            spot.warning("no-actuator", "activation dynamics of this kind are not read; left out.")
            return None
        if int(model.actuator_dyntype[number]) != mujoco.mjtDyn.mjDYN_NONE:
            spot.warning("no-filter", "the filter of its command is left out: it acts at once.")
        gain = float(model.actuator_gainprm[number][0])
        bias = [0.0, 0.0, 0.0]
        if int(model.actuator_biastype[number]) == mujoco.mjtBias.mjBIAS_AFFINE:
            bias = [float(x) for x in model.actuator_biasprm[number][:3]]
        elif int(model.actuator_biastype[number]) != mujoco.mjtBias.mjBIAS_NONE:
            spot.warning("no-actuator", "its bias is of no kind that is known here; left out.")
            return None
        ctrl = float(self.state.ctrl[int(model.actuator_ctrladr[number])])
        low, high = self._ctrl_range(number)
        ctrl = min(max(ctrl, low), high)
        effort = self._most_effort(number, drive)
        common: dict[str, Any] = {"name": name, "consumption": 0.0, "span": spot.span}
        if not any(bias):
            return self._effort_motor(gain * drive.gear, ctrl, (low, high), effort, common)
        if bias[0]:
            spot.warning("no-bias", f"the constant {bias[0]:g} of its force is left out.")
        g = drive.gear
        stiffness, damping = -bias[1] * g * g, -bias[2] * g * g
        if stiffness < 0.0 or damping < 0.0 or gain == 0.0:
            spot.warning("no-actuator", "its bias drives away from where it is; it is left out.")
            return None
        source = -bias[1] if stiffness else -bias[2]
        factor = gain / source / g  # of the command to a position or velocity of the joint
        if stiffness and abs(gain + bias[1]) > NEAR * abs(gain):
            said = (
                f"its command counts {gain / source:g} times; the range of the motor takes that in."
            )
            spot.info("scaled-actuator", said)
        ends = sorted((low * factor, high * factor))
        if stiffness:
            return Motor(
                **common,
                max_velocity=math.inf,
                max_effort=effort,
                range=(ends[0], ends[1]) if math.isfinite(ends[1] - ends[0]) else None,
                mode=ControlMode.POSITION,
                servo=Servo(stiffness, damping),
                target=ctrl * factor,
            )
        return Motor(
            **common,
            max_velocity=max(map(abs, ends)),
            max_effort=effort,
            mode=ControlMode.VELOCITY,
            servo=Servo(0.0, damping),
            target=ctrl * factor,
        )

    @staticmethod
    def _effort_motor(
        factor: float, ctrl: float, ends: tuple[float, float], effort: float, common: dict[str, Any]
    ) -> Motor:
        most = max(abs(factor * end) for end in ends) if factor else 0.0
        return Motor(
            **common,
            max_velocity=math.inf,
            max_effort=min(effort, most),
            mode=ControlMode.EFFORT,
            target=ctrl * factor,
        )

    def _ctrl_range(self, number: int) -> tuple[float, float]:
        model = self.compilation.model
        at = int(model.actuator_ctrladr[number])
        if not model.actuator_ctrllimited[at]:
            return -math.inf, math.inf
        low, high = (float(x) for x in model.actuator_ctrlrange[at])
        return low, high

    def _most_effort(self, number: int, drive: JointDrive) -> float:
        """Return the greatest effort at the joint."""
        model = self.compilation.model
        most = math.inf
        if model.actuator_forcelimited[number]:
            most = abs(drive.gear) * max(abs(float(x)) for x in model.actuator_forcerange[number])
        if model.jnt_actfrclimited[drive.joint]:
            most = min(most, max(abs(float(x)) for x in model.jnt_actfrcrange[drive.joint]))
        return most
