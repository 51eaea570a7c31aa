"""Compiled code: arrays in, arrays out. Imports numpy and numba, and nothing else of ours.

A kernel has the name of the module that calls it, where there is one. ``compiling`` holds the one
decorator, ``turns`` lets one process compile while others wait, ``ahead`` compiles before a first
use. Reading: ``euler`` angles, ``quaternion`` arithmetic, ``fitting`` and ``model_fitting`` to
markers, ``smoothing``. Contacts: ``forward`` kinematics, ``survey``, ``tracks``, ``push``,
``footprints`` (with ``ranks``), ``balance``, ``stances``, ``parts``, ``placing``, ``soles``,
``pressure``. Ground: ``whole_body``, ``ground_body``, ``ground_qp`` (the solver). Torques:
``support``, which calls ``reroot``, ``newton_euler`` and ``convention`` (signs), and ``loads``. One
state at a time: ``joints`` (where joint types branch), ``tree``, ``spatial``, ``crba``, ``aba``,
``closed_chain``, ``displacement``. Text: ``printing``.
"""
