"""Contacts: the ground, which part of the body stands on it, when, and the phases that follow."""
