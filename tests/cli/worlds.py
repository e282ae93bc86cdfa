"""Small worlds of our own for the command-line tests."""

from __future__ import annotations

HEADER = "#VRML_SIM R2025a utf8\n"

FALLING_BALL = (
    HEADER
    + """WorldInfo { basicTimeStep 10 gravity 10 contactProperties [ ContactProperties { bounce 0.25 } ] }
Viewpoint { }
Solid { name "floor" boundingObject Plane { size 4 4 } }
DEF BALL Solid {
  translation 0 0 5
  name "ball"
  boundingObject Sphere { radius 0.1 }
  physics Physics { density -1 mass 2 }
}
"""
)

PENDULUM = (
    HEADER
    + """WorldInfo { basicTimeStep 10 gravity 10 }
Viewpoint { }
Robot {
  name "post"
  translation 0 0 3
  children [
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0 0 minStop -1 maxStop 2 }
      device RotationalMotor { name "swing" maxVelocity 3 maxTorque 0.5 }
      endPoint Solid {
        translation 0.5 0 0
        name "arm, \\"left\\""
        boundingObject Box { size 1 0.1 0.1 }
        physics Physics { density -1 mass 1 }
      }
    }
  ]
}
"""
)

WITH_UNKNOWN_FIELD = FALLING_BALL.replace("translation 0 0 5", "transation 0 0 5")

BROKEN = HEADER + "WorldInfo { basicTimeStep\nSolid { { ] name\n"
