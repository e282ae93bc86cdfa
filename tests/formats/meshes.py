"""Small mesh files as text or bytes: a right-angled triangle, a square, a block."""

from __future__ import annotations

import struct

STL_TEXT = """solid part
facet normal 0 0 1
 outer loop
  vertex 0 0 0
  vertex 1 0 0
  vertex 0 1 0
 endloop
endfacet
facet normal 0 0 1
 outer loop
  vertex 1 0 0
  vertex 1 1 0
  vertex 0 1 0
 endloop
endfacet
endsolid part
"""

STL_BYTES = (
    b"binary".ljust(80, b" ")
    + struct.pack("<I", 2)
    + struct.pack("<12fH", 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0)
    + struct.pack("<12fH", 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0)
)

OBJ = """mtllib colors.mtl
o red_part
v 0 0 0
v 1 0 0
v 0 1 0
usemtl red
f 1 2 3
o plain_part
v 0 0 1
v 1 0 1
v 0 1 1
usemtl glass
f 4 5 6
"""

MTL = "newmtl red\nKd 1 0 0\nnewmtl glass\nKd 0 0 1\nd 0.25\n"

PLY = """ply
format ascii 1.0
element vertex 3
property float x
property float y
property float z
element face 1
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
0 1 0
3 0 1 2
"""

_DAE_GEOMETRY = """
<geometry id="{id}"><mesh>
 <source id="{id}-p"><float_array id="{id}-a" count="12">0 0 0 1 0 0 1 1 0 0 1 0</float_array>
  <technique_common><accessor source="#{id}-a" count="4" stride="3"><param name="X" type="float"/>
   <param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
 <vertices id="{id}-v"><input semantic="POSITION" source="#{id}-p"/></vertices>
 <polylist material="M" count="1"><input semantic="VERTEX" source="#{id}-v" offset="0"/>
  <vcount>4</vcount><p>0 1 2 3</p></polylist>
</mesh></geometry>
"""

_DAE_USE = (
    '<instance_geometry url="#G"><bind_material><technique_common><instance_material symbol="M" '
    'target="#MAT"/></technique_common></bind_material></instance_geometry>'
)


def dae(nodes: str, *, unit: float = 1.0, up: str = "Z_UP") -> str:
    """Return a COLLADA file whose scene holds `nodes`; `USE` in them puts a unit square there."""
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="{unit}" name="x"/><up_axis>{up}</up_axis></asset>
<library_effects><effect id="E"><profile_COMMON><technique sid="t"><lambert>
 <diffuse><color>1 0 0 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="MAT"><instance_effect url="#E"/></material></library_materials>
<library_geometries>{_DAE_GEOMETRY.format(id="G")}</library_geometries>
<library_visual_scenes><visual_scene id="S">{nodes.replace("USE", _DAE_USE)}</visual_scene>
</library_visual_scenes>
<scene><instance_visual_scene url="#S"/></scene></COLLADA>
"""
