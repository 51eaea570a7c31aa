"""Re-rooting: the same motion, seen from another root (Stępień et al., sections 5 to 7.1).

``connectivity`` says who hangs from whom, ``geometry`` builds the tree, ``state`` transforms joint
states with their derivatives, ``support`` holds the root by a joint of choice, ``reroot`` is the
friendly face, and ``rows`` lays the phases out frame by frame, for tables.
"""
