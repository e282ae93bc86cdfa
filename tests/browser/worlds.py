"""Worlds for the browser tests: few bodies, plain colours, one motion that never ends."""

from __future__ import annotations

NASTY_NAME = "<script>window.harmed = 1</script><img src=x onerror='window.harmed = 1'>"

PENDULUM = """#VRML_SIM R2025a utf8
WorldInfo {{
  basicTimeStep 8
  title "{title}"
}}
Viewpoint {{
  position -5 0 1.2
  orientation 0 1 0 0.08
}}
Background {{
  skyColor [ 0.05 0.15 0.8 ]
}}
DirectionalLight {{
  direction 0.6 0.3 -1
  intensity 2
  castShadows TRUE
}}
Solid {{
  name "floor"
  children [ DEF FLOOR Shape {{
    appearance PBRAppearance {{ baseColor 0.5 0.5 0.5 roughness 1 metalness 0 }}
    geometry Plane {{ size 8 8 }}
  }} ]
  boundingObject USE FLOOR
}}
Solid {{
  name "{box}"
  translation 0 1 0.25
  children [ DEF BOX Shape {{
    appearance PBRAppearance {{ baseColor 0.8 0.02 0.02 roughness 0.8 metalness 0 }}
    geometry Box {{ size 0.5 0.5 0.5 }}
  }} ]
  boundingObject USE BOX
  physics Physics {{ density -1 mass 1 }}
}}
Solid {{
  name "stand"
  translation 0 -0.8 1.4
  children [
    HingeJoint {{
      jointParameters HingeJointParameters {{ axis 1 0 0 }}
      endPoint Solid {{
        name "pendulum"
        translation 0 -0.7 0
        children [ DEF BOB Shape {{
          appearance PBRAppearance {{ baseColor 0.02 0.6 0.05 roughness 0.6 metalness 0 }}
          geometry Sphere {{ radius 0.25 subdivision 3 }}
        }} ]
        boundingObject USE BOB
        physics Physics {{ density -1 mass 1 }}
      }}
    }}
  ]
}}
"""


def pendulum_world(*, title: str = "A pendulum", box: str = "box") -> str:
    """Return a world with a floor, a red box at rest and a green pendulum that swings for ever."""
    return PENDULUM.format(title=title, box=box)
