"""Meshes as Wavefront OBJ, which nearly every program reads."""

from __future__ import annotations

from collections.abc import Iterable

from solidbody.model.geometry import GeometryMesh


def obj_text(mesh: GeometryMesh) -> str:
    """Return a mesh with its normals and texture coordinates, each corner with its own."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh.vertices]
    has_uv, has_normals = bool(mesh.texture_coordinates), bool(mesh.normals)
    lines += [f"vt {u:.7g} {v:.7g}" for u, v in mesh.texture_coordinates]
    lines += [f"vn {x:.7g} {y:.7g} {z:.7g}" for x, y, z in mesh.normals]
    for number, triangle in enumerate(mesh.triangles):
        corners = (
            _corner(vertex + 1, 3 * number + k + 1, has_uv, has_normals)
            for k, vertex in enumerate(triangle)
        )
        lines.append(f"f {_joined(corners)}")
    return "\n".join(lines) + "\n"


def _corner(vertex: int, own: int, has_uv: bool, has_normal: bool) -> str:
    if not (has_uv or has_normal):
        return str(vertex)
    return f"{vertex}/{own if has_uv else ''}" + (f"/{own}" if has_normal else "")


def _joined(words: Iterable[str]) -> str:
    return " ".join(words)
