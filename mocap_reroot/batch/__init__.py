"""Many files: processes that survive their files, results that survive a crash, one index.

``subjects`` says who is who in a study; ``proposal`` finds out. ``engine`` is the batch: a task a
clip, done once (``fingerprint``), counted, and listed in the ``index`` with a grade. Tasks run in
``workers`` on this machine, or on a Dask cluster (``dask_engine``); an ``outcome`` says what became
of each. ``preload`` gives new workers the modules and the compiled code, ``progress`` shows how far
it is, ``dataset`` makes one table of all clips, and ``study`` opens it all again.
"""
