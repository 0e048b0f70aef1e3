# SPDX-License-Identifier: MIT
"""Siconos solves what `rigor solve --dump` writes: its error of our solution, and its own solution against ours.

usage: test_siconos.py RIGOR DUMP_NUMBERS; exit status 77 (skipped) without python3-siconos.
"""
import json
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import siconos.numerics as sn
except ImportError:
    print("skipped: python3-siconos is not installed")
    sys.exit(77)

rigor, dump_numbers = sys.argv[1:3]
# Contacts that slide, that stick, with joints, with limits, and joints alone.
CASES = [
    "incline -p mu=0.3 --at 0.2",
    "stack -p boxes=3 --at 0.5",
    "arch -p voussoirs=5 --at 0.1",
    "cradle --at 0.55",
    "hinge_limit --at 1.2",
    "ragdoll --at 1",
    "chain -p links=3 --at 0.2",
]
# Ours is converged to 1e-12 of its own residual; Siconos' error adds up r and u, as the conditions of these W allow.
TOLERANCE = 1e-9


def numbers(case, folder):
    path = folder + "/x.h5"
    subprocess.run([rigor, "solve", *case.split(), "--solvers", "pgs", "--dump", path, "--force", "--json"], check=True,
                   stdout=subprocess.DEVNULL)
    text = subprocess.run([dump_numbers, path], check=True, capture_output=True, text=True).stdout
    return {name: np.array(value, dtype=float) for name, value in json.loads(text).items()}


def condensed(data):
    """Siconos' problem has no equalities: l = -R^-1 (V^T r + s) goes into W and q. R may be singular."""
    W, q = data["W"], data["q"]
    if data["s"].size:
        inverse = np.linalg.pinv(data["R"], rcond=1e-12, hermitian=True)
        W = W - data["V"] @ inverse @ data["V"].T
        q = q - data["V"] @ inverse @ data["s"]
    return W, q


def solve(W, q, mu):
    problem = sn.FrictionContactProblem(3, len(mu), np.asfortranarray(W), q.copy(), mu.copy())
    options = sn.SolverOptions(sn.SICONOS_FRICTION_3D_NSGS)
    options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 100000
    options.dparam[sn.SICONOS_DPARAM_TOL] = 1e-13
    r, u = np.zeros(len(q)), np.zeros(len(q))
    sn.fc3d_driver(problem, r, u, options)
    return r, u


def error(W, q, mu, r):
    """Siconos' error: |r - P(r - u - mu |u_t| e_n)| over the largest of |q|, |r|, |u|."""
    u = W @ r + q
    total = 0.0
    for c in range(len(mu)):
        rc, uc = r[3 * c:3 * c + 3], u[3 * c:3 * c + 3]
        x = rc - uc
        x[0] -= mu[c] * np.hypot(uc[1], uc[2])
        t = np.hypot(x[1], x[2])
        if mu[c] * t <= -x[0]:
            p = np.zeros(3)
        elif t <= mu[c] * x[0]:
            p = x
        else:
            n = (x[0] + mu[c] * t) / (1 + mu[c] ** 2)
            p = np.array([n, mu[c] * n * x[1] / t, mu[c] * n * x[2] / t]) if t > 0 else np.array([n, 0, 0])
        total += np.sum((rc - p) ** 2)
    return np.sqrt(total) / max(np.linalg.norm(q), np.linalg.norm(r), np.linalg.norm(u))


failed = 0
with tempfile.TemporaryDirectory() as folder:
    for case in CASES:
        data = numbers(case, folder)
        W, q = condensed(data)
        theirs, velocity = solve(W, q, data["mu"])
        ours = error(W, q, data["mu"], data["r"])
        scale = max(np.linalg.norm(data["q"]), np.linalg.norm(data["u"]))
        apart = np.linalg.norm(W @ theirs + q - data["u"]) / scale
        own = error(W, q, data["mu"], theirs)
        # The errors are relative to |r| where that is the largest: 1 N s too much there is 1 m/s here.
        largest = max(scale, np.linalg.norm(data["r"]))
        ok = ours < TOLERANCE and apart < max(TOLERANCE, 10 * (ours + own) * largest / scale)
        print(f"{'ok    ' if ok else 'FAILED'} {case}: {len(data['mu'])} contacts, {data['s'].size} equalities; error of "
              f"our r {ours:.1e}, of Siconos' {own:.1e}; velocities {apart:.1e} apart")
        failed += not ok
sys.exit(failed > 0)
