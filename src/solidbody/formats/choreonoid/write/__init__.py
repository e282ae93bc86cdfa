"""Writes bodies of the model as Choreonoid body files."""
