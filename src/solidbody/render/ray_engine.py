"""The ray engine: a scene that rays can be sent through, kept up to date as links move."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from enum import IntEnum
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from solidbody.base.pictures import PictureError
from solidbody.base.vectors import matrices
from solidbody.model.appearance import Texture
from solidbody.model.environment import LightDirectional, LightPoint, LightSpot
from solidbody.model.scene import PictureRule, Scene
from solidbody.render.device import NATIVE, Shared, compute_device, download, recorded, upload
from solidbody.render.infrared import infrared_table
from solidbody.render.line_overlay import overlay_lines
from solidbody.render.materials import FOG_KINDS, lamps_of, material_table
from solidbody.render.mesh_pool import MeshPool
from solidbody.render.paint_layers import LayerPlan, PaintLayers, layer_plan
from solidbody.render.panorama import load_sides
from solidbody.render.ray_batches import FAR, AnyRayBatch, NativeRayBatch, RayBatch
from solidbody.render.shapes import ShapeList, ShapeRow
from solidbody.render.sky import sky_table
from solidbody.render.texture_atlas import TextureAtlas
from solidbody.render.texture_images import find_image, load_image
from solidbody.render.tone_mapping import SKY_GAMMA, mirrored, to_light, tone_mapped

if TYPE_CHECKING:
    from solidbody.render.native_rays import NativeRays

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int32]

Key = tuple[int, int]
"""Link and number of a shape in it."""

_T = TypeVar("_T")


class Clipping(IntEnum):
    """What the depths are at which the rays of an eye begin and end."""

    SPHERE = 0
    """Distances."""
    PLANE = 1
    """Lengths along the axis of the eye, as in a planar picture."""
    CUBE = 2
    """Lengths along that of six axes which is nearest to the ray: Webots joins six planar pictures."""


@dataclass(frozen=True, slots=True)
class LitLamp:
    """A lamp and where it is in the world."""

    light: LightDirectional | LightPoint | LightSpot
    position: Floats
    direction: Floats


@dataclass(frozen=True, slots=True)
class EngineParts:
    """What a ray engine is made of, for the one after it: of the next scene most is the same."""

    shapes: ShapeList
    meshes: MeshPool
    atlas: TextureAtlas


class RayEngine:
    """Everything optical goes through here: single rays, depth images, pictures."""

    def __init__(
        self,
        scene: Scene,
        *,
        device: str | None = None,
        own: Mapping[Key, NDArray[np.uint8] | None] | None = None,
        parts: EngineParts | None = None,
    ) -> None:
        """Make an engine.

        Args:
            scene: What is seen.
            device: Warp's name of where rays are followed, or `native`; None = the best there is.
            own: Shapes whose look will change (link, number in it), with the picture on them.
            parts: What an engine was made of: what is the same still is not made again.
        """
        self.scene = scene
        self.has_tone_mapping = scene.pictures is PictureRule.FILM
        self.own_looks = dict(own or {})
        self.painted: set[Key] = set()
        """Shapes that were given another look (`material_updates.py`)."""
        self.unseen: dict[str, str] = {}
        """Pictures that the scene names and that are not drawn, with the reason."""
        self.device = device or compute_device()
        self.native: NativeRays | None = None
        """What follows rays without Warp, once things are placed."""
        before = parts or EngineParts(ShapeList(), MeshPool(self.device), TextureAtlas(self.device))
        self.shape_list = ShapeList.of(scene, before.shapes)
        self.parts = replace(before, shapes=self.shape_list)
        self.rows: list[ShapeRow] = self.shape_list.rows
        for row in self.rows:
            if row.has_own_look:
                self.own_looks.setdefault((row.link, row.shape), None)
        self.overlay = overlay_lines(scene, self.as_lit)
        """Lines and points, which rays do not meet; without those that are hidden now."""
        self.paint_layers = PaintLayers(self.rows, self.device)
        self.lamps = lamps_of(scene)
        self._folders = (os.path.dirname(scene.source),)
        self._arrange()
        self._make_shapes()
        self.make_materials()
        self._make_lights()
        self._tree: Any = None

    @property
    def is_plain(self) -> bool:
        """Whether pictures lack textures, lamps and shadows."""
        return self.device == NATIVE

    # ------------------------------------------------------------------ set-up

    def _arrange(self) -> None:
        rows = self.rows
        link = np.array([row.link for row in rows] or [0], dtype=np.int32)
        scale = np.array([row.scale for row in rows] or [(1, 1, 1)], dtype=np.float64)
        low = np.array([row.form.low for row in rows] or [(-1, -1, -1)], dtype=np.float64) * scale
        high = np.array([row.form.high for row in rows] or [(1, 1, 1)], dtype=np.float64) * scale
        rotation = np.array([row.pose.rotation for row in rows] or [(1, 0, 0, 0)], dtype=np.float64)
        position = np.array([row.pose.position for row in rows] or [(0, 0, 0)], dtype=np.float64)
        arrays = {
            "position": position,
            "rotation": matrices(rotation),
            "scale": scale,
            "middle": 0.5 * (low + high),
            "half": 0.5 * np.abs(high - low),
            "low": low,
            "high": high,
        }
        self.placed = {
            name: upload(a.astype(np.float32), self.device) for name, a in arrays.items()
        }
        """Where shapes are on their links, for kernels; `moving_shapes.py` changes it."""
        self.placed["link"] = upload(link, self.device)
        links = max(sum(1 for _ in self.scene.links()), 1)
        self._link_position = Shared((links, 3), self.device)
        self._link_rotation = Shared((links, 4), self.device)

    def _struct(self, name: str) -> Any:
        """Return one of the structs that kernels read; without Warp they are plain."""
        if self.device == NATIVE:
            return SimpleNamespace()
        from solidbody.render import kernels
        from solidbody.render.sky_rays import Sky

        return Sky() if name == "Sky" else getattr(kernels, name)()

    def _make_shapes(self) -> None:
        rows, n = self.rows, max(len(self.rows), 1)
        data = [row.form.mesh for row in rows]
        pool = self.parts.meshes
        self._meshes = pool.hold(mesh for mesh in data if mesh is not None)
        mesh_ids = np.zeros(n, dtype=np.uint64)
        corner = np.zeros(n, dtype=np.int32)
        has = {name: np.zeros(n, dtype=np.int32) for name in ("normals", "uv", "colors")}
        for k, own in enumerate(data):
            if own is not None:
                held = self._meshes[id(own)]
                mesh_ids[k], corner[k] = held.mesh.id, held.corner
                for name in has:
                    has[name][k] = getattr(own, name) is not None
        # flags of the row that stands in for an empty scene match no mask
        flags = np.array([row.flags for row in rows] or [0], dtype=np.int32)
        arrays = {
            "kind": np.array([row.form.kind for row in rows] or [0], dtype=np.int32),
            "inverse": np.tile(np.eye(3, dtype=np.float32), (n, 1, 1)),
            "origin": np.zeros((n, 3), dtype=np.float32),
            "size": np.array([row.form.size for row in rows] or [(1, 1, 1)], dtype=np.float32),
            "flags": flags,
            "mesh": mesh_ids,
            "group": np.array([row.group for row in rows] or [0], dtype=np.int32),
            "material": np.zeros(n, dtype=np.int32),
            "corner": corner,
            "has_normals": has["normals"],
            "has_uv": has["uv"],
            "has_colors": has["colors"],
        }
        self._shape_arrays = arrays
        self.shapes = self._struct("Shapes")
        self.shapes.corner_normal = pool.corners("normals")
        self.shapes.corner_uv = pool.corners("uv")
        self.shapes.corner_color = pool.corners("colors")
        self._uploaded: dict[str, Any] = {}

    def make_materials(self) -> None:
        """Lay out the looks of all shapes."""
        numbers = {key: number for number, key in enumerate(self.own_looks)}
        looks = [
            (row.appearance, row.folder, numbers.get((row.link, row.shape), -1))
            for row in self.rows
        ]
        own = tuple(self.own_looks.values())
        page = self.parts.atlas.page(self.load_texture)
        table, index = material_table(looks, page, own, tone_mapping=self.has_tone_mapping)
        self.picture_table = self.parts.atlas.hold(page)
        self.materials_of: dict[Key, set[int]] = {}
        self.first_rows: dict[Key, int] = {}
        for k, (row, number) in enumerate(zip(self.rows, index, strict=True)):
            self.first_rows.setdefault((row.link, row.shape), k)
            self.materials_of.setdefault((row.link, row.shape), set()).add(number)
        self._shape_arrays["material"] = np.array(index or [0], dtype=np.int32)
        self.material_index = self._shape_arrays["material"]
        """Row of each shape in `material_table`."""
        self._emissive = table.emissive
        self.materials = self._struct("Materials")
        columns = {
            item.name: getattr(of, item.name)
            for of in (table, self.picture_table)
            for item in fields(of)
        }
        self.materials.texels = self.parts.atlas.texels
        for name in columns.keys() - {"texels"}:
            setattr(self.materials, name, upload(columns[name], self.device))
        for name, array in self._shape_arrays.items():
            if (
                name == "material" or name not in self._uploaded
            ):  # a launch is recorded with the others
                self._uploaded[name] = upload(array, self.device)
                setattr(self.shapes, name, self._uploaded[name])
        self.material_table = table
        looks_only = [row.appearance for row in self.rows]
        self.infrared = infrared_table(looks_only, table.texture[self.material_index] >= 0)

    def load_texture(self, texture: Texture, folder: str) -> tuple[Path, NDArray[np.uint8]] | None:
        """Return file and picture of a texture that a file in `folder` names; None = there is none."""
        if not texture.uri:
            return None
        return self._found(texture.uri, folder, lambda path: (path, load_image(path)))

    def _picture(self, uri: str, folder: str) -> NDArray[np.uint8] | None:
        """Return a picture that the scene names; one that cannot be had is remembered in `unseen`."""
        return self._found(uri, folder, load_image) if uri else None

    def _found(self, uri: str, folder: str, load: Callable[[Path], _T]) -> _T | None:
        try:
            return load(find_image(uri, self.scene.files, folder, *self._folders))
        except PictureError as error:
            self.unseen[uri] = str(error)
            return None

    def _make_lights(self) -> None:
        n = max(len(self.lamps), 1)
        self._lit: tuple[list[tuple[bool, Any]], bytes] | None = None
        """Lamps and the poses of what carries them, as they shine now."""
        self._light_arrays: dict[str, NDArray[Any]] = {
            "kind": np.zeros(n, dtype=np.int32),
            "position": np.zeros((n, 3), dtype=np.float32),
            "direction": np.tile(np.array([0, 0, -1], dtype=np.float32), (n, 1)),
            "color": np.zeros((n, 3), dtype=np.float32),
            "attenuation": np.tile(np.array([1, 0, 0], dtype=np.float32), (n, 1)),
            "radius": np.full(n, np.float32(FAR)),
            "cone": np.tile(np.array([0.0, math.pi, 1.0], dtype=np.float32), (n, 1)),
            "strength": np.zeros(n, dtype=np.float32),
            "casts_shadows": np.zeros(n, dtype=np.int32),
        }
        arrays = self._light_arrays
        for k, lamp in enumerate(self.lamps):
            light = lamp.light
            arrays["casts_shadows"][k] = light.casts_shadows
            if isinstance(light, LightDirectional):
                continue
            arrays["kind"][k] = 1
            arrays["attenuation"][k] = light.attenuation
            arrays["radius"][k] = min(light.radius, FAR)
            if isinstance(light, LightSpot):
                arrays["kind"][k] = 2
                beam = min(light.beam_width, light.cut_off_angle)
                arrays["cone"][k] = (beam, light.cut_off_angle, light.cut_off_exponent)
        self.lights = self._struct("Lights")
        self._light_uploads = {name: upload(a, self.device) for name, a in arrays.items()}
        for name, array in self._light_uploads.items():
            setattr(self.lights, name, array)
        self.lights.has_tone_mapping = self.has_tone_mapping
        # a table of one row that nothing reads, where there is no tone mapping
        table = mirrored() if self.has_tone_mapping else np.zeros((1, 2), dtype=np.float32)
        self.lights.mirrored = upload(table, self.device)
        self._set_sky()

    def _set_sky(self) -> None:
        fog = self.scene.fog
        background = self.scene.background
        folder = os.path.dirname(background.span.file) if background else ""
        found = sky_table(
            self.scene,
            lambda uri: self._picture(uri, folder),
            lambda uri: self._found(uri, folder, load_sides),
        )
        sky = self._struct("Sky")
        sky.color = tuple(found.color.tolist())
        sky.has_pictures = len(found.pictures)
        sky.gamma = SKY_GAMMA if self.has_tone_mapping else 1.0
        sky.axes = tuple(found.axes.ravel().tolist())
        sky.texels = upload(found.texels, self.device)
        sky.start = upload(found.start, self.device)
        sky.size = upload(found.size, self.device)
        self.lights.sky = sky
        self.lights.sky_light = tuple(found.light.tolist())
        self.lights.count = len(self.lamps)
        self.lights.fog_kind = 0
        self.lights.fog_range = 1.0
        if fog is not None and fog.visibility_range > 0.0:
            self.lights.fog_kind = FOG_KINDS.get(fog.kind, 1)
            self.lights.fog_range = fog.visibility_range
            self.lights.fog_color = tuple(self.as_lit(fog.color).tolist())

    # ------------------------------------------------------------------ looks

    def as_lit(self, color: tuple[float, float, float]) -> Singles:
        """Return a colour as kernels multiply it with light (see `PictureRule`)."""
        return (to_light(color) if self.has_tone_mapping else np.array(color)).astype(np.float32)

    def tone_mapped(self, light: Singles, exposure: float) -> Singles:
        """Return the colours, mostly 0..1, that a picture shows of light."""
        return (
            tone_mapped(light, exposure) if self.has_tone_mapping else light * np.float32(exposure)
        )

    def set_glow(self, key: Key, color: tuple[float, float, float]) -> None:
        """Let a shape with a look of its own give off light."""
        for m in self.materials_of.get(key, ()):
            # with tone mapping, colours of classic materials stand for light, the glow of the others is light
            is_classic = bool(self.material_table.is_classic[m])
            self._emissive[m] = self.as_lit(color) if is_classic else color
            self.materials.emissive[m : m + 1].assign(self._emissive[m : m + 1])

    def set_picture(self, key: Key, picture: NDArray[np.uint8]) -> None:
        """Change the picture on a shape that was made with one of the same size."""
        for m in self.materials_of.get(key, ()):
            number = int(self.material_table.texture[m])
            start = int(self.picture_table.texture_start[number])
            flat = np.ascontiguousarray(picture.reshape(-1, 4))
            self.picture_table.texels[start : start + len(flat)] = flat
            self.materials.texels[start : start + len(flat)].assign(flat)

    def layer_plan(self, row: int) -> LayerPlan:
        """Return what a layer of paint on a shape is like, by its row."""
        number = int(self.material_table.texture[self.material_index[row]])
        size = None if number < 0 else self.picture_table.texture_size[number].tolist()
        return layer_plan(self.rows[row], size)

    def set_lamp(
        self, number: int, *, is_on: bool, color: tuple[float, float, float], strength: float
    ) -> None:
        """Switch a lamp; seen at the next `update`."""
        lamp = self.lamps[number]
        lamp.is_on = is_on
        lamp.light = replace(lamp.light, color=color, intensity=strength)

    # ------------------------------------------------------------------ motion

    def update(self, poses: Floats) -> None:
        """Move everything to the poses of the links (rows of `Sim.poses()`)."""
        self._poses = poses
        self._link_position.set(poses[:, :3])
        self._link_rotation.set(poses[:, 3:])
        if self._tree is None:
            self._plant()
        else:
            self._place()
            if self.native is None:
                self._tree.refit()
        if self.lamps:
            self._move_lights(poses)

    def _plant(self) -> None:
        """Place the shapes for the first time and build the tree around them."""
        if self.device == NATIVE:
            from solidbody.render.native_rays import NativeRays

            self.native = self._tree = NativeRays(self)
            self._place = self.native.place
            self._place()
            return
        import warp as wp

        from solidbody.render import kernels

        own = self.placed
        self._placing: Any = wp.launch(
            kernels.place,
            dim=max(len(self.rows), 1),
            inputs=[
                self._link_position.array,
                self._link_rotation.array,
                own["link"],
                own["position"],
                own["rotation"],
                own["scale"],
                own["middle"],
                own["half"],
                self._uploaded["inverse"],
                self._uploaded["origin"],
                own["low"],
                own["high"],
            ],
            device=self.device,
            record_cmd=True,
        )
        self._place = recorded(self._placing, self.device)
        self._place()
        self._tree = wp.Bvh(own["low"], own["high"])

    def _move_lights(self, poses: Floats) -> None:
        carried = [lamp.link for lamp in self.lamps if lamp.link is not None]
        now = ([(lamp.is_on, lamp.light) for lamp in self.lamps], poses[carried].tobytes())
        if now == self._lit:
            return
        self._lit = now
        arrays = self._light_arrays
        ambient = np.zeros(3)
        for k, lamp in enumerate(self.lamps):
            light = lamp.light
            strength = light.intensity if lamp.is_on else 0.0
            arrays["color"][k] = self.as_lit(light.color) * strength
            arrays["strength"][k] = strength
            if lamp.is_on:
                ambient += np.array(light.color) * light.ambient
            turn, origin = np.eye(3), np.zeros(3)
            if lamp.link is not None:
                own = matrices(np.array([lamp.pose.rotation]))[0]
                turn = matrices(poses[lamp.link : lamp.link + 1, 3:])[0]
                origin = poses[lamp.link, :3] + turn @ np.array(lamp.pose.position)
                turn = turn @ own
            if not isinstance(light, LightDirectional):
                arrays["position"][k] = origin + turn @ np.array(light.position)
            if not hasattr(light, "direction"):
                continue
            direction = turn @ np.array(light.direction)  # type: ignore[union-attr]
            arrays["direction"][k] = direction / max(float(np.linalg.norm(direction)), 1e-9)
        for name in ("color", "strength", "position", "direction"):
            self._light_uploads[name].assign(arrays[name])
        self.lights.ambient = tuple(ambient.tolist())

    # ------------------------------------------------------------------ rays

    def ray_batch(
        self,
        link: NDArray[np.intp],
        origins: Floats,
        directions: Floats,
        reach: Floats,
        *,
        skip: Ints,
        drawn: bool,
        opaque_only: bool = False,
    ) -> AnyRayBatch:
        """Return single rays that can be followed again and again.

        Args:
            link: (n,) link that each ray starts on; -1 = it starts in the world.
            origins: (n, 3), in the frame of the link.
            directions: (n, 3) unit vectors, in the frame of the link.
            reach: (n,) [m].
            skip: (n,) group (body of the scene) that each ray does not see; -1 = it sees all.
            drawn: Whether it sees what is drawn, or what collides.
            opaque_only: Whether it goes through transparent things.
        """
        kind = NativeRayBatch if self.device == NATIVE else RayBatch
        return kind(
            self, link, origins, directions, reach, skip, drawn=drawn, opaque_only=opaque_only
        )

    def bundle(self, directions: Floats) -> Any:
        """Return directions (n, 3) as a bundle for `scan` and `picture`, to be kept by the sensor."""
        return upload(directions.reshape(-1, 3).astype(np.float32), self.device)

    def scan(
        self,
        bundle: Any,
        position: Floats,
        rotation: Floats,
        *,
        near: float,
        far: float,
        clipping: Clipping = Clipping.SPHERE,
    ) -> tuple[Singles, Ints]:
        """Follow a bundle from one place: distances (inf = nothing) and shapes."""
        if self.native is not None:
            hits, _ = self.native.bundle(
                bundle, position, rotation, near=near, far=min(far, FAR), clipping=clipping
            )
            return hits.distance, hits.shape
        import warp as wp

        from solidbody.render import kernels

        n = bundle.shape[0]
        distance = wp.zeros(n, dtype=wp.float32, device=self.device)
        shape = wp.zeros(n, dtype=wp.int32, device=self.device)
        wp.launch(
            kernels.scan,
            dim=n,
            inputs=[
                self.shapes,
                self.materials,
                self._tree.id,
                wp.vec3(*position.tolist()),
                wp.mat33(*rotation.ravel().tolist()),
                bundle,
                int(clipping),
                near,
                min(far, FAR),
                distance,
                shape,
            ],
            device=self.device,
        )
        return download(distance), download(shape)

    def picture(
        self,
        bundle: Any,
        position: Floats,
        rotation: Floats,
        *,
        near: float,
        far: float,
        clipping: Clipping,
        corner_radius: float = 0.0,
        shadows: bool = True,
    ) -> tuple[Singles, Singles, Ints]:
        """Follow a bundle from one place: colours (n, 3), distances and shapes.

        Args:
            bundle: The rays.
            position: Where they start.
            rotation: Axes (columns) of the eye.
            near: Depth at which they begin [m].
            far: Depth at which they end [m].
            clipping: What that depth is.
            corner_radius: How far things are looked for that make corners dark [m]; 0 = not at all. As in
                Webots all light is less there, not the ambient light alone.
            shadows: Whether lamps that cast shadows do.
        """
        if self.native is not None:
            hits, rays = self.native.bundle(
                bundle, position, rotation, near=near, far=min(far, FAR), clipping=clipping
            )
            return self.native.picture(hits, rays), hits.distance, hits.shape
        import warp as wp

        from solidbody.render import kernels

        n = bundle.shape[0]
        seen = self._struct("PictureRays")
        empty = cast("Any", wp.empty)  # declared for floats alone
        seen.directions = bundle
        seen.color = empty(n, dtype=wp.vec3, device=self.device)
        seen.distance = empty(n, dtype=wp.float32, device=self.device)
        seen.shape = empty(n, dtype=wp.int32, device=self.device)
        wp.launch(
            kernels.picture,
            dim=n,
            inputs=[
                self.shapes,
                self.materials,
                self.paint_layers.struct,
                self.lights,
                self._tree.id,
                wp.vec3(*position.tolist()),
                wp.mat33(*rotation.ravel().tolist()),
                int(clipping),
                near,
                min(far, FAR),
                shadows,
                seen,
            ],
            device=self.device,
        )
        colors = download(seen.color)
        if corner_radius > 0.0:
            from solidbody.render.ambient_occlusion import openness

            share = openness(
                self,
                bundle,
                position,
                rotation,
                clipping=int(clipping),
                near=near,
                far=min(far, FAR),
                radius=corner_radius,
            )
            colors = colors * share[:, None]
        return colors, download(seen.distance), download(seen.shape)

    def texels_under(
        self, origins: Floats, directions: Floats, *, reach: float, skip: int
    ) -> tuple[Ints, Singles, Singles]:
        """Return the rows of the shapes that rays hit (-1 = none), places (n, 2) on texture and paint."""
        if self.native is not None:
            return self.native.texels_under(origins, directions, reach=reach, skip=skip)
        from solidbody.render.texture_rays import texels_under

        return texels_under(self, origins, directions, reach=reach, skip=skip)

    @property
    def tree_id(self) -> Any:
        """The tree of shapes, for kernels."""
        return self._tree.id

    @property
    def link_position(self) -> Any:
        """Positions of the links, for kernels."""
        return self._link_position.array

    @property
    def link_rotation(self) -> Any:
        """Orientations of the links, for kernels."""
        return self._link_rotation.array

    def lit_lamps(self) -> list[LitLamp]:
        """Return the lamps that are on, where they are now."""
        arrays = self._light_arrays
        return [
            LitLamp(
                lamp.light,
                arrays["position"][k].astype(np.float64),
                arrays["direction"][k].astype(np.float64),
            )
            for k, lamp in enumerate(self.lamps)
            if lamp.is_on
        ]
