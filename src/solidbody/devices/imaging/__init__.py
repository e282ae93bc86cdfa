"""Sensors that take images: cameras, range finders, lidars. `developing` says when a picture is made."""
