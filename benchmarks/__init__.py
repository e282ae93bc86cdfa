"""Speed of one step: ours, plain MuJoCo and ODE on the same scenes, in one run."""
