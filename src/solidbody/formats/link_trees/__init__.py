"""Bodies as trees of links that are known by name: what the files of Choreonoid, URDF and OpenHRP share."""
