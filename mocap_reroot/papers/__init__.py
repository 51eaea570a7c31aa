"""The experiments of the papers, run with the package's own algorithms; no stage uses them.

``compass`` walks down a slope with a root change at every step (Stępień et al., section 8): a
``walker`` of any shape. ``swing`` (Yamane and Nakamura, section 4) holds a swing with both hands:
body in ``swing_model``. ``assembly_scenes`` (Faure, sections 3 and 4) assembles the solids of
``scenes``; ``stoermer`` integrates them. ``integrate`` steps through time, ``page`` writes. Each
experiment has a ``run(out_dir, …)`` that writes CSV tables and a page with plots.
"""
