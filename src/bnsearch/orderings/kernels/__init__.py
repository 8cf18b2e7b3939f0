"""The kernels of search over orderings; see state.py for what they take."""
