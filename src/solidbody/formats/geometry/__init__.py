"""Geometry that several file formats share: polygons, extrusions, grids, shapes under scale."""
