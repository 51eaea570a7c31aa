"""Importers: each turns one file format into a Recording, in the file's own units; no guessing."""
