"""Sensors of a few numbers: motion and place, joints, distance and light, force and touch."""
