"""Webots worlds: the node table, and how its nodes become the common model."""
