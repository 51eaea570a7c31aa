"""Signals: cleaning, smoothing, derivatives, frame rate.

``plates_to_frames`` brings force plates to the frame rate; ``cleaning`` repairs or leaves out rest
poses, repeated frames and gaps, with ``discontinuities`` and ``lost_joints``. Later, ``smoothing``
gives velocities and accelerations: cut-off frequency (``cutoff``), low-pass (``filters``),
``derivatives``. ``resampling`` changes the frame rate of results.
"""
