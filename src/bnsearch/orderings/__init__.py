"""Search over orderings: an ordering's score is that of the best network consistent with it."""
