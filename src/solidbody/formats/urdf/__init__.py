"""Reads URDF robots, with or without xacro macros, by rewriting them as body files."""
