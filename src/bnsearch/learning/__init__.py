"""From a problem to a result: `learn`, `search`, methods by name, the method that chooses."""
