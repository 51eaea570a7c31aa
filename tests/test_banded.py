"""Banded least squares are least squares."""

import numpy as np

from mocap_reroot.numerics.banded import Banded


def test_it_is_what_a_dense_solver_finds() -> None:
    rng = np.random.default_rng(3)
    frames, unknowns = 7, 3
    rows, dense, right = Banded(frames, unknowns), [], []

    def add(blocks, wanted, sigma) -> None:
        for t, value in enumerate(wanted):
            line = np.zeros((len(value), frames, unknowns))
            for j, block in enumerate(blocks):
                line[:, t + j] = block[t]
            dense.append(line.reshape(len(value), -1) / sigma)
            right.append(value / sigma)

    for reach, count, sigma in ((1, 4, 0.5), (2, 2, 2.0), (3, 1, 0.1)):
        length = frames + 1 - reach
        blocks = [rng.normal(size=(length, count, unknowns)) for _ in range(reach)]
        wanted = rng.normal(size=(length, count))
        rows.add(blocks, wanted, sigma)
        add(blocks, wanted, sigma)
    wanted, sigma = rng.normal(size=(frames - 2, unknowns)), np.array([0.3, np.inf, 1.0])
    rows.hold((1, -2, 1), wanted, sigma)
    unit = np.broadcast_to(np.eye(unknowns) / sigma[:, None], (frames - 2, unknowns, unknowns))
    add([unit, -2 * unit, unit], wanted / sigma, 1.0)
    found = np.linalg.lstsq(np.concatenate(dense), np.concatenate(right), rcond=None)[0]
    np.testing.assert_allclose(rows.solved().ravel(), found, atol=1e-9)
