"""URDF, with or without xacro macros, as what a body file holds."""
