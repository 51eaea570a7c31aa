"""Compiled code: arrays in, arrays out. Imports numpy and numba, and nothing else of ours.

A kernel file is the twin of the room, or the module, that calls it. ``compiling`` holds the one
decorator, the cache and its locks, ``ahead`` compiles before a first use. For all: ``rotations``
(the one arithmetic of quaternions, and Euler angles), ``quantiles``. Over blocks of frames, for
``mechanics``: ``forward``, ``whole_body``, ``newton_euler``; for ``rerooting`` and ``dynamics``:
``reroot``, ``rooted``. One state at a time: ``joints`` (where joint types branch) and ``tree``;
what is done with it is NumPy, in ``mechanics``. For ``skeletons``: ``fitting``, ``model_fitting``;
``signals``: ``smoothing``; ``contact``: ``paths``, ``stances``, ``soles``, ``wrenches``;
``ground``: ``ground_qp``; ``export``: ``printing``.
"""
