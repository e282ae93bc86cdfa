"""A robot for tests of the panels: an arm with a motor, a camera, a distance sensor, a program."""

from __future__ import annotations

ROBOT = """#VRML_SIM R2025a utf8
WorldInfo {
  basicTimeStep 8
  title "An arm"
}
Viewpoint {
  position -6 0 1.2
  orientation 0 1 0 0.12
}
Background {
  skyColor [ 0.6 0.7 0.9 ]
}
DirectionalLight {
  direction 0.6 0.3 -1
  intensity 2
}
Solid {
  name "floor"
  children [ DEF FLOOR Shape {
    appearance PBRAppearance { baseColor 0.5 0.5 0.5 roughness 1 metalness 0 }
    geometry Plane { size 8 8 }
  } ]
  boundingObject USE FLOOR
  locked TRUE
}
DEF WALL Solid {
  name "red wall"
  translation 1.5 0 0.5
  children [ DEF RED Shape {
    appearance PBRAppearance { baseColor 0.9 0.02 0.02 roughness 1 metalness 0 }
    geometry Box { size 0.1 4 1 }
  } ]
  boundingObject USE RED
}
DEF CRATE Solid {
  name "crate"
  translation 0 1.1 0.25
  translationStep 0.25
  children [ DEF GREEN Shape {
    appearance PBRAppearance { baseColor 0.02 0.6 0.05 roughness 1 metalness 0 }
    geometry Box { size 0.5 0.5 0.5 }
  } ]
  boundingObject USE GREEN
  physics Physics { density -1 mass 2 }
}
DEF ARM Robot {
  name "arm"
  translation 0 0 0.3
  controller "%(controller)s"
  children [
    DEF BASE Shape {
      appearance PBRAppearance { baseColor 0.1 0.2 0.8 roughness 1 metalness 0 }
      geometry Box { size 0.3 0.3 0.3 }
    }
    Camera { translation 0.3 0 0.2 width 64 height 48 }
    DistanceSensor {
      translation 0.2 0 0.2
      lookupTable [ 0 0 0, 2 2 0 ]
    }
    HingeJoint {
      jointParameters HingeJointParameters { axis 1 0 0 anchor 0 0 0.3 }
      device [
        RotationalMotor { name "shoulder" minPosition -1.5 maxPosition 1.5 maxTorque 100 }
        PositionSensor { name "shoulder sensor" }
      ]
      endPoint Solid {
        name "hand"
        translation 0 0 0.6
        children [ DEF ROD Shape {
          appearance PBRAppearance { baseColor 0.9 0.6 0.05 roughness 1 metalness 0 }
          geometry Box { size 0.1 0.1 0.6 }
        } ]
        boundingObject USE ROD
        physics Physics { density -1 mass 0.5 }
      }
    }
  ]
  boundingObject USE BASE
}
"""


def arm_world(*, controller: str = "<none>") -> str:
    """Return a world with an arm that looks at a red wall, beside a crate."""
    return ROBOT % {"controller": controller}
