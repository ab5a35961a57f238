"""`tetrad ci`: the command, its options, how two models are paired, the runs, and the result."""
