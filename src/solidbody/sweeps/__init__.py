"""Sweeps: many runs of one scene with other parameters, on one machine or on a cluster of Ray."""
