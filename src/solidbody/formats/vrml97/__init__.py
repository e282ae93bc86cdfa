"""Reads VRML97 files (`.wrl`) as trees of named nodes."""
