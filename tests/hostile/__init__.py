"""Hostile numbers, sizes, names, disks and signals."""
