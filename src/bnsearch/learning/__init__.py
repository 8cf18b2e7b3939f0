"""`learn` and `search`, methods by name, and the default method."""
