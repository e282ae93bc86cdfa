"""Reads project files (`.cnoid`) into scenes."""
