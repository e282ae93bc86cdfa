"""The common model: frozen dataclasses for what Webots and Choreonoid files mean, in SI units."""
