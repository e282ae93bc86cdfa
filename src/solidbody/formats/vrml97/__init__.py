"""VRML97 files (`.wrl`): what they draw, as a tree of named nodes."""
