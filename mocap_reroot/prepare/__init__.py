"""Preparation: units and axes, names, cleaning, derivatives, and a body with mass."""
