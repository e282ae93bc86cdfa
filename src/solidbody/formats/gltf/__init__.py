"""Writes scenes as glTF 2.0, what they look like, with or without their motion."""
