"""Cut-off frequency of a clip, by residual analysis of its accelerations.

Residual analysis balances the signal that a filter takes with the noise that it lets through.
Winter (2009) does so for displacements, in which noise hardly shows; forces are made of
accelerations. A low-pass takes the fast part of the motion's and lets the slow part of the noise's
through; the best cut-off makes the sum of both errors least. Which is which, the spectrum tells
beyond 8 Hz, where people move little: there accelerations of motion fall with frequency, while
those of noise do not (white noise of cameras rises with the fourth power, the jitter of solved
skeletons is about level). So

- the way in which the spectrum rises at its upper end is the way of the noise; it is at most what
  is found within two octaves above a frequency, and once seen it stays;
- what exceeds a tenth of the slow accelerations between 8 and 16 Hz is noise too, though somebody
  took away what was faster;
- motion is what is left, as far as it goes on falling.

This is asked twice, for the median of all channels that move (moments) and for the path of the root
(the force of the whole); the lower answer counts.
"""

from __future__ import annotations

import math

import numpy as np

from mocap_reroot.signals.filters import gain

SLOWEST, FASTEST = 5.0, 20.0
"""Hz, bounds of the automatic cut-off: slower blurs a step (force plates of walks lose 2 to 4 % of
body weight at 5 Hz, 2 to 6 at 4), faster than 20 Hz people hardly move."""

RESOLVED = 0.2
"""Of the frame rate, the fastest cut-off: faster waves are too few frames for their derivatives."""

CUSTOMARY = 6.0
"""Hz, where there is too little to judge by."""

SURE = 8.0
"""Hz, beyond which motion only falls."""

RARE = 0.1
"""Of the density of accelerations between 1 and 6 Hz, what motion may have between 8 and 16 Hz at
most: force plates found 0.0002 to 0.055 in twelve walks."""

_SLOW, _FAST = 6.0, 16.0  # Hz

_OCTAVES = 2.0  # above a frequency, within which noise must show
_WHITE = 4.0  # power with which accelerations of white noise rise
_FEWEST = 4  # bands through which a rise is laid
_GRID = 0.25  # Hz between the cut-offs that are tried
_RATIO = 2**0.5  # of the edges of wide bands: steady in clips of two seconds
_SHORTEST = 16  # frames that have a spectrum
_BANDS = 400  # of the spectrum, at most
_MOVING = 0.01**2  # mean square; about half a degree RMS, a centimetre


def least_error_cutoff(channels: np.ndarray, path: slice, fps: float) -> tuple[float, str]:
    """Choose the cut-off that leaves least error in accelerations, within sane bounds.

    Args:
        channels: ``(r, F)`` rad or m, F ≥ 5, finite.
        path: Rows that tell where the root is.
        fps: Frames per second.

    Returns:
        tuple: Hz, and a sentence of evidence.
    """
    slowest, fastest = min(SLOWEST, RESOLVED * fps), min(FASTEST, RESOLVED * fps)
    rows, power, frequency = _spectrum(channels, path, fps)
    moving = power.sum(axis=1) > _MOVING
    along = (path.start <= rows) & (rows < path.stop)
    starts, counts = _wide_bands(frequency, fps)
    at = np.add.reduceat(frequency, starts) / counts
    slow = at < SURE
    if channels.shape[1] < _SHORTEST or not (moving.any() and slow.any()):
        cutoff = min(max(CUSTOMARY, slowest), fastest)
        return cutoff, f"Too little motion to choose a cut-off by; {cutoff:g} Hz is customary."
    level = np.add.reduceat(power * frequency**4, starts, axis=1) / counts
    grid = np.arange(slowest, fastest + 1e-9, _GRID)
    passed = gain(at[:, None], grid, fps)
    each = level[moving]
    each /= each[:, slow].sum(axis=1, keepdims=True) + 1e-300
    asked = {f"{len(each)} moving channels": np.median(each, axis=0)}
    if (moving & along).any():
        asked["the path of the root"] = level[along].sum(axis=0)
    found = {
        what: float(grid[_errors(values, at, counts, passed).argmin()])
        for what, values in asked.items()
    }
    cutoff = round(min(found.values()), 2)
    words = " and ".join(f"{hertz:.4g} Hz for {what}" for what, hertz in found.items())
    sentence = (
        "Residual analysis of accelerations, least error between "
        f"{slowest:g} and {fastest:g} Hz: {words}."
    )
    return cutoff, sentence


