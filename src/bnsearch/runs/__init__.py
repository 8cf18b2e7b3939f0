"""What a method and its run share: the problem, the run, when to stop, the trace, the result."""
