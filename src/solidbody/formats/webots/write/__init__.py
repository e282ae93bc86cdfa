"""Webots files as text: syntax trees, and the state of a running simulation in them."""
