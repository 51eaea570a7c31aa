"""Contacts: ground planes, the stances of every limb on them, and the phases that follow.

``plate_rules`` checks force plates while a file is read. ``detection`` calls the others:
``observation`` gathers what is seen: the feet (``limbs``), the whole body (``survey``), smoothed
trajectories (``paths``, ``signals``), feet before the ground is known (``standing``), the required
ground force (``weight``), ``soles`` and ``ground`` planes; ``pads`` adds hands, forearms, knees,
seat and back. ``balance`` says which foot is loaded, ``stances`` where a stance begins and ends,
``chairs`` where the subject sits, ``carrying`` fills frames without a support; ``given`` (events,
tables) and ``from_plates`` replace what was detected. ``parts`` separates heel and toes, then come
``phases`` and ``gait``. ``pinning`` holds stance feet in place if asked (``footing``).

Later stages call ``placing`` (world poses of the feet), ``support`` (sole outlines, centre of
pressure), ``plate_feet`` (which foot is on which plate), and ``activity`` for the summary.
"""
