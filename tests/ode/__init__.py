"""ODE, the referee: Debian's libode driven through ctypes, under Webots' rules."""
