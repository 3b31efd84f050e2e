# SPDX-License-Identifier: MIT
"""Where one ray meets one triangle, for the usual case, in as few steps of Python as can be.

Each call of a function costs Python as much as several additions, and :func:`.solve` makes
fifty. Here its operations stand in the same order, so the bits are the same, but each number is
split into halves for exact products once only. It gives up on unusual input, which is then left to
:func:`.solve`.
"""

from ..numerics.ray_triangle import BEGIN, DISTANT, FIRST_STEP, LEAST, ORDINARY, STEEP, TINY, Vector

_SPLITTER = 134217729.0  # as in :mod:`.double_double`


def solve_quickly(
    o: Vector[float], d: Vector[float], a: Vector[float], b: Vector[float], c: Vector[float]
) -> tuple[float, float, float, Vector[float], Vector[float]] | None:
    """As :func:`.solve`: t, v, w, normal and point, or None for what is not usual."""
    rows = []
    for start, way, first, second, third in zip(o, d, a, b, c, strict=True):
        s = first - start
        part = s - first
        s_low = (first - (s - part)) - (start + part)
        e1 = second - first
        part = e1 - second
        e1_low = (second - (e1 - part)) - (first + part)
        e2 = third - first
        part = e2 - third
        e2_low = (third - (e2 - part)) - (first + part)
        if (
            (s and -LEAST < s < LEAST)
            or (way and -LEAST < way < LEAST)
            or (e1 and -LEAST < e1 < LEAST)
            or (e2 and -LEAST < e2 < LEAST)
        ):
            return None
        part = _SPLITTER * e1
        e1_top = part - (part - e1)
        part = _SPLITTER * e2
        e2_top = part - (part - e2)
        rows.append((s, s_low, e1, e1_low, e1_top, e1 - e1_top, e2, e2_low, e2_top, e2 - e2_top))
    x, y, z = rows
    normal = []
    for left, right in ((y, z), (z, x), (x, y)):
        _, _, p1, p1_low, p1_top, p1_rest, p2, p2_low, p2_top, p2_rest = left
        _, _, q1, q1_low, q1_top, q1_rest, q2, q2_low, q2_top, q2_rest = right
        p = p1 * q2
        p_error = p1_rest * q2_rest - (
            ((p - p1_top * q2_top) - p1_rest * q2_top) - p1_top * q2_rest
        )
        q = q1 * p2
        q_error = q1_rest * p2_rest - (
            ((q - q1_top * p2_top) - q1_rest * p2_top) - q1_top * p2_rest
        )
        high = p - q
        part = high - p
        low = (p - (high - part)) - (q + part)
        low = low + (
            (p_error + (p1 * q2_low + p1_low * q2)) - (q_error + (q1 * p2_low + q1_low * p2))
        )
        normal.append(high + low)
    nx, ny, nz = normal
    dx, dy, dz = d
    sx, ux, vx = x[0], x[2], x[6]
    sy, uy, vy = y[0], y[2], y[6]
    sz, uz, vz = z[0], z[2], z[6]
    size1, size2 = max(abs(ux), abs(uy), abs(uz)), max(abs(vx), abs(vy), abs(vz))
    size, way_size = max(size1, size2), max(abs(dx), abs(dy), abs(dz))
    full = way_size * size1 * size2
    inclination = dx * nx + dy * ny + dz * nz
    slope = abs(inclination)
    away = max(abs(sx), abs(sy), abs(sz))
    if not (
        TINY < size < ORDINARY
        and away < ORDINARY
        and max(abs(nx), abs(ny), abs(nz)) > LEAST
        and slope > STEEP * full
        and slope > DISTANT * (way_size * size * (away + size))
    ):
        return None
    px, py, pz = dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx
    qx, qy, qz = uy * dz - uz * dy, uz * dx - ux * dz, ux * dy - uy * dx
    t = (sx * nx + sy * ny + sz * nz) / inclination
    v = (sx * px + sy * py + sz * pz) / inclination
    w = (sx * qx + sy * qy + sz * qz) / inclination
    part = _SPLITTER * t
    t_top = part - (part - t)
    t_rest = t - t_top
    part = _SPLITTER * v
    v_top = part - (part - v)
    v_rest = v - v_top
    part = _SPLITTER * w
    w_top = part - (part - w)
    w_rest = w - w_top
    rest = []
    for way, row in zip(d, rows, strict=True):
        s, s_low, e1, e1_low, e1_top, e1_rest, e2, e2_low, e2_top, e2_rest = row
        part = _SPLITTER * way
        way_top = part - (part - way)
        way_rest = way - way_top
        p = t * way
        p_error = t_rest * way_rest - (
            ((p - t_top * way_top) - t_rest * way_top) - t_top * way_rest
        )
        q = v * e1
        q_error = v_rest * e1_rest - (((q - v_top * e1_top) - v_rest * e1_top) - v_top * e1_rest)
        r = w * e2
        r_error = w_rest * e2_rest - (((r - w_top * e2_top) - w_rest * e2_top) - w_top * e2_rest)
        total = s - p
        part = total - s
        first = (s - (total - part)) - (p + part)
        before, total = total, total + q
        part = total - before
        second = (before - (total - part)) + (q - part)
        before, total = total, total + r
        part = total - before
        third = (before - (total - part)) + (r - part)
        errors = (first + second + third) + (s_low - p_error) + (q_error + r_error)
        rest.append(total + (errors + (v * e1_low + w * e2_low)))
    rx, ry, rz = rest
    dt = (rx * nx + ry * ny + rz * nz) / inclination
    dv = (rx * px + ry * py + rz * pz) / inclination
    dw = (rx * qx + ry * qy + rz * qz) / inclination
    t, v, w = t + dt, v + dv, w + dw
    if not (
        abs(dt) <= FIRST_STEP * abs(t)
        and abs(dv) <= FIRST_STEP
        and abs(dw) <= FIRST_STEP
        and abs(t) * slope > BEGIN * (away + size) * size1 * size2
    ):
        return None
    v, w = max(v, 0.0) + 0.0, max(w, 0.0) + 0.0
    ax, ay, az = a
    point = ax + (v * ux + w * vx), ay + (v * uy + w * vy), az + (v * uz + w * vz)
    return t, v, w, (nx, ny, nz), point
