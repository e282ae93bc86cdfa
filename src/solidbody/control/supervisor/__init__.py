"""What a supervisor may do: look at the nodes of the world, change them, and rule the run."""
