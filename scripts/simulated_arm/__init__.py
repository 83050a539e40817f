"""A simulated arm with drives for a node, for tests and examples."""
