"""Pictures of thousands of worlds on a graphics card, beside those of mujoco_warp's batch renderer."""

from __future__ import annotations

import importlib
from typing import Any, Final

import warp as wp

from solidbody.formats.loading import read_scene_text
from solidbody.model.scene import Scene

SIDE: Final = 64
"""Of a picture [pixels]."""

WHEEL: Final = (
    "HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 {y} 0 }}"
    ' device RotationalMotor {{ name "{name} motor" maxVelocity 30 }}'
    " endPoint Solid {{ translation 0 {y} 0 rotation 1 0 0 1.5708 children [ DEF W{name} Shape {{"
    " appearance PBRAppearance {{ baseColor 0.1 0.1 0.1 metalness 0 }}"
    " geometry Cylinder {{ radius 0.05 height 0.02 }} }} ] boundingObject USE W{name}"
    ' name "{name}" physics Physics {{ }} }} }}'
)
BOX: Final = (
    'Solid {{ name "box {k}" translation {x} {y} 0.2 children [ DEF B{k} Shape {{ appearance'
    " PBRAppearance {{ baseColor {x} 0.4 {y} roughness 0.6 metalness 0 }} geometry Box {{ size 0.4 0.4 0.4 }}"
    " }} ] boundingObject USE B{k} }}"
)
WORLD: Final = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Background { skyColor [ 0.4 0.6 0.9 ] }
DirectionalLight { direction 0.4 0.3 -1 intensity 2 castShadows TRUE ambientIntensity 0.3 }
Solid { children [ Shape { appearance PBRAppearance { baseColor 0.5 0.5 0.45 metalness 0 }
  geometry Plane { size 20 20 } } ] boundingObject Plane { size 20 20 } }
Solid { name "ball" translation 1 0.5 0.3 children [ DEF BALL Shape { appearance PBRAppearance {
  baseColor 0.9 0.6 0.1 roughness 0.4 metalness 0 } geometry Sphere { radius 0.15 } } ]
  boundingObject USE BALL physics Physics { } }
"""

MODEL: Final = """<mujoco><option timestep="0.008"/><visual><quality shadowsize="64"/></visual><worldbody>
<light directional="true" castshadow="true" dir="0.4 0.3 -1"/>
<geom type="plane" size="10 10 .1" rgba=".5 .5 .45 1"/>
<body pos="1 .5 .3"><freejoint/><geom type="sphere" size=".15" rgba=".9 .6 .1 1"/></body>
<geom type="box" pos="1 0 .2" size=".2 .2 .2"/><geom type="box" pos="0 1 .2" size=".2 .2 .2"/>
<geom type="box" pos="-1 0 .2" size=".2 .2 .2"/><geom type="box" pos="0 -1 .2" size=".2 .2 .2"/>
<body pos="0 0 .06"><freejoint/><geom type="box" size=".1 .06 .03"/>
  <camera name="eye" pos=".1 0 .05" xyaxes="0 -1 0 0 0 1" fovy="60"/>
  <body pos="0 .08 0"><joint axis="0 1 0"/><geom type="cylinder" size=".05 .01" euler="90 0 0"/></body>
  <body pos="0 -.08 0"><joint axis="0 1 0"/><geom type="cylinder" size=".05 .01" euler="90 0 0"/></body>
</body></worldbody></mujoco>"""
"""The same things for mujoco_warp."""


def seeing_robot() -> Scene:
    """Return a robot on two wheels with a camera, among four boxes and a ball, under a sun."""
    boxes = [
        BOX.format(k=k, x=x, y=y) for k, (x, y) in enumerate(((1, 0), (0, 1), (-1, 0), (0, -1)))
    ]
    colors = [
        box.replace("baseColor -1", "baseColor 0.7").replace("-1 roughness", "0.7 roughness")
        for box in boxes
    ]
    wheels = [WHEEL.format(name=name, y=y) for name, y in (("left", 0.08), ("right", -0.08))]
    camera = f"Camera {{ translation 0.1 0 0.05 width {SIDE} height {SIDE} fieldOfView 1.05 }}"
    body = (
        "DEF BODY Shape { appearance PBRAppearance { baseColor 0.8 0.1 0.1 metalness 0 }"
        " geometry Box { size 0.2 0.12 0.06 } }"
    )
    robot = (
        f"Robot {{ translation 0 0 0.06 children [ {body} {camera} {' '.join(wheels)} ]"
        " boundingObject USE BODY physics Physics { } }"
    )
    scene, messages = read_scene_text("\n".join([WORLD, *colors, robot]))
    if scene is None:
        raise ValueError(str(list(messages)))
    return scene


class TheirPictures:
    """The same of mujoco_warp: `step` and `look` of all worlds, each a graph.

    Args:
        device: Of Warp.
        count: How many worlds.
    """

    def __init__(self, device: Any, count: int) -> None:
        import mujoco

        mjw: Any = importlib.import_module("mujoco_warp")
        with wp.ScopedDevice(device):
            model = mujoco.MjModel.from_xml_string(MODEL)
            m = mjw.put_model(model)
            d = mjw.make_data(model, nworld=count, nconmax=24, njmax=96)
            seen = mjw.create_render_context(
                model, nworld=count, cam_res=(SIDE, SIDE), render_rgb=True, use_shadows=True
            )

            def look() -> None:
                if hasattr(mjw, "refit_bvh"):
                    mjw.refit_bvh(m, d, seen)
                mjw.render(m, d, seen)

            mjw.step(m, d)
            look()
            with wp.ScopedCapture() as capture:
                look()
            self._graph: Any = capture.graph
            self._keep = (m, d, seen)

    def look(self) -> None:
        """Take the pictures of all worlds."""
        wp.capture_launch(self._graph)
