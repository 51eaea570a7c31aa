"""How fast and how accurate, beside the peers; ``python -m benchmarks`` measures speed."""
