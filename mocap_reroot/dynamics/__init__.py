"""Dynamics: torques, ground forces, and the algorithms of rigid-body trees, one a file.

``carriers`` first settles, by the forces, who carries (and ``weight`` how heavy the person is,
``segment_masses`` what the parts weigh).
``inverse`` tells the story: ``rooted`` runs Newton-Euler on the trees rooted at the support,
``placing`` and ``ground`` say what the ground must supply and where, ``sharing`` divides it between
feet (``admissible``: what feet can do; ``effort``: one of the rules), ``plates`` puts measured
forces in their place. ``unsupported`` is a motion without contacts. From the result follow
``quality``, ``anatomy`` (in ``anatomical_frames``), ``normalised`` torques and the ``band`` of all
sharings.

The algorithms of the textbooks: ``newton_euler``, ``aba``, ``crba``, ``closed_chain``.
"""
