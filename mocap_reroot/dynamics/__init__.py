"""Dynamics: joint torques by Newton-Euler on the support-rooted tree.

``inverse`` calls the others: ``rooted`` runs Newton-Euler on the trees rooted at the support and on
the capture tree under the ground's wrenches (``unsupported``: without contacts); torques are those
of the capture parent on its child (sign changed in ``kernels/rooted.py``). Then ``band``
(range over load sharing), ``quality``, ``feasibility``, ``normalised``; clinical angles and moments
with their signs, ``anatomy``, in ``anatomical_frames``; ``coordinates`` of an OpenSim model. Of the
result: gait ``cycles``, and the ``expected`` accuracy.
"""
