"""Rays: one engine for everything that looks, on the processor or on a graphics card."""
