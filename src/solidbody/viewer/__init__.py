"""The browser view: a player that paces a simulation, and a loopback server that shows it."""
