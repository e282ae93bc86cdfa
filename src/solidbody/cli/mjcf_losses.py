"""Reports what an MJCF file cannot express about a scene, when one is converted."""

from __future__ import annotations

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import SourceSpan
from solidbody.model.contacts import ContactProperties
from solidbody.model.joints import JointAxis, joint_axes
from solidbody.model.scene import Scene

CODE = "lost-in-mjcf"


def report_mjcf_losses(scene: Scene, log: DiagnosticLog) -> None:
    """Add a diagnostic for each thing in `scene` that MJCF has no word for."""
    whole = SourceSpan(scene.source, 1, 1, 1, 1)
    log.info(
        CODE,
        whole,
        "MuJoCo's own contact model takes the place of the contact law (ERP, CFM, bounded friction)",
    )
    for entry in scene.contacts.entries:
        losses = _contact_losses(entry)
        if losses:
            pair = " / ".join(entry.materials)
            log.warning(CODE, entry.span, f"contact of {pair}: MJCF cannot say {', '.join(losses)}")
    for link in scene.links():
        for axis in joint_axes(link.joint):
            losses = _axis_losses(axis)
            if losses:
                log.warning(
                    CODE,
                    link.span,
                    f'joint of "{link.name}": MJCF cannot say {", ".join(losses)}',
                )
        if link.damping is not None and (link.damping.linear or link.damping.angular):
            log.warning(CODE, link.span, f'damping of "{link.name}" has no counterpart in MJCF')
        for device in link.devices:
            log.info(CODE, device.span, f'device "{device.name}" is left out')
    for fluid in scene.fluids:
        log.warning(CODE, fluid.span, f'fluid "{fluid.name}" is left out')


def _contact_losses(entry: ContactProperties) -> list[str]:
    standard = ContactProperties()
    losses: list[str] = []
    if entry.bounce != 0.0:
        losses.append(f"bounce {entry.bounce:g}")
    if len(entry.friction) > 1 or entry.friction_rotation != (0.0, 0.0):
        losses.append("friction that depends on direction")
    if any(entry.rolling_friction):
        losses.append("rolling friction of this law")
    if any(entry.slip):
        losses.append("force-dependent slip")
    if (entry.soft_erp, entry.soft_cfm) != (standard.soft_erp, standard.soft_cfm):
        losses.append("softness (ERP, CFM)")
    return losses


def _axis_losses(axis: JointAxis) -> list[str]:
    losses: list[str] = []
    if axis.motor is not None:
        losses.append("a motor that holds a velocity with limited effort")
    if axis.stops is not None and axis.stops.bounce:
        losses.append("stops that bounce")
    if axis.brake is not None:
        losses.append("a brake")
    return losses
