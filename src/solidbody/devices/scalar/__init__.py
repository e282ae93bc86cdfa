"""Sensors of a few numbers: motion and position, joints, distance and light, force and touch."""
