"""What goes between simulated bodies and the copies of them that Choreonoid's controllers see."""
