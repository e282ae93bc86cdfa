"""Reads a model of MuJoCo as a scene.

Time step and gravity are the file's; its integrator, solver and cone are MuJoCo's, and what they stand for
here is said. The start is that of a keyframe, if there is one: the first, or the one that the options name.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any, Final

import numpy as np

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.limits import MAX_MJCF_DEPTH
from solidbody.base.transforms import Pose
from solidbody.formats.choreonoid.project.surroundings import framed
from solidbody.formats.gc_pause import collector_paused
from solidbody.formats.link_trees.messages import Messages, Spot
from solidbody.formats.link_trees.uris import BodyFiles
from solidbody.formats.mjcf.actuators import ActuatorReader
from solidbody.formats.mjcf.bodies import Trees
from solidbody.formats.mjcf.compiling import Compilation, compiled
from solidbody.formats.mjcf.contacts import MjcfContacts, softness, typical_mass
from solidbody.formats.mjcf.equalities import Equalities
from solidbody.formats.mjcf.frames import MjcfState, quaternion, vector
from solidbody.formats.mjcf.looks import Looks
from solidbody.formats.mjcf.sensors import SensorReader
from solidbody.formats.mjcf.shapes import ShapeReader
from solidbody.formats.mjcf.source import ROOT, label_of, read_source
from solidbody.formats.options import LoadOptions
from solidbody.formats.webots.lower.names import UniqueNames
from solidbody.formats.xml_tree import XmlElement, parse_xml
from solidbody.model.links import Frame
from solidbody.model.scene import OriginRule, Physics, Scene, SpringRule

CFM: Final = 1e-8
"""[velocity per force] Softness of loops and couplings, whose impedance in MuJoCo is close to 1."""

UNNAMED: Final = "MuJoCo Model"
"""What MuJoCo calls a model without a name."""

AS_WRITTEN: Final = "none"
"""Asks for the positions of the file itself, without any keyframe."""


@collector_paused()
def read_mjcf(text: str, name: str, options: LoadOptions, log: DiagnosticLog) -> Scene | None:
    """Return the scene of a model's text, or None after a message.

    Args:
        text: What the file holds.
        name: Its name; other files are relative to it.
        options: Where other files come from, and which keyframe is the start.
        log: Takes all messages.
    """
    root = parse_xml(text, name, log, max_depth=MAX_MJCF_DEPTH)
    if root is None:
        return None
    if root.tag != ROOT:
        said = f"the outermost element of MJCF is <{ROOT}>, got <{root.tag}>."
        log.error("wrong-format", root.span, said)
        return None
    return scene_of_mjcf(root, name, options, log)


def scene_of_mjcf(
    root: XmlElement, name: str, options: LoadOptions, log: DiagnosticLog
) -> Scene | None:
    """Return the scene of a parsed model, or None after a message."""
    files = BodyFiles(name, options)
    messages = Messages(log)
    found = compiled(read_source(root, name, files, log), messages)
    if found is None:
        return None
    return _scene(found, name, options, files, messages)


def _scene(
    found: Compilation, name: str, options: LoadOptions, files: BodyFiles, messages: Messages
) -> Scene:
    model, spec = found.model, found.spec
    called = spec.modelname if spec.modelname not in ("", UNNAMED) else PurePath(name).stem
    state = start_state(found, options.keyframe, messages)
    trees = Trees(found, messages, state, called)
    fixed = (model.geom_bodyid, model.site_bodyid, model.cam_bodyid)
    trees.read_links(has_world=any((bodies == 0).any() for bodies in fixed))
    equalities = Equalities(found, messages, trees)
    equalities.read_tendons()
    equalities.read_equalities()
    trees.make_groups(equalities.joined)
    names = UniqueNames()
    ActuatorReader(found, messages, state, trees, equalities.ratios, names).read()
    sensors = SensorReader(found, messages, trees, names)
    sensors.read_cameras()
    sensors.read_sensors()
    looks = Looks(found, messages)
    tops = [
        k
        for k in range(1, model.nbody)
        if model.body_parentid[k] == 0 and model.body_treeid[k] >= 0
    ]
    contacts = MjcfContacts(found, typical_mass(float(model.body_subtreemass[k]) for k in tops))
    if contacts.is_cut:
        said = "more kinds of contacts than are told apart; the rarest are taken for the commonest."
        _whole(found, messages).warning("many-contacts", said)
    bodies = trees.bodies(
        ShapeReader(found, messages, looks),
        contacts,
        _site_frames(found, trees),
        tuple(equalities.loops()),
        tuple(equalities.couplings()),
    )
    _say_what_differs(found, messages)
    return Scene(
        name=called,
        source=name,
        physics=_physics(model),
        bodies=bodies,
        contacts=contacts.table(),
        lights=looks.lights(trees.paths),
        background=looks.background(),
        viewpoint=framed(bodies),
        diagnostics=tuple(messages.log),
        files=files.access,
    )


def _whole(found: Compilation, messages: Messages) -> Spot:
    root = next(iter(found.source.files.values()))
    return Spot(messages, root.span, label_of(root))


def start_state(found: Compilation, keyframe: str, messages: Messages) -> MjcfState:
    """Return the state at the start: that of a keyframe, the first if none is named."""
    model = found.model
    keys = list(found.spec.keys)
    chosen: int | None = 0 if keys else None
    if keyframe == AS_WRITTEN:
        chosen = None
    elif keyframe:
        known = [key.name for key in keys]
        chosen = known.index(keyframe) if keyframe in known else None
        if chosen is None:
            guess = messages.guess(keyframe, [name for name in known if name])
            said = f'no keyframe is named "{keyframe}"; the positions of the file are the start.{guess}'
            _whole(found, messages).warning("unknown-keyframe", said)
    if chosen is None:
        mocap = [k for k in range(model.nbody) if model.body_mocapid[k] >= 0]
        return MjcfState(
            model.qpos0.copy(),
            np.zeros(model.nv),
            model.body_pos[mocap],
            model.body_quat[mocap],
            np.zeros(model.nu),
        )
    return MjcfState(
        model.key_qpos[chosen],
        model.key_qvel[chosen],
        model.key_mpos[chosen].reshape(-1, 3),
        model.key_mquat[chosen].reshape(-1, 4),
        model.key_ctrl[chosen],
    )


def _physics(model: Any) -> Physics:
    import mujoco

    falls = not model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    step = float(model.opt.timestep)
    erp, _ = softness((0.02, 1.0), (0.9, 0.95), step, 1.0)
    return Physics(
        time_step=step,
        gravity=vector(model.opt.gravity) if falls else (0.0, 0.0, 0.0),
        erp=erp,
        cfm=CFM,
        origins=OriginRule.LINK,
        springs=SpringRule.EXPLICIT,
    )


def _say_what_differs(found: Compilation, messages: Messages) -> None:
    """Say which settings of the file mean something else here."""
    import mujoco

    model = found.model
    spot = _whole(found, messages)
    integrator = mujoco.mjtIntegrator(int(model.opt.integrator))
    if integrator != mujoco.mjtIntegrator.mjINT_EULER:
        word = integrator.name.removeprefix("mjINT_")
        said = (
            f"the integrator is semi-implicit Euler with implicit springs and dampers, not {word}."
        )
        spot.info("integrator", said)
    if model.opt.density or model.opt.viscosity:
        spot.warning(
            "no-medium", "density and viscosity of the medium are left out: nothing is slowed."
        )
    if model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_CONTACT):
        spot.warning("contacts-on", "contacts are switched off in the file; here they act.")
    light = [body for body in found.spec.bodies if body.gravcomp]
    if light:
        names = ", ".join(f'"{body.name}"' for body in light[:6]) + (
            ", ..." if len(light) > 6 else ""
        )
        said = f"gravcomp is left out: gravity acts on {names} as on all others."
        found.spot(messages, light[0], "gravcomp").warning("no-gravcomp", said)


def _site_frames(found: Compilation, trees: Trees) -> dict[int, list[Frame]]:
    """Return the sites as frames, by body."""
    model = found.model
    out: dict[int, list[Frame]] = {}
    names = UniqueNames()
    for number, site in enumerate(found.spec.sites):
        body = int(model.site_bodyid[number])
        pose = Pose(vector(model.site_pos[number]), quaternion(model.site_quat[number]))
        name = names.take(site.name or f"site {number}")
        frame = Frame(name, f"{trees.paths[body]}:{name}", pose, span=found.span(site))
        out.setdefault(body, []).append(frame)
    return out
