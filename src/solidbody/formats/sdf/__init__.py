"""Reads SDF, the format of Gazebo: worlds and models, versions 1.6 to 1.11."""
