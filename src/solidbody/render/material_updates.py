"""Updates materials in the ray engine when a program or the user has changed an appearance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from solidbody.model.devices import DeviceLight
from solidbody.model.geometry import GeometryLines, GeometryPoints
from solidbody.model.scene import Scene
from solidbody.render.infrared import infrared_table
from solidbody.render.line_overlay import overlay_lines
from solidbody.render.materials import material_table
from solidbody.render.ray_engine import Key, RayEngine
from solidbody.render.shapes import ShapeRow

Bytes = NDArray[np.uint8]


def update_materials(rays: RayEngine, scene: Scene, own: Mapping[Key, Bytes | None]) -> bool:
    """Take a scene in which nothing but looks of shapes is different; False = it is another one.

    Args:
        rays: The engine.
        scene: The scene.
        own: As for a new engine; shapes with pictures that change need one.
    """
    own_looks = dict(own) | dict.fromkeys(rays.own_looks.keys() - own.keys())
    is_other = (
        [len(body.links) for body in scene.bodies]
        != [len(body.links) for body in rays.scene.bodies]
        or any(
            getattr(scene, name) != getattr(rays.scene, name)
            for name in ("lights", "background", "fog", "pictures", "source")
        )
        or own_looks.keys() != rays.own_looks.keys()
        or any(x is not None for x in (*own_looks.values(), *rays.own_looks.values()))
    )
    rows = None if is_other else _new_rows(rays, scene)
    if rows is None:
        return False
    drawn = any(
        isinstance(shape.geometry, GeometryLines | GeometryPoints)
        for pair in zip(rays.scene.bodies, scene.bodies, strict=True)
        if pair[0] is not pair[1]
        for body in pair
        for link in body.links
        for shape in link.shapes
    )
    rays.scene, rays.shape_list.bodies = scene, scene.bodies
    for k, row in rows.items():
        rays.rows[k] = row
    keys = {(row.link, row.shape) for row in rows.values()}
    if not all(_repaint_row(rays, k) for k in rows):
        rays.painted |= keys
        rays.own_looks |= dict.fromkeys(keys)
        rays.make_materials()
    if drawn:  # rays do not meet lines and points: these have no rows
        rays.overlay = overlay_lines(scene, rays.as_lit)
    return True


def _new_rows(rays: RayEngine, scene: Scene) -> dict[int, ShapeRow] | None:
    """Return the rows that look otherwise in another scene, by number; None if others are different."""
    found: dict[int, ShapeRow] = {}
    link = 0
    for group, (a, b) in enumerate(zip(rays.scene.bodies, scene.bodies, strict=True)):
        if a is not b:
            devices = [device for one in (a, b) for x in one.links for device in x.devices]
            rows = rays.shape_list.rows_of(b, link, group)
            first = rays.shape_list.starts[group]
            old = rays.rows[first : rays.shape_list.starts[group + 1]]
            if len(rows) != len(old) or any(isinstance(d, DeviceLight) for d in devices):
                return None
            for k, (one, two) in enumerate(zip(rows, old, strict=True), first):
                if one == two:
                    continue
                if replace(one, appearance=two.appearance, folder=two.folder) != two:
                    return None
                found[k] = one
        link += len(a.links)
    return found


def _repaint_row(rays: RayEngine, number: int) -> bool:
    """Give a row the look that it has now, if nothing else has it and no picture is in it."""
    row = rays.rows[number]
    if (row.link, row.shape) not in rays.painted:
        return False
    page = rays.parts.atlas.page(rays.load_texture)
    table, _ = material_table(
        [(row.appearance, row.folder, -1)], page, tone_mapping=rays.has_tone_mapping
    )
    at = int(rays.material_index[number])
    if table.has_pictures[0] or rays.material_table.has_pictures[at]:
        return False
    for item in fields(table):
        new = getattr(table, item.name)[:1]
        getattr(rays.material_table, item.name)[at] = new[0]
        getattr(rays.materials, item.name)[at : at + 1].assign(new)
    one = infrared_table([row.appearance], np.zeros(1, dtype=bool))
    rays.infrared.red[number], rays.infrared.roughness[number] = one.red[0], one.roughness[0]
    return True
