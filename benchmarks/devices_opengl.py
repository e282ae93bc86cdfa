"""The pictures of `benchmarks/devices.py` once more, drawn by `mujoco.Renderer`, where the system has OpenGL.

python -m benchmarks.devices_opengl

Prints one line of JSON: [name, ms, "ms"] of each size, number of objects, with and without shadows. Set
MUJOCO_GL (egl or osmesa) before; Mesa's software renderer is held to one thread by LP_NUM_THREADS=0.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import mujoco
import numpy as np

from benchmarks.devices import SIZES, best, clutter_places

GEOMS = (
    'type="box" size="0.15 0.15 0.15"',
    'type="sphere" size="0.2"',
    'type="cylinder" size="0.15 0.2"',
)
FOVY = 44.7
"""[degrees] Vertical angle of a picture of 4 to 3 with 1 rad across its width: 2 atan(0.75 tan(0.5))."""


def scene_text(count: int) -> str:
    """Return the scene of `benchmarks.devices.clutter` for MuJoCo: same objects, same lamps."""
    objects = "".join(
        f'<geom {GEOMS[k % len(GEOMS)]} pos="{x} {y} {z}" rgba="0.2 0.5 0.8 1"/>'
        for k, (x, y, z) in enumerate(clutter_places(count))
    )
    return f"""<mujoco>
      <visual><global offwidth="640" offheight="480"/><map znear="0.01" zfar="100"/></visual>
      <statistic extent="1"/>
      <worldbody>
        <light type="directional" dir="0.3 0.4 -1" castshadow="true"/>
        <light type="point" pos="3 0 4" castshadow="true"/>
        <geom type="plane" size="20 20 0.1"/>
        <camera name="eye" pos="0 0 1" xyaxes="0 -1 0 0 0 1" fovy="{FOVY}"/>
        {objects}
      </worldbody>
    </mujoco>"""


def main() -> None:
    """Measure and print."""
    rows: list[tuple[str, float, str]] = []
    for count in (50, 500):
        model: Any = mujoco.MjModel.from_xml_string(scene_text(count))
        data: Any = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        for width, height in SIZES:
            renderer: Any = mujoco.Renderer(model, height, width)
            for shadows in (False, True):
                renderer.scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = shadows

                def take(renderer: Any = renderer, data: Any = data) -> np.ndarray:
                    renderer.disable_depth_rendering()
                    renderer.update_scene(data, "eye")
                    renderer.render()
                    renderer.enable_depth_rendering()
                    return renderer.render()

                text = "with" if shadows else "without"
                name = f"{width}x{height} by mujoco.Renderer, {count} objects, {text} shadows"
                rows.append((name, 1000.0 * best(take), "ms"))
            renderer.close()
    sys.stdout.write(json.dumps(rows) + "\n")


if __name__ == "__main__":
    main()
