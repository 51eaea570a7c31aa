"""Contacts: ground planes, the stances of every limb on them, and the phases that follow.

``plate_rules`` checks force plates while a file is read. ``detection`` calls the others:
``observation`` gathers what is seen: the feet (``limbs``) and their ``scale``, the whole body
(``body_series``), smoothed trajectories (``paths``, ``signals``), a ``treadmill``, the
``sole_normals`` of flat feet, the required ground force (``support_force``), ``soles`` and
``ground`` planes; ``pads`` adds hands, forearms, knees, seat and back. ``force_line`` says which
foot is loaded, ``stances`` where a stance begins and ends, ``chairs`` where the subject sits,
``support_gaps`` fills frames without a support; ``from_annotations`` (events, tables) and
``from_plates`` replace what was detected. ``parts`` separates heel and toes, then come ``phases``
and ``gait``. ``pinning`` holds stance feet in place if asked (``stance_feet``).

Later stages call ``poses`` (world poses of the feet), ``support`` (sole outlines, centre of
pressure), ``plate_feet`` (which foot is on which plate), and ``activity`` for the summary. Tuned
numbers are ``mocap_reroot.parameters.ContactParameters``.
"""
