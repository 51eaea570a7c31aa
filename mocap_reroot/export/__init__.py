"""Export: tables, OpenSim files and BVH; each file appears under its name only when complete."""
