"""Devices that act: grippers, connectors, rotors, pens, lamps, displays, speakers, switches."""
