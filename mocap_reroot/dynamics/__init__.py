"""Dynamics: torques, ground forces, and the algorithms of rigid-body trees, one a file."""
