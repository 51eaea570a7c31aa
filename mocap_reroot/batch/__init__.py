"""Batch: many files in parallel, resumable, with one index.

``proposal`` makes a table of subjects, ``subjects`` reads it. ``engine`` runs one task a clip, done
once (``fingerprint``), in ``workers`` on this machine (``preload``) or on Dask (``dask_engine``);
``outcome`` says how each ended, ``progress`` how far it is. ``index`` lists the clips, ``dataset``
joins their tables, ``study`` opens all of it again.
"""
