"""Search over orderings with families scored on demand: no candidate table."""
