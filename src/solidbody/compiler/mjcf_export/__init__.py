"""What a written MJCF holds beyond bodies, joints and geoms, so that the model moves in plain MuJoCo."""
