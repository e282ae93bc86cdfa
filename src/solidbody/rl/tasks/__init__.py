"""Tasks that come with solidbody; their worlds are in `rl/worlds`."""
