"""Writes a body of the model as a robot in URDF."""
