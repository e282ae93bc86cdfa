"""Models of MuJoCo in tests: written to files, read by us, and compared with what MuJoCo makes of them."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import solidbody as sb
from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.loading import read_scene
from solidbody.model.joints import (
    Joint,
    JointAxis,
    JointBall,
    JointFree,
    JointHinge,
    JointSlider,
)
from solidbody.model.links import Link
from solidbody.model.scene import Scene, world_poses

PACKAGES = ("gymnasium", "dm_control", "mujoco_warp")
"""What pip brings with models in MJCF."""


def written(folder: Path, text: str, name: str = "model.xml") -> Path:
    """Return a file that holds a model; `text` is what stands inside <mujoco>."""
    path = folder / name
    path.write_text(
        f'<mujoco model="m">{text}</mujoco>' if "<mujoco" not in text else text, "utf-8"
    )
    return path


def loaded(path: Path) -> tuple[Scene, DiagnosticLog]:
    """Return a model as a scene, and what was said."""
    scene, log = read_scene(path)
    assert scene is not None, [str(item) for item in log]
    return scene, log


def public_models(package: str) -> list[Path]:
    """Return the models that an installed package brings; none if it is not installed."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return []
    files = sorted(Path(spec.origin).parent.rglob("*.xml"))
    return [file for file in files if "<mujoco" in file.read_text("utf-8", errors="replace")]


def mujoco_model(path: Path) -> mujoco.MjModel | None:
    """Return MuJoCo's own model, or None where it refuses the file."""
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        return None


def start(model: mujoco.MjModel) -> mujoco.MjData:
    """Return the state at the start: that of the first keyframe, if there is one."""
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_kinematics(model, data)
    return data


def links_by_name(scene: Scene) -> dict[str, tuple[Link, Any]]:
    """Return links and their places in the world."""
    return {
        link.name: (link, pose)
        for body in scene.bodies
        for link, pose in zip(body.links, world_poses(body), strict=True)
    }


def body_name(model: mujoco.MjModel, body: int) -> str:
    return model.body(body).name or f"body {body}"


def free(scene: Scene, model: mujoco.MjModel, data: mujoco.MjData, seed: int) -> Scene:
    """Return a scene in which nothing touches, stops, rubs or drives, and which starts in motion.

    The same velocities are written into `data`.
    """
    rng = np.random.default_rng(seed)
    data.qvel[:] = 0.0
    bodies = []
    for body in scene.bodies:
        links = []
        for link in body.links:
            joint = _loose(link.joint)
            linear = angular = (0.0, 0.0, 0.0)
            if isinstance(joint, JointHinge | JointSlider):
                number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, joint.name)
                if number >= 0:
                    speed = float(rng.normal())
                    data.qvel[model.jnt_dofadr[number]] = speed
                    joint = replace(joint, axis=replace(joint.axis, velocity=speed))
            number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, link.name)
            if isinstance(joint, JointFree) and number >= 0:
                at = model.jnt_dofadr[model.body_jntadr[number]]
                linear, spin = tuple(rng.normal(size=3).tolist()), rng.normal(size=3)
                data.qvel[at : at + 3], data.qvel[at + 3 : at + 6] = linear, spin
                angular = tuple((data.xmat[number].reshape(3, 3) @ spin).tolist())
            links.append(
                replace(
                    link, joint=joint, shapes=(), linear_velocity=linear, angular_velocity=angular
                )
            )
        bodies.append(replace(body, links=tuple(links), loops=(), couplings=()))
    return replace(scene, bodies=tuple(bodies))


def _loose(joint: Joint) -> Joint:
    match joint:
        case JointHinge() | JointSlider():
            return replace(joint, axis=_bare(joint.axis))
        case JointBall():
            axes = {name: _bare(getattr(joint, name)) for name in ("axis1", "axis2", "axis3")}
            return replace(joint, **axes)
        case _:
            return joint


def _bare(axis: JointAxis) -> JointAxis:
    return replace(axis, velocity=0.0, stops=None, static_friction=0.0, motor=None)


def loosened(model: mujoco.MjModel) -> None:
    """Let MuJoCo leave out contacts, limits, equalities, dry friction, actuators and the medium, too."""
    off = mujoco.mjtDisableBit
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    model.opt.disableflags |= int(
        off.mjDSBL_CONTACT
        | off.mjDSBL_LIMIT
        | off.mjDSBL_EQUALITY
        | off.mjDSBL_FRICTIONLOSS
        | off.mjDSBL_ACTUATION
    )
    model.opt.disableflags &= ~int(off.mjDSBL_EULERDAMP)  # dampers act implicitly, as here
    model.opt.density = model.opt.viscosity = 0.0
    model.opt.wind[:] = 0.0
    model.tendon_stiffness[:] = model.tendon_damping[:] = 0.0
    model.body_gravcomp[:] = 0.0


def drift(path: Path, seconds: float, seed: int = 1) -> float:
    """Return how far bodies are from where mj_step has them after some time of free motion [m]."""
    scene, _ = read_scene(path)
    model = mujoco_model(path)
    assert scene is not None and model is not None
    loosened(model)
    data = start(model)
    sim = sb.Sim(free(scene, model, data, seed))
    for _ in range(round(seconds / model.opt.timestep)):
        sim.step()
        mujoco.mj_step(model, data)
    mujoco.mj_kinematics(model, data)
    known = {link.name for link in scene.links()}
    return max(
        float(np.abs(np.array(sim.link(body_name(model, k)).position) - data.xpos[k]).max())
        for k in range(1, model.nbody)
        if body_name(model, k) in known
    )
