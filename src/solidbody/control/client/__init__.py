"""Packages that user controllers import; this folder is put on their path and needs only Python itself."""
