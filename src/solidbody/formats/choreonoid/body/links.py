"""Reads Link mappings: frame, joint, mass and elements; unknown keys are kept as information."""

from __future__ import annotations

from solidbody.formats.choreonoid.body.elements import ElementReader, Parts
from solidbody.formats.choreonoid.body.link_joints import read_joint
from solidbody.formats.choreonoid.body.mass import link_mass
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.bodies import FrameKeys, LinkKeys
from solidbody.formats.choreonoid.keys.info_text import flow_text, info_of
from solidbody.formats.choreonoid.keys.table import plain_values
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList, YamlMap
from solidbody.formats.link_trees.drafts import Info, LinkDraft
from solidbody.formats.link_trees.node_transforms import ORIGIN
from solidbody.model.contacts import DEFAULT_MATERIAL
from solidbody.model.shapes import ShapeRole


def read_link(keys: Keys, elements: ElementReader) -> LinkDraft:
    """Return the link of a Link mapping."""
    keys.node(LinkKeys.type)
    values = plain_values(keys, FrameKeys) | plain_values(keys, LinkKeys)
    values["material"] = values["material"] or DEFAULT_MATERIAL
    joint = read_joint(keys)
    parts = Parts()
    elements.read(keys, ORIGIN, ShapeRole.BOTH, parts)
    mass = link_mass(keys, parts.masses)
    imported = _imported(keys)
    _warn_of_no_meaning(keys)
    keys.warn_of_slips(LinkKeys)
    own = info_of(keys)
    present = {key for key, _ in own}
    return LinkDraft(
        **values,
        joint=joint,
        mass=mass,
        shapes=tuple(parts.shapes),
        devices=tuple(parts.devices),
        info=own + tuple(pair for pair in imported if pair[0] not in present),
        node=keys.path,
        span=keys.span,
    )


def _imported(keys: Keys) -> Info:
    """Return what `import` adds to the information; in a list the last mapping wins."""
    node = keys.node(LinkKeys.import_)
    if node is None:
        return ()
    pairs: dict[str, str] = {}
    for source in node.items if isinstance(node, YamlList) else (node,):
        if not isinstance(source, YamlMap):
            keys.wrong(LinkKeys.import_.name, source, "a mapping or a list of mappings")
            continue
        known = [key.text for key, _ in source.pairs if keys.is_known(key.text)]
        if known:
            keys.warning(
                "import-is-info",
                LinkKeys.import_,
                f"what is imported is information only, so {', '.join(known)} has no effect, as in "
                'Choreonoid (its manual says otherwise); write "<<" to merge keys in.',
            )
        pairs.update((key.text, flow_text(value)) for key, value in source.pairs)
    return tuple(pairs.items())


def _warn_of_no_meaning(keys: Keys) -> None:
    no_meaning = {name for row in LinkKeys.ignored_rows() for name in row.names}
    for key, _ in keys.rest():
        if key.text in no_meaning:
            keys.info(
                "no-meaning",
                key.text,
                "neither Choreonoid's loader nor its simulator reads this; kept as information.",
                span=key.span,
            )
