"""Mutated files: each ends in a motion (or a configuration) or in one sentence."""
