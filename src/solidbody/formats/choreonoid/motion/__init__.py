"""Motions of bodies: recorded ones, and key poses with what lies between them."""
