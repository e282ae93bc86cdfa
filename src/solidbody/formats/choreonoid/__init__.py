"""Choreonoid files: bodies, projects and materials (YAML) into the common model."""
