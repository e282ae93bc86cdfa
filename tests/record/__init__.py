"""Recordings, read again with the tools that others use."""
