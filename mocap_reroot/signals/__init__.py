"""Signals: cleaning, low-pass filters, derivatives.

``plates_to_frames`` brings force plates to the rate of the motion; ``cleaning`` finds what is not
motion: rest poses, repeated frames, holes, ``discontinuities``,
``lost_joints``; ``smoothing`` gives
velocities and accelerations: the cut-off from ``cutoff``, low-passes from ``filters``,
``derivatives`` of the smooth curve, smoothed further where turns are too fast for the rate;
``resampling`` reads another rate off that curve.
"""
