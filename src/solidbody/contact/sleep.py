"""Updates MuJoCo's lists of awake bodies outside a step."""

from __future__ import annotations

import ctypes

import mujoco

from solidbody.contact.native import mujoco_library

AWAKE = -11
"""Of MjData.tree_asleep, see SB_AWAKE."""


def update_sleep(m: mujoco.MjModel, d: mujoco.MjData) -> None:
    """Let MuJoCo bring its lists of what is awake up to date; it has no Python name for that."""
    function = ctypes.CDLL(str(mujoco_library())).mj_updateSleep
    function.argtypes, function.restype = [ctypes.c_void_p, ctypes.c_void_p], None
    function(m._address, d._address)