def _errors(level: np.ndarray, at: np.ndarray, width: np.ndarray, passed: np.ndarray) -> np.ndarray:
    """Return ``(c)`` the square errors that cut-offs leave in accelerations.

    Args:
        level: ``(b)`` spectral density of accelerations.
        at, width: ``(b)`` frequencies in Hz, and how wide the bands are.
        passed: ``(b, c)`` gains of the filters.
    """
    noise = _most_noise(level, at)
    falling = np.array(level)
    beyond = at >= SURE
    falling[beyond] = np.minimum.accumulate(level[beyond])
    motion = np.maximum(falling - noise, 0.0)
    lost, kept = (width * motion) @ (1 - passed) ** 2, (width * (level - motion)) @ passed**2
    return np.asarray(lost + kept)


def _most_noise(level: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return ``(b)`` the most noise that a spectrum of accelerations can hold."""
    first = min(int(np.searchsorted(at, SURE)), len(at) - 1)
    shape = at ** _rise(level[first:], at[first:])
    flat = level / shape
    ends = np.searchsorted(at, at * 2**_OCTAVES, side="right")
    least = [float(flat[i : ends[i]].min()) for i in range(first, len(at))]
    slow, fast = at < _SLOW, (at >= SURE) & (at < _FAST)
    if slow.any() and fast.any():
        surplus = level[fast].mean() - RARE * level[slow].mean()
        least[0] = max(least[0], float(surplus / shape[fast].mean()))
    return np.asarray(shape * np.maximum.accumulate([*[least[0]] * first, *least]))


def _rise(level: np.ndarray, at: np.ndarray) -> float:
    """Return the power of frequency, 0 to 4, with which a spectrum rises from its least."""
    least = int(level.argmin())
    if len(level) - least < _FEWEST:
        return 0.0
    height, where = np.log(level[least:] + 1e-300), np.log(at[least:])
    where -= where.mean()
    return float(min(max(height @ where / (where @ where), 0.0), _WHITE))


def _wide_bands(frequency: np.ndarray, fps: float) -> tuple[np.ndarray, np.ndarray]:
    """Return where bands begin that are 1 Hz wide, or half an octave if that is wider.

    Args:
        frequency: ``(b)`` Hz, of a finer spectrum.
        fps: Frames per second.

    Returns:
        tuple: ``(w)`` first members of the bands, and how many members each has.
    """
    edges = [1.0]
    while edges[-1] < fps / 2:
        edges.append(max(edges[-1] + 1, edges[-1] * _RATIO))
    starts = np.unique(np.searchsorted(frequency, edges))
    starts = starts[starts < len(frequency)]
    return starts, np.diff(np.append(starts, len(frequency)))


def _spectrum(
    channels: np.ndarray, path: slice, fps: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which channels move or tell the path, their mean-square content in bands, and these.

    The line through both ends is taken off and what remains is continued oddly (sine transform):
    a curve without steps or kinks, so that its ends do not look like noise.

    Returns:
        tuple: ``(m)`` rows of the channels, ``(m, b)`` content, and ``(b)`` frequencies, Hz.
    """
    from scipy.fft import dst

    half = channels.shape[1] - 1
    width = max(1, math.ceil((half - 1) / _BANDS))
    starts = np.arange(0, half - 1, width)
    along = np.arange(1, half) / half
    level = channels[:, 1:-1] - channels[:, :1] - (channels[:, -1:] - channels[:, :1]) * along
    # The squares sum to what those of the sines do: nothing moves, nothing to transform. The verge
    # is left to what follows.
    moving = np.einsum("rt,rt->r", level, level) > 0.9 * _MOVING * (half - 1)
    moving[path] = True
    sines = dst(level[moving], type=1, axis=1, overwrite_x=True)
    content = np.add.reduceat(np.square(sines, out=sines), starts, axis=1)
    frequency = np.arange(1, half) / half * fps / 2  # ends below Nyquist
    counts = np.diff(np.append(starts, half - 1))
    power = content * (0.5 / half / (half - 1))  # scipy's sines are twice ours
    return np.flatnonzero(moving), power, np.add.reduceat(frequency, starts) / counts
