"""Thousands of worlds on one graphics card, under the same law."""
