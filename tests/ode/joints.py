"""Hinges and sliders in ODE, with motors, stops, springs and dry friction as Webots sets them up.

The child is attached first, so that positive rates turn or move the child along the axis.
A spring-damper (k, d) is a pair of stops that coincide at position 0, with ERP = h*k/(h*k + d) and
CFM = 1/(h*k + d) (rule W7.2.3). ODE then allows no motor or stops on the same joint, so next to
those it sits on an angular motor joint, as in Webots.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

from solidbody.base.transforms import Pose
from solidbody.model.joints import JointHinge, JointSlider
from solidbody.model.motors import ControlMode
from solidbody.model.scene import Physics
from tests.ode import library as ode


class OdeJoint:
    """One axis: commands and read-out. Positions count from where the scene's position is 0."""

    def __init__(self, lib: ctypes.CDLL, handle: int, joint: JointHinge | JointSlider) -> None:
        self._lib = lib
        self._handle = handle
        self._joint = joint
        self._kind = "Hinge" if isinstance(joint, JointHinge) else "Slider"
        axis = joint.axis
        self._motor = axis.motor
        self._target_position = axis.position
        self._target_velocity: float | None = None
        if axis.motor is not None and axis.motor.mode is ControlMode.VELOCITY:
            self._target_velocity = 0.0
        self.effort = 0.0
        """[N*m] or [N], added in every step."""
        self.spring: int | None = None
        """Angular motor joint that carries the spring-damper, if it does not sit on the joint."""

    def set_param(self, parameter: int, value: float) -> None:
        """Set one of ODE's joint parameters."""
        self._call("dJointSet{}Param", parameter, value)

    def _call(self, name: str, *arguments: Any) -> Any:
        return getattr(self._lib, name.format(self._kind))(self._handle, *arguments)

    @property
    def target_velocity(self) -> float | None:
        """Commanded velocity; None in position control."""
        return self._target_velocity

    @target_velocity.setter
    def target_velocity(self, value: float) -> None:
        self._target_velocity = value

    @property
    def position(self) -> float:
        """Return the position [rad] or [m] (a hinge within one turn)."""
        name = "dJointGetHingeAngle" if self._kind == "Hinge" else "dJointGetSliderPosition"
        return self._call(name) + self._joint.axis.position

    @property
    def velocity(self) -> float:
        """Return the rate [rad/s] or [m/s]."""
        name = "dJointGetHingeAngleRate" if self._kind == "Hinge" else "dJointGetSliderPositionRate"
        return self._call(name)

    def command(self, h: float) -> None:
        """Hand the motor's velocity and force limit to ODE before a step of length h."""
        friction = self._joint.axis.static_friction
        if self.spring is not None:
            self._lib.dJointSetAMotorAngle(self.spring, 0, self.position)
        if self.effort != 0.0:
            name = "dJointAddHingeTorque" if self._kind == "Hinge" else "dJointAddSliderForce"
            self._call(name, self.effort)
        if self._motor is None:
            if friction > 0.0:
                self.set_param(ode.PARAM_VEL, 0.0)
                self.set_param(ode.PARAM_FMAX, friction)
            return
        velocity = self._target_velocity
        if velocity is None:
            limit = self._motor.max_velocity
            velocity = self._motor.pid.p * (self._target_position - self.position)
            velocity = max(-limit, min(limit, velocity))
        self.set_param(ode.PARAM_VEL, velocity)
        self.set_param(ode.PARAM_FMAX, max(friction, self._motor.max_effort))


def attach_joint(
    lib: ctypes.CDLL,
    world: int | None,
    joint: JointHinge | JointSlider,
    child: int,
    parent: int | None,
    parent_pose: Pose,
    physics: Physics,
) -> OdeJoint:
    """Create the ODE joint between `child` and `parent` (None: the static world)."""
    axis = joint.axis
    direction = parent_pose.direction(axis.direction)
    if isinstance(joint, JointHinge):
        handle = lib.dJointCreateHinge(world, None)
        lib.dJointAttach(handle, child, parent)
        lib.dJointSetHingeAnchor(handle, *parent_pose.point(joint.anchor))
        lib.dJointSetHingeAxis(handle, *direction)
    else:
        handle = lib.dJointCreateSlider(world, None)
        lib.dJointAttach(handle, child, parent)
        lib.dJointSetSliderAxis(handle, *direction)
    made = OdeJoint(lib, handle, joint)
    made.set_param(ode.PARAM_FUDGE_FACTOR, 1.0)
    if axis.spring > 0.0 or axis.damping > 0.0:
        softness = 1.0 / (physics.time_step * axis.spring + axis.damping)
        share = physics.time_step * axis.spring * softness
        if axis.motor is None and axis.stops is None and axis.static_friction == 0.0:
            made.set_param(ode.PARAM_LO_STOP, -axis.position)
            made.set_param(ode.PARAM_HI_STOP, -axis.position)
            made.set_param(ode.PARAM_STOP_ERP, share)
            made.set_param(ode.PARAM_STOP_CFM, softness)
        elif isinstance(joint, JointHinge):
            made.spring = lib.dJointCreateAMotor(world, None)
            lib.dJointAttach(made.spring, child, parent)
            lib.dJointSetAMotorNumAxes(made.spring, 1)
            lib.dJointSetAMotorAxis(made.spring, 0, 1, *direction)
            for parameter, value in (
                (ode.PARAM_LO_STOP, 0.0),
                (ode.PARAM_HI_STOP, 0.0),
                (ode.PARAM_STOP_ERP, share),
                (ode.PARAM_STOP_CFM, softness),
            ):
                lib.dJointSetAMotorParam(made.spring, parameter, value)
        else:
            raise ValueError("the ODE harness has sliders with a spring or a motor, not both")
    if axis.stops is not None:
        stops = axis.stops
        # ODE accepts low before high only in the order that never has low > high
        made.set_param(ode.PARAM_LO_STOP, -math.inf)
        made.set_param(ode.PARAM_HI_STOP, stops.high - axis.position)
        made.set_param(ode.PARAM_LO_STOP, stops.low - axis.position)
        made.set_param(ode.PARAM_BOUNCE, stops.bounce)
        made.set_param(ode.PARAM_STOP_ERP, physics.erp if stops.erp is None else stops.erp)
        made.set_param(ode.PARAM_STOP_CFM, physics.cfm if stops.cfm is None else stops.cfm)
    return made
