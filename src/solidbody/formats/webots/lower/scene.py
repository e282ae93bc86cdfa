"""Lowers the syntax tree of a world file to a scene of the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from solidbody.base.diagnostics import DiagnosticLog, did_you_mean
from solidbody.base.span import SourceSpan
from solidbody.base.transforms import Pose
from solidbody.formats.assets import AssetFinder
from solidbody.formats.vrml.syntax import FileSyntax
from solidbody.formats.webots.lower.images import (
    ImageChecks,
    WantedImage,
    report_refused,
    wanted_images,
    wanted_sounds,
)
from solidbody.formats.webots.lower.media import fetch_media
from solidbody.formats.webots.lower.plain import lower_plain, plain_values
from solidbody.formats.webots.lower.top_nodes import Top, TopNodeCache, TopNodePart, carriers_of
from solidbody.formats.webots.lower.world import lower_world_info
from solidbody.formats.webots.nodes.attributes import bindings
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.releases.contacts import OldContacts
from solidbody.formats.webots.releases.release import NEWEST, Release, parse_release
from solidbody.model.environment import Fog, Viewpoint
from solidbody.model.links import Body, Link
from solidbody.model.scene import PictureRule, Scene

_TOP_NODES = (
    "WorldInfo",
    "Viewpoint",
    "Background",
    "Fog",
    "Solid",
    "Robot",
    "DifferentialWheels",
    "Supervisor",
    "Charger",
    "Fluid",
    "Group",
    "Pose",
    "Transform",
    "Billboard",
    "Shape",
    "CadShape",
    "DirectionalLight",
    "PointLight",
    "SpotLight",
)
DEFAULT_VIEW = Pose((-10.0, 0.0, 0.0))
"""Where the camera of a world without Viewpoint stands: as one with the table's defaults."""

_ONCE = ("WorldInfo", "Viewpoint", "Background", "Fog")


@dataclass(frozen=True, slots=True)
class Lowered:
    """A scene and the nodes that it comes from.

    Attributes:
        scene: The scene.
        nodes: The solid of each of its links; None for links that come from none.
        top: The top nodes of the file, PROTO instances expanded.
        are_apart: Whether no USE leads from one of them to another.
    """

    scene: Scene
    nodes: tuple[TypedNode | None, ...]
    top: tuple[TypedNode, ...] = ()
    are_apart: bool = False


def lower_file(
    tree: FileSyntax,
    source: str,
    finder: AssetFinder,
    log: DiagnosticLog,
    *,
    check_images: bool = False,
    kept: TopNodeCache | None = None,
) -> Lowered:
    """Return the scene of a world; everything that was changed or left out is reported.

    Args:
        tree: The world, its PROTOs expanded.
        source: Its file.
        finder: Finds meshes and images.
        log: Takes the messages.
        check_images: Whether images are opened, and reported where they cannot be.
        kept: Has the top nodes of the document as they were read before; None = it is read once.
    """
    release = _release(tree, source, log)
    kept = kept or TopNodeCache(apart=False)
    tops = _legal_tops(kept.read(tree, release, log), log)
    top = [item.node for item in tops if item.node is not None]
    once = _single_nodes(top, source, log)
    world_info = once.get("WorldInfo")
    settings = lower_world_info(world_info, release, log)

    parts = kept.lower([item for item in tops if _is_lowered(item)], release, finder)
    log.extend(item for part in parts if part.walked for item in part.walked)
    log.extend(item for part in parts if part.built for item in part.built)
    bodies = tuple(body for part in parts for body in part.bodies)
    _check_masses([link for part in parts for link in part.extremes], log)
    if check_images:
        report_refused(wanted_sounds(top), finder, log)
        beside = [image for part in parts for image in part.images]
        _check_images((*wanted_images(top, finder), *beside), finder, log)
    else:
        kept.report_refused(tops, finder, log)
        if finder.may_download:
            fetch_media(top, finder, log)

    background, fog = once.get("Background"), once.get("Fog")
    viewpoint = _viewpoint(once.get("Viewpoint"), parts, log)
    contacts = OldContacts({name: item for part in parts for name, item in part.contacts.items()})
    scene = Scene(
        PurePath(source).stem or "world",
        source,
        settings.physics,
        bodies,
        contacts.extended(settings.contacts, _materials(bodies) if contacts.values else ()),
        tuple(fluid for part in parts for fluid in part.fluids),
        lights=tuple(light for part in parts for light in part.lights),
        background=kept.background(background, finder) if background else None,
        fog=lower_plain(Fog, fog) if fog else None,
        viewpoint=viewpoint,
        pictures=PictureRule.FILM,
        geodesy=settings.geodesy,
        **(plain_values(bindings("WorldInfo"), world_info) if world_info else {}),
        diagnostics=tuple(log),
        files=finder.access,
    )
    nodes = tuple(node for part in parts for node in part.nodes)
    return Lowered(scene, nodes, tuple(top), kept.are_apart)


