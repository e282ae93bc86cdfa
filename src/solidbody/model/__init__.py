"""The common model: what both worlds of robot files mean, in SI units and without their words."""
