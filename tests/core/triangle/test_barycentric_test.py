# SPDX-License-Identifier: GPL-3.0-or-later
import standalone_core as sc

from .. import oracle


def coordinates(p, a, b, c):
    """u and v of v2 = u v0 + v v1 by dot products, v0 = C - A, v1 = B - A, v2 = P - A."""
    v0, v1, v2 = oracle.sub(c, a), oracle.sub(b, a), oracle.sub(p, a)
    d00, d01, d11 = oracle.dot(v0, v0), oracle.dot(v0, v1), oracle.dot(v1, v1)
    d02, d12 = oracle.dot(v0, v2), oracle.dot(v1, v2)
    scale = d00 * d11 - d01 * d01
    return (d11 * d02 - d01 * d12) / scale, (d00 * d12 - d01 * d02) / scale


def test_barycentric_u_at_least_0_v_at_least_0_and_u_plus_v_at_most_1(rng):
    answers = set()
    for _ in range(300):
        corners = rng.normal(size=(3, 3))
        aside = rng.normal(size=3) * 0.4
        point = (1 / 3 + aside - aside.mean()) @ corners
        u, v = coordinates(*oracle.exact((point, *corners)))
        expected = u >= 0 and v >= 0 and u + v <= 1
        answers.add(expected)
        assert sc.triangle.contains_barycentric(point, *corners) == expected
    assert answers == {True, False}


def test_barycentric_u_is_the_weight_of_c_and_v_that_of_b(rng):
    for _ in range(50):
        point, a, b, c = rng.normal(size=(4, 3))
        u, v = coordinates(*oracle.exact((point, a, b, c)))
        wa, wb, wc = sc.triangle.barycentric(point, a, b, c)
        tolerance = 1e-11 * (1 + abs(float(u)) + abs(float(v)))
        assert abs(wb - float(v)) < tolerance
        assert abs(wc - float(u)) < tolerance
        assert abs(wa - float(1 - u - v)) < tolerance
