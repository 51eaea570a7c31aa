"""Assembly: bodies that hang together (Faure), from markers, from segments, or on the ground.

From markers, in this order: ``labels``, ``markersets`` and ``landmarks`` say which marker is what
(``gaps`` fills in), ``up_axis`` finds the way up, ``joint_centres``, ``limbs`` and ``feet`` where
the bones are, ``build`` what is constant in the person, ``calibration`` where markers sit on it,
and ``fitting`` fits the skeleton to all of them. If ``unsmoothing`` finds that a filter of the
file's (``splines``) took something from the body, ``balance`` says how much of that was motion, and
it is fitted once more.
``from_markers`` tells the story; ``from_segments`` the shorter one of poses measured apart.

On the ground: ``pinning`` holds stance feet (``footing``) where they stand, and ``pinning_report``
says what that changed. ``loop_closure`` keeps both feet in place at once.

The solver beneath: ``constraints`` are joints as pairs of frames, ``solver`` moves solids until all
fit, ``relative`` does so in a tree's own joints, ``stoermer`` moves them in time.
``vectors`` holds the axes and turns of segments over frames.
"""
