"""Looks that devices change: glowing lamps, display screens, paint, belts, muscles."""
