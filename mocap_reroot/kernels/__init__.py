"""Compiled code: arrays in, arrays out. Imports numpy and numba, and nothing else of ours.

A kernel bears the name of the friendly module that calls it, where there is one. ``compiling``
holds the one decorator, ``turns`` lets one process compile while others wait, ``ahead`` compiles
before a first use. Over blocks of frames: ``quaternion`` (the arithmetic), ``forward``,
``reroot``, ``newton_euler``, ``support``. One state at a time: ``joints`` (where joint types
branch), ``tree``, ``spatial``, ``crba``, ``aba``, ``closed_chain``. Text: ``printing``.
"""
