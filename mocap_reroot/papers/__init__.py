"""The experiments of the papers, run with the package's own algorithms; used by nobody.

``compass`` walks down a slope and switches its hierarchy at every step (Stępień et al., section 8):
a ``walker`` of any shape, and a ``kneed`` one. ``swing`` holds a swing with both hands (Yamane and
Nakamura, section 4) with the figure of ``swing_model`` and its ``joint_limits``.
``assembly_scenes`` puts the figures of ``scenes`` together and shakes them (Faure, sections 3 and
4); ``stoermer`` moves them in time. ``integrate`` steps through time; ``figure`` and ``page`` draw.
Each experiment has a ``run(out_dir, …)`` that writes CSV tables and a page with figures.
"""
