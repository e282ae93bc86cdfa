"""Reads bodies in OpenHRP's VRML97 format (`.wrl`), by rewriting them as body files."""
