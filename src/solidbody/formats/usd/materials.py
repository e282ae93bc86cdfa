"""Looks as UsdPreviewSurface, with their pictures beside the file, and contact materials."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.file_access import FileAccess, FileError
from solidbody.base.pictures import PictureError
from solidbody.base.span import SourceSpan
from solidbody.formats.picture_files import NEUTRAL, picture_data, picture_path, roughness_of
from solidbody.formats.usd.text import Prim
from solidbody.model.appearance import Appearance, Texture
from solidbody.model.contacts import DEFAULT_MATERIAL, ContactTable

LOST: Final = "lost-in-usd"

MOST_FRICTION: Final = 1e6
"""What stands for infinite friction."""

_PLAIN_NORMAL: Final = ((2.0, 2.0, 2.0, 1.0), (-1.0, -1.0, -1.0, 0.0))
"""Scale and bias that turn the colours of a normal map into directions."""


@dataclass(slots=True)
class UsdMaterials:
    """Adds materials to a layer, each once.

    Attributes:
        scope: Where they go.
        path: Of that prim.
        source: The scene's file.
        access: Which files may be read.
        folder: Of pictures, relative to the layer.
        replaces: Whether pictures of classic materials take the place of their colours.
        contacts: What contact materials are.
        log: Told of pictures that cannot be had.
        beside: Contents of picture files, by their paths relative to the layer.
    """

    scope: Prim
    path: str
    source: str
    access: FileAccess
    folder: str
    replaces: bool
    contacts: ContactTable
    log: DiagnosticLog
    beside: dict[str, bytes] = field(default_factory=dict[str, bytes])
    _looks: dict[tuple[Appearance, str], str] = field(
        default_factory=dict[tuple[Appearance, str], str]
    )
    _surfaces: dict[str, str] = field(default_factory=dict[str, str])
    _files: dict[Path, tuple[str, bool] | None] = field(
        default_factory=dict[Path, "tuple[str, bool] | None"]
    )
    _said: set[str] = field(default_factory=set[str])

    def of_look(self, look: Appearance | None, span: SourceSpan) -> str:
        """Return the path of the material of a look; None = the neutral one."""
        look = look or NEUTRAL
        key = (look, span.file.rpartition("/")[0])
        if key not in self._looks:
            self._looks[key] = self._add_look(look, span)
        return self._looks[key]

    def of_contact(self, name: str) -> str:
        """Return the path of the physics material of a contact material, as it is against the default one."""
        if name not in self._surfaces:
            row = self.contacts.find(name, DEFAULT_MATERIAL)
            prim = self.scope.child("Material", f"contact {name}", "PhysicsMaterialAPI", title=name)
            slide = min(row.friction[0], MOST_FRICTION)
            prim.set("float", "physics:staticFriction", slide)
            prim.set("float", "physics:dynamicFriction", slide)
            prim.set("float", "physics:restitution", row.bounce)
            self._surfaces[name] = f"{self.path}/{prim.name}"
        return self._surfaces[name]

    def _add_look(self, look: Appearance, span: SourceSpan) -> str:
        prim = self.scope.child("Material", f"look {len(self._looks)}")
        path = f"{self.path}/{prim.name}"
        surface = Prim("Shader", prim.take("surface"))
        surface.set("uniform token", "info:id", "UsdPreviewSurface")
        pictures = _Pictures(self, prim, path, span)
        color = pictures.add("diffuse", look.texture, "sRGB", scale=self._tint(look))
        if color is None:
            surface.set("color3f", "inputs:diffuseColor", look.base_color)
        else:
            surface.connect("color3f", "inputs:diffuseColor", f"{color[0]}.outputs:rgb")
        glow = pictures.add("emissive", look.emissive_map, "sRGB", scale=look.emissive)
        if glow is not None:
            surface.connect("color3f", "inputs:emissiveColor", f"{glow[0]}.outputs:rgb")
        elif look.emissive_map is None and any(look.emissive):
            surface.set("color3f", "inputs:emissiveColor", look.emissive)
        numbers = (
            ("roughness", look.roughness_map, roughness_of(look)),
            ("metallic", look.metalness_map, look.metalness),
            ("occlusion", look.occlusion_map, 1.0),
        )
        for name, texture, value in numbers:
            found = pictures.add(name, texture, "raw")
            if found is None:
                surface.set("float", f"inputs:{name}", value)
            else:
                surface.connect("float", f"inputs:{name}", f"{found[0]}.outputs:r")
        relief = pictures.add("normal", look.normal_map, "raw", is_normal=True)
        if relief is not None:
            surface.connect("normal3f", "inputs:normal", f"{relief[0]}.outputs:rgb")
        if color is not None and color[1] and look.transparency == 0.0:
            surface.connect("float", "inputs:opacity", f"{color[0]}.outputs:a")
            surface.set("float", "inputs:opacityThreshold", 0.5)
        else:
            surface.set("float", "inputs:opacity", 1.0 - look.transparency)
        surface.output("token", "outputs:surface")
        prim.connect("token", "outputs:surface", f"{path}/{surface.name}.outputs:surface")
        prim.children.insert(0, surface)
        return path

    def _tint(self, look: Appearance) -> tuple[float, float, float]:
        is_replaced = look.specular is not None and self.replaces
        return (1.0, 1.0, 1.0) if is_replaced else look.base_color

    def file(self, texture: Texture, span: SourceSpan) -> tuple[str, bool] | None:
        """Return the address of a picture in the layer, and whether it has holes; None after a message."""
        try:
            path = picture_path(texture, span, self.source, self.access)
            if path not in self._files:
                self._files[path] = None
                found = picture_data(path)
                name = self._free(path.stem, found.extension)
                self.beside[name] = found.data
                self._files[path] = f"./{name}", found.has_holes
        except (OSError, FileError, PictureError) as error:
            if texture.uri not in self._said:
                self._said.add(texture.uri)
                said = f'the picture "{texture.uri}" is left out: {error}'
                self.log.warning(LOST, span, said)
            return None
        return self._files[path]

    def _free(self, stem: str, extension: str) -> str:
        stem = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in stem)
        name, number = f"{self.folder}/{stem}{extension}", 1
        while name in self.beside:
            number += 1
            name = f"{self.folder}/{stem}_{number}{extension}"
        return name


@dataclass(slots=True)
class _Pictures:
    """Adds the shaders of pictures to one material."""

    materials: UsdMaterials
    prim: Prim
    path: str
    span: SourceSpan
    _reader: str = ""

    def add(
        self,
        name: str,
        texture: Texture | None,
        space: str,
        *,
        scale: tuple[float, float, float] = (1.0, 1.0, 1.0),
        is_normal: bool = False,
    ) -> tuple[str, bool] | None:
        """Return the path of the shader of a picture, and whether that has holes; None = it has none."""
        found = None if texture is None else self.materials.file(texture, self.span)
        if found is None or texture is None:
            return None
        if not self._reader:
            reader = self.prim.child("Shader", "coordinates")
            reader.set("uniform token", "info:id", "UsdPrimvarReader_float2")
            reader.set("string", "inputs:varname", "st")
            reader.output("float2", "outputs:result")
            self._reader = f"{self.path}/{reader.name}"
        shader = self.prim.child("Shader", name)
        shader.set("uniform token", "info:id", "UsdUVTexture")
        shader.set("asset", "inputs:file", found[0])
        shader.set("token", "inputs:sourceColorSpace", space)
        for axis, repeats in zip("ST", texture.repeat, strict=True):
            shader.set("token", f"inputs:wrap{axis}", "repeat" if repeats else "clamp")
        if is_normal:
            shader.set("float4", "inputs:scale", _PLAIN_NORMAL[0])
            shader.set("float4", "inputs:bias", _PLAIN_NORMAL[1])
        elif not all(math.isclose(part, 1.0) for part in scale):
            shader.set("float4", "inputs:scale", (*scale, 1.0))
        shader.connect("float2", "inputs:st", f"{self._reader}.outputs:result")
        for kind, output in (("float3", "rgb"), ("float", "r"), ("float", "a")):
            shader.output(kind, f"outputs:{output}")
        return f"{self.path}/{shader.name}", found[1]
