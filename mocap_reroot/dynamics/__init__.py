"""Dynamics: joint torques by the support-rooted tree.

``inverse`` tells the story: ``rooted`` runs Newton-Euler on the trees rooted at the support and on
the capture tree under the ground's wrenches; ``unsupported`` is a motion without contacts. From the
result follow ``quality``, ``anatomy`` (in ``anatomical_frames``), gait ``cycles``, forces along a
model's ``coordinates``, ``normalised`` torques, the ``band`` of all sharings, the
``feasibility`` of the motion for whoever follows it, and what accuracy is ``expected``.
"""
