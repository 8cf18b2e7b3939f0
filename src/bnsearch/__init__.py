"""bnsearch: the best-scoring Bayesian network you can find in the time you have."""
