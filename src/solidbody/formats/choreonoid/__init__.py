"""Reads Choreonoid files: bodies, projects and materials (YAML)."""
