"""The decorators that compile kernels, and small functions that kernels of several packages share."""