def _check_images(wanted: Iterable[WantedImage], finder: AssetFinder, log: DiagnosticLog) -> None:
    checks = ImageChecks(finder, log)
    for image in wanted:
        checks.check(image)


def _release(tree: FileSyntax, source: str, log: DiagnosticLog) -> Release:
    place = SourceSpan(source, 1, 1, 1, 1)
    release = parse_release(tree.header)
    if release is None:
        log.warning(
            "unknown-release",
            place,
            f'"{tree.header}" is no known release; the file is read as one of {NEWEST}.',
        )
        return NEWEST
    if release > NEWEST:
        log.warning(
            "newer-release",
            place,
            f"the file was written for {release}, which is newer than {NEWEST}; "
            "some of it may not be understood.",
        )
    return release


def _legal_tops(tops: Iterable[Top], log: DiagnosticLog) -> list[Top]:
    legal: list[Top] = []
    for top in tops:
        if top.node is not None and top.node.type in _TOP_NODES:
            legal.append(top)
        elif top.node is not None:
            top.node.fail(
                log,
                "wrong-node",
                f"a {top.node.type} node is not allowed at the top of a world; it is left out.",
            )
    return legal


def _is_lowered(top: Top) -> bool:
    return top.node is not None and top.node.type not in _ONCE


def _single_nodes(nodes: list[TypedNode], source: str, log: DiagnosticLog) -> dict[str, TypedNode]:
    """Return the nodes that a world has once, the first of each type."""
    found: dict[str, TypedNode] = {}
    for node in nodes:
        if node.type not in _ONCE:
            continue
        if node.type in found:
            node.warn(
                log,
                "second-node",
                f"a world has one {node.type} at most; only the first counts.",
            )
        else:
            found[node.type] = node
    for name in ("WorldInfo", "Viewpoint"):
        if name not in found:
            place = SourceSpan(source, 1, 1, 1, 1)
            log.info("missing-node", place, f"the world has no {name}; defaults are used.")
    return found


def _viewpoint(
    node: TypedNode | None, parts: Sequence[TopNodePart], log: DiagnosticLog
) -> Viewpoint:
    if node is None:
        return Viewpoint(DEFAULT_VIEW)
    follow = node.string("follow")
    carriers = carriers_of(parts) if follow else {}
    carrier = carriers.get(follow)
    if follow and carrier is None:
        node.warn(
            log,
            "unknown-solid",
            f'no solid has the name or path "{follow}".{did_you_mean(follow, carriers)}',
            field="follow",
        )
    return lower_plain(Viewpoint, node, follow=carrier)


def _materials(bodies: tuple[Body, ...]) -> set[str]:
    """Return the contact materials of everything that collides."""
    return {shape.contact_material for b in bodies for link in b.links for shape in link.shapes}


def _check_masses(links: Sequence[Link], log: DiagnosticLog) -> None:
    """Warn if masses differ so much that the solver loses the light ones."""
    if not links:
        return
    masses = [link.mass.mass for link in links if link.mass]
    lightest, heaviest = min(masses), max(masses)
    if heaviest > 1e5 * lightest:
        light, heavy = links[masses.index(lightest)], links[masses.index(heaviest)]
        log.warning(
            "mass-ratio",
            light.span,
            f'"{heavy.name}" ({heaviest:g} kg) is more than 100000 times as heavy as '
            f'"{light.name}" ({lightest:g} kg): physics may be unstable.',
        )
