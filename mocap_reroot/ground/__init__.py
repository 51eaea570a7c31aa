"""Ground: the wrench of the ground on every limb; numbers in ``mocap_reroot.parameters``.

``estimate`` calls the others. Force plates first: ``plates`` (whether they are used), ``weighing``
(body mass), ``known`` (wrenches of limbs on plates), ``trunk_centre``, ``segment_masses``. Then
``consistent``, one optimisation problem for the limbs' wrenches and the root's path: ``interval``
holds the data of a run of frames (``whole`` body, ``knots``, ``limbs``), ``windows`` divide it,
``problem`` assembles and solves one window from ``terms`` (friction, Newton, sole) in sparse
``rows``, with small rotations from ``turning``; ``correction`` moves the root, ``closing`` gives
wrenches at the frame rate, ``elsewhere`` external wrenches, ``loaded_stances`` stances
by the forces.
``filtered`` is the textbook alternative without a problem;
``clip_fit`` fits root and legs of a clip to the estimated momentum.
"""
