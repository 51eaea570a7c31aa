"""The experiments of the papers, run with the package's own algorithms.

``compass`` walks down a slope and switches its hierarchy at every step (Stępień et al., section 8),
``swing`` holds a swing with both hands (Yamane and Nakamura, section 4), ``assembly_scenes`` puts
figures together and shakes them (Faure, sections 3 and 4). Each has a ``run(out_dir, …)`` that
writes CSV tables and a page with figures.
"""
