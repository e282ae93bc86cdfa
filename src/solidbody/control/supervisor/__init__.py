"""Supervisor functions: read and change nodes of the world, control the run (docs/behaviour, W10.4)."""
