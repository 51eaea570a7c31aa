"""The experiments of the papers, run with the package's own algorithms; used by nobody.

``compass`` walks down a slope and switches its hierarchy at every step (Stępień et al., section 8):
a ``walker`` of any shape. ``swing`` holds a swing with both hands (Yamane and Nakamura, section 4)
with the body of ``swing_model``. ``assembly_scenes`` puts the solids of ``scenes`` together and
shakes them (Faure, sections 3 and 4); ``stoermer`` moves them in time. ``integrate`` steps through
time; ``page`` writes. Each experiment has a ``run(out_dir, …)`` that writes CSV tables and a page
with figures.
"""
