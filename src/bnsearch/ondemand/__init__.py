"""Search over orderings without a candidate table: families are scored on demand."""
