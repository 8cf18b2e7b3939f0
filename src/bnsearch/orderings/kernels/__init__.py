"""Kernels of the searches over orderings. `arrays.py` describes the arrays that most of them take."""
