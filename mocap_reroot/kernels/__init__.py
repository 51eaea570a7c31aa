"""Compiled code: arrays in, arrays out. Imports numpy and numba, and nothing else of ours."""
