"""SR1 plays a recorded motion: by joint torques, by positions or by velocities.

It is written as one would for Choreonoid in C++: the same calls in the same places.

    solidbody run SR1Walk.cnoid --share SHARE --body-controller "SR1=sr1_walk.py SR1WalkPattern1.seq torque"
"""

from solidbody import BodyController
from solidbody.control.io_body import BodyMotion, Link

MODES = {
    "torque": Link.JointTorque,
    "position": Link.JointAngle,
    "velocity": Link.JointVelocity,
}
ARM = 3000.0  # N m/rad, of the seven joints of an arm
REST = 8000.0  # of legs and trunk
DAMPING = 100.0  # N m s/rad


class Walk(BodyController):
    """Options: a motion file, and the mode."""

    def initialize(self, io):
        options = io.options()
        if not options:
            io.os().write("which motion? give a .seq file as an option\n")
            return False
        motion = BodyMotion()
        if not motion.load(options[0]):
            io.os().write(motion.seqMessage() + "\n")
            return False
        self.mode = MODES[options[1] if len(options) > 1 else "torque"]
        self.frames = motion.jointPosSeq()
        self.joints = io.body().joints()
        if self.frames.numParts() != len(self.joints):
            io.os().write(f"the motion has {self.frames.numParts()} joints\n")
            return False
        self.dt = io.timeStep()
        if abs(self.frames.timeStep() - self.dt) > 1e-6:
            io.os().write("the motion has another time step; frames are played one a step\n")
        for joint in self.joints:
            joint.setActuationMode(self.mode)
            io.enableIO(joint)
        self.gains = [ARM if "ARM" in joint.name() else REST for joint in self.joints]
        self.last = [joint.q for joint in self.joints]
        self.now = 0
        self.goal = self.frames.frame(0)
        return True

    def control(self):
        before, self.goal = self.goal, self.frames.clampedFrame(self.now)
        ahead = self.frames.clampedFrame(self.now + 1)
        for i, joint in enumerate(self.joints):
            if self.mode == Link.JointTorque:
                q = joint.q
                speed = (q - self.last[i]) / self.dt
                wanted = (self.goal[i] - before[i]) / self.dt
                joint.u = self.gains[i] * (self.goal[i] - q) + DAMPING * (wanted - speed)
                self.last[i] = q
            elif self.mode == Link.JointAngle:
                joint.q_target = self.goal[i]
            else:
                joint.dq_target = (ahead[i] - self.goal[i]) / self.dt
        self.now += 1
        return self.now < self.frames.numFrames()
