"""Makes a scene of a single robot: it stands in an empty world, under the AIST simulator."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations_with_replacement
from pathlib import PurePath

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.choreonoid.body.lower import read_body
from solidbody.formats.choreonoid.body.resources import Resources
from solidbody.formats.choreonoid.keys.settings import ContactMaterial
from solidbody.formats.choreonoid.project.materials import (
    NO_TABLE,
    SHIPPED,
    ContactMaterials,
    contact_table,
)
from solidbody.formats.choreonoid.project.simulator import AIST_DEFAULTS, physics_of, typical_mass
from solidbody.formats.choreonoid.project.surroundings import LIGHTS, SKY, framed
from solidbody.formats.file_kinds import OWN_KINDS
from solidbody.formats.gc_pause import collector_paused
from solidbody.formats.link_trees.uris import BodyFiles
from solidbody.formats.options import LoadOptions
from solidbody.formats.urdf.gazebo import coefficient_of
from solidbody.model.contacts import DEFAULT_MATERIAL
from solidbody.model.scene import Scene


def with_friction(used: Iterable[str]) -> ContactMaterials:
    """Return a table with the materials of robots in URDF; of two the smaller coefficient counts."""
    found = {name: number for name in used if (number := coefficient_of(name)) is not None}
    pairs = {frozenset((name, DEFAULT_MATERIAL)): number for name, number in found.items()}
    pairs |= {
        frozenset((one, two)): min(found[one], found[two])
        for one, two in combinations_with_replacement(found, 2)
    }
    rows = {pair: ContactMaterial(friction=number) for pair, number in pairs.items()}
    return replace(NO_TABLE, contacts={**NO_TABLE.contacts, **rows})


@collector_paused()
def read_body_scene(text: str, name: str, options: LoadOptions, log: DiagnosticLog) -> Scene | None:
    """Return the scene of a body file's text, or None after a message.

    Args:
        text: What the file holds.
        name: Its name; uris are relative to it.
        options: Where other files come from.
        log: Takes all messages.
    """
    files = BodyFiles(name, options)
    resources = Resources(files, log, check_images=options.check_images)
    body = read_body(text, name, resources, log)
    if body is None:
        return None
    settings = replace(AIST_DEFAULTS, typical_mass=typical_mass((body,)))
    used = {shape.contact_material for link in body.links for shape in link.shapes}
    # robots in other languages name no materials but those of their coefficients of friction
    table = SHIPPED if PurePath(name).suffix.lower() in OWN_KINDS else with_friction(used)
    return Scene(
        name=body.name,
        source=name,
        physics=physics_of(settings),
        bodies=(body,),
        contacts=contact_table(table, settings, used),
        lights=LIGHTS,
        background=SKY,
        viewpoint=framed((body,)),
        diagnostics=tuple(log),
        files=files.access,
    )
