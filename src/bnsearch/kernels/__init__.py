"""How kernels are compiled, and what kernels of several packages share."""
