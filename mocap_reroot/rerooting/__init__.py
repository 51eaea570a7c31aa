"""Re-rooting: root change of a motion (Stępień et al., sections 5 to 7.1).

``reroot`` calls the others: ``connectivity`` gives the parents after the change, ``geometry``
offsets and axes of the tree, ``state`` its joint states with derivatives, ``support`` the joint
that holds the root; ``rows`` makes tables of the result.
"""
