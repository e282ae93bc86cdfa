"""Readers of robot and world files: text to syntax tree to the common model."""
