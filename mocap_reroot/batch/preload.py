"""Modules loaded once, in the server process that workers are forked from."""

import os
from importlib import import_module

# Libraries read these when they are loaded; every core has a worker already.
for setting in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(setting, "1")

for module in ("analysis", "batch.engine", "export.tables", "importers.bvh"):
    import_module(f"mocap_reroot.{module}")

import_module("mocap_reroot.kernels.ahead").load_kernels()
