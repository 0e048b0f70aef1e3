# SPDX-License-Identifier: MIT
"""The Python module: the same bits as the program, arrays, pushes, own solvers, threads, Ctrl-C, mistakes."""

import contextlib
import gc
import io
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import rigor

PROGRAM = os.environ["RIGOR_PROGRAM"]


def program(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def without_times(document):
    return {key: value for key, value in document.items() if key not in ("cost", "profile")}


class Sweeps(rigor.Solver):
    """Projected Gauss-Seidel with Baumgarte's feedback."""

    capabilities = ("joints", "loops", "limits", "particles", "contacts", "friction")
    options = {"beta": 0.2, "relaxation": 1.0}

    def enter(self, step):
        super().enter(step)
        self.diagonal = self.rows.diagonal

    def iterate(self, step):
        rows = self.rows
        for i in range(len(rows)):
            bias = (rows.C[i] if rows.contact[i] and rows.C[i] > 0 else self.beta * rows.C[i]) / step.h
            error = rows.speed(i) - rows.velocity[i] + (0 if rows.normal[i] >= 0 else bias)
            least, most = rows.bounds(i)
            wanted = rows.multiplier[i] - self.relaxation * error / self.diagonal[i]
            rows.push(i, min(max(wanted, least), most) - rows.multiplier[i])


class TheSameBitsAsTheProgram(unittest.TestCase):
    def test_documents_are_equal(self):
        for scene, params, solver, options in [
            ("chain", {"links": 12}, "xpbd", {"substeps": 7}),
            ("stack", {"boxes": 4}, "pgs", {"iterations": 13, "warm_start": False}),
            ("pendulum", {"angle": 0.3}, "featherstone", {}),
            ("joint_gallery", {}, "avbd", {}),
        ]:
            words = [word for k, v in params.items() for word in ("-p", f"{k}={v}")]
            words += [word for k, v in options.items() for word in ("-s", f"{k}={str(v).lower()}")]
            theirs = program("run", scene, solver, *words, "--time", "1", "--json", "--state")
            ours = rigor.run(rigor.scene(scene, **params), solver, time=1, **options).document
            ours["solver"] = theirs["solver"]  # the options are part of the label here
            ours.pop("variant_of", None), theirs.pop("variant_of", None)
            self.assertEqual(without_times(ours), without_times(theirs), scene)

    def test_a_dict_is_the_file_of_it(self):
        document = rigor.scene("chain", links=5).document()
        one = rigor.run(document, "pgs", time=0.5)
        two = rigor.run("chain", "pgs", time=0.5, keep=True)
        self.assertNotEqual(one.position.shape, two.position.shape)
        same = rigor.run(rigor.scene("chain", links=5), "pgs", time=0.5)
        self.assertTrue(np.array_equal(one.position, same.position))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.json")
            with open(path, "w") as file:
                json.dump(document, file)
            self.assertTrue(np.array_equal(rigor.run(path, "pgs", time=0.5).position, one.position))
        moon = rigor.run(rigor.scene(document, gravity=[0, -1.62, 0]), "pgs", time=0.5)
        self.assertFalse(np.array_equal(moon.position, one.position))

    def test_stepping_is_running(self):
        whole = rigor.run("stack", "pgs", time=0.5)
        run = rigor.start("stack", "pgs", time=0.5)
        self.assertEqual([frame for frame in run], list(range(1, 31)))
        self.assertTrue(run.over and not run.step())
        self.assertEqual(without_times(run.document), without_times(whole.document))
        self.assertTrue(np.array_equal(run.position, whole.position))


class WhatARunKeeps(unittest.TestCase):
    def test_frames(self):
        run = rigor.run("stack", "pgs", time=0.5)
        bodies = len(run.bodies)
        self.assertEqual(run.position.shape, (31, bodies, 3))
        self.assertEqual(run.orientation.shape, (31, bodies, 4))
        self.assertAlmostEqual(run.times[-1], 0.5)
        state = run.state()
        for key in ("position", "orientation", "velocity", "angular_velocity"):
            self.assertTrue(np.array_equal(getattr(run, key)[-1], state[key]), key)
        last = run.document["bodies"]
        self.assertEqual(run.position[-1].tolist(), [body["position"] for body in last])
        self.assertIs(run.position.base, run._kept[0])  # a view, no copy

    def test_contacts_carry_the_weight(self):
        run = rigor.run(rigor.scene("stack", boxes=3), "pgs", time=1)
        last = run.contacts()
        ground = last[last["body1"] == 0] if "ground" in run.bodies[0] else last[last["body1"] == -1]
        self.assertTrue(np.array_equal(last, run.contacts(run.frame)))
        self.assertEqual(len(run.contacts(0)), 0)
        up = ground["impulse"][:, 1].sum() * 60
        weight = 9.81 * 3 * 1000
        self.assertLess(abs(up - weight), 0.02 * weight)
        with self.assertRaises(IndexError):
            run.contacts(31 * 60)

    def test_reactions(self):
        run = rigor.run("pendulum", "direct", time=0.5)
        self.assertTrue(np.isnan(run.reaction_force[0]).all())
        self.assertEqual(run.reaction_force[-1].tolist(), [joint["force"] for joint in run.document["joints"]])

    def test_a_run_may_go_and_its_arrays_stay(self):
        run = rigor.run("chain", "pgs", time=0.2)
        position, contacts = run.position, rigor.run("stack", "pgs", time=0.2).contacts(5)
        sums = position.sum(), len(contacts)
        del run
        gc.collect()
        self.assertEqual((position.sum(), len(contacts)), sums)

    def test_without_keeping_there_is_the_state(self):
        run = rigor.run("chain", "pgs", time=0.2, keep=False)
        with self.assertRaises(rigor.UsageError):
            run.position
        self.assertEqual(run.state()["position"].tolist(), [b["position"] for b in run.document["bodies"]])


class Pushing(unittest.TestCase):
    def test_a_force_accelerates(self):
        document = {"rigor": 1, "name": "free", "gravity": [0, 0, 0], "time": 1,
                    "bodies": [{"name": "a", "position": [0, 0, 0], "mass": 2.0}], "joints": []}
        run = rigor.start(document, "pgs", dt=0.01)
        run.force("a", (3.0, 0, 0))
        for _ in range(50):
            run.step()
        run.force("a")
        run.finish()
        self.assertAlmostEqual(run.velocity[-1, 0, 0], 0.75, places=12)  # v = F t / m over 0.5 s
        self.assertAlmostEqual(run.velocity[50, 0, 0], 0.75, places=12)

    def test_a_servo_follows(self):
        document = {"rigor": 1, "name": "arm", "gravity": [0, 0, 0], "time": 1, "collide": "none",
                    "bodies": [{"name": "a", "position": [0.5, 0, 0], "density": 1000,
                                "shape": {"box": {"size": [1, 0.1, 0.1]}}}],
                    "joints": [{"name": "s", "type": "servo", "bodies": ["world", "a"], "anchor": [0, 0, 0],
                                "axis": [0, 0, 1], "target": 0}]}
        run = rigor.start(document, "pgs", iterations=50)
        for frame in run:
            run.drive("s", min(0.5, frame / run.frames))
        self.assertAlmostEqual(math.atan2(*run.position[-1, 0, 1::-1]), 0.5, delta=0.002)  # Baumgarte takes back a fifth a frame
        self.assertEqual(run.drive("s"), 0.5)

    def test_mistakes(self):
        run = rigor.start("pendulum", "pgs")
        for wrong in (lambda: run.force("nobody"), lambda: run.drive(run.joints[0], 1.0),
                      lambda: run.force(run.bodies[0], (math.nan, 0, 0))):
            with self.assertRaises(rigor.UsageError):
                wrong()
        with self.assertRaises(IndexError):
            run.force(7)
        with self.assertRaises(rigor.UnsupportedError):
            rigor.start("pendulum", "reference").force(0, (1, 0, 0))


class Mistakes(unittest.TestCase):
    def test_messages_are_the_programs(self):
        for error, words, run in [
            (rigor.UsageError, ["run", "pendlum", "pgs"], lambda: rigor.run("pendlum", "pgs")),
            (rigor.UsageError, ["run", "pendulum", "pgz"], lambda: rigor.run("pendulum", "pgz")),
            (rigor.UnsupportedError, ["run", "stack", "kkt"], lambda: rigor.run("stack", "kkt")),
            (rigor.FileError, ["run", "/no/such.json", "pgs"], lambda: rigor.run("/no/such.json", "pgs")),
        ]:
            said = subprocess.run([PROGRAM, *words], capture_output=True, text=True).stderr
            with self.assertRaises(error) as raised:
                run()
            joined = " ".join(said.split())
            self.assertIn(" ".join(str(raised.exception).split()), joined)
        self.assertTrue(issubclass(rigor.UsageError, ValueError))

    def test_values_that_are_wrong(self):
        with self.assertRaisesRegex(rigor.UsageError, "lnks"):
            rigor.run(rigor.scene("pendulum", lnks=2), "pgs")
        with self.assertRaisesRegex(rigor.UsageError, "iteration"):
            rigor.run("pendulum", "pgs", iteration=2)
        with self.assertRaisesRegex(rigor.FileError, "scene:"):
            rigor.run({"rigor": 1, "name": "x", "bodies": 3}, "pgs")
        with self.assertRaisesRegex(rigor.UsageError, "detect"):
            rigor.run("pendulum", "pgs", detect="never")
        with self.assertRaises(TypeError):
            rigor.run("pendulum", 3)


class OwnSolvers(unittest.TestCase):
    def test_it_is_as_good_as_pgs_without_warm_start(self):
        ours = rigor.run("pendulum", Sweeps, time=1, iterations=30)
        theirs = rigor.run("pendulum", "pgs", time=1, iterations=30, warm_start=False)
        self.assertEqual(ours.verdict, theirs.verdict)
        self.assertLess(np.abs(ours.position - theirs.position).max(), 1e-9)
        self.assertEqual(ours.metrics["row_solves"] if "row_solves" in ours.metrics else ours.cost["row_solves"],
                         theirs.cost["row_solves"])
        self.assertLess(np.abs(ours.reaction_force[1:] - theirs.reaction_force[1:]).max(), 1e-6)

    def test_a_box_comes_to_rest(self):
        run = rigor.run(rigor.scene("stack", boxes=2), Sweeps, time=1, iterations=30)
        self.assertNotEqual(run.verdict, "falls")
        self.assertLess(np.abs(run.velocity[-1]).max(), 0.02)

    def test_options_reach_it(self):
        seen = []

        class Looks(Sweeps):
            def enter(self, step):
                seen.append((self.beta, self.relaxation, self.iterations, step.h))
                super().enter(step)

        rigor.run("pendulum", Looks, dt=0.1, time=0.1, substeps=2, iterations=3, beta=0.4)
        self.assertEqual(seen, [(0.4, 1.0, 3, 0.05)] * 2)

    def test_its_own_phases_and_its_own_residual(self):
        order = []

        class Phases(rigor.Solver):
            def plan(self):
                return [rigor.Phase("first", 2, self.begin, lambda step: order.append(("first", step.sweep)),
                                    lambda step: 0.25), rigor.Phase("last", 0, self.end)]

            def begin(self, step):
                order.append(("begin", step.sweep))
                step.fly()

            def end(self, step):
                order.append(("end", step.sweep))
                step.report("a cap")
                step.move()

        run = rigor.run("pendulum", Phases, dt=0.1, time=0.1)
        self.assertEqual(order, [("begin", 0), ("first", 1), ("first", 2), ("end", 0)])
        self.assertEqual(run.metrics["residual"], 0.25)
        self.assertEqual([(event["what"], event["count"]) for event in run.events], [("a cap", 1)])

    def test_positions_are_corrected(self):
        class Positions(rigor.Solver):
            """Position-based dynamics of particles."""

            def plan(self):
                return [rigor.Phase("position", self.iterations, self.enter, self.iterate),
                        rigor.Phase("velocity", 0, lambda step: step.derive_velocities())]

            def enter(self, step):
                step.fly()
                step.predict()

            def iterate(self, step):
                for i in range(len(step.rows())):
                    rows = step.rows()  # at the poses that the last row left
                    correction = -rows.C[i] / rows.diagonal[i]
                    for k, body in enumerate(rows.body[i]):
                        step.position[body] += correction * rows.W[i, 6 * k:6 * k + 3]

        scene = rigor.scene("pendulum", kind="particle", links=3)
        ours = rigor.run(scene, Positions, time=1, iterations=10)
        theirs = rigor.run(scene, "pbd", time=1, iterations=10, substeps=1)
        self.assertLess(np.abs(ours.position - theirs.position).max(), 1e-9)

    def test_its_exception_comes_out(self):
        class Fails(rigor.Solver):
            def iterate(self, step):
                raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            rigor.run("pendulum", Fails)

        class NoPhases(rigor.Solver):
            def plan(self):
                return []

        with self.assertRaisesRegex(ValueError, "1 to 5 phases"):
            rigor.run("pendulum", NoPhases)

    def test_what_it_cannot_do_is_refused(self):
        class Joints(rigor.Solver):
            capabilities = ("joints",)

        with self.assertRaisesRegex(rigor.UnsupportedError, "contacts"):
            rigor.run("stack", Joints)
        with self.assertRaises(rigor.UsageError):
            rigor.run("pendulum", type("Odd", (rigor.Solver,), {"capabilities": ("magic",)}))
        with self.assertRaisesRegex(rigor.UsageError, "already a solver"):
            rigor.run("pendulum", type("Pgs", (rigor.Solver,), {}))

    def test_a_step_is_only_good_within_a_phase(self):
        kept = []

        class Keeps(Sweeps):
            def enter(self, step):
                kept.append(step)
                super().enter(step)

        rigor.run("pendulum", Keeps, time=0.1)
        gc.collect()
        with self.assertRaises(RuntimeError):
            kept[0].fly()
        self.assertTrue(np.isfinite(kept[0].position).all())

    def test_its_matrix(self):
        class Dense(Sweeps):
            def iterate(self, step):
                super().iterate(step)
                self.seen.append(np.abs(np.diag(self.rows.matrix()) - self.rows.diagonal).max())

            seen = []

        rigor.run(rigor.scene("pendulum", links=3), Dense, time=0.1, iterations=1)
        self.assertLess(max(Dense.seen), 1e-12)


class Tables(unittest.TestCase):
    def test_compare(self):
        made = rigor.compare("stack", ["pgs", "kkt", Sweeps], metrics=["penetration_max"], time=0.2,
                             options={"pgs": {"iterations": 3}})
        rows = made.to_dict("records") if hasattr(made, "to_dict") else made
        self.assertEqual([row["solver"] for row in rows], ["pgs:iterations=3", "kkt", "sweeps"])
        self.assertEqual([row["status"] for row in rows], ["ok", "unsupported", "ok"])
        self.assertEqual(rows[0]["penetration_max"],
                         program("run", "stack", "pgs", "-s", "iterations=3", "--time", "0.2",
                                 "--json")["metrics"]["penetration_max"])

    def test_converge(self):
        made = rigor.converge("pendulum", ["direct"], "substeps", [1, 2, 4, 8, 16], time=0.5)
        rows = made.to_dict("records") if hasattr(made, "to_dict") else made
        self.assertEqual([row["substeps"] for row in rows], [1, 2, 4, 8, 16])
        self.assertAlmostEqual(rows[0]["order"], 1.0, delta=0.2)
        with self.assertRaises(TypeError):
            rigor.converge("pendulum", [Sweeps], "substeps", [1, 2])

    def test_sweep(self):
        experiment = {"rigor": 1, "name": "small", "metrics": ["drift_max"],
                      "grid": [{"scene": "pendulum", "params": {"links": [1, 2]}, "solver": ["xpbd", "pgs"], "time": 0.2}]}
        lines = []
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "r.sqlite")
            made = rigor.sweep(experiment, path, jobs=1, progress=lines.append)
            self.assertEqual(len(made), 4)
            self.assertEqual(len(rigor.results(path, "solver = 'pgs'")), 2)
            with self.assertRaises(rigor.UsageError):
                rigor.results(path, "no_such_column = 1")
        with self.assertRaises(rigor.FileError):
            rigor.sweep({"rigor": 1, "name": "x"}, progress=False)

    def test_without_pandas_they_are_lists(self):
        code = "import sys; sys.modules['pandas'] = None; import rigor; " \
               "print(type(rigor.compare('pendulum', 'pgs', time=0.1)).__name__)"
        self.assertEqual(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout, "list\n")


class Shown(unittest.TestCase):
    def test_a_film_of_what_was_done_by_hand(self):
        run = rigor.start("pendulum", Sweeps, time=0.3)
        for frame in run:
            run.force(0, (0, 40.0, 0))
        with tempfile.TemporaryDirectory() as folder:
            recording = run.record(os.path.join(folder, "mine.h5"))
            said = subprocess.run(["h5dump", "-d", "/position", "-m", "%.17g", recording], capture_output=True, text=True) \
                if subprocess.run(["sh", "-c", "command -v h5dump"], capture_output=True).returncode == 0 else None
            if said:
                last = said.stdout.replace(",", " ").split(f"({run.frame} 0 0): ")[1].split()[:3]
                self.assertEqual([float(x) for x in last], run.position[-1, 0].tolist())
            picture = run.film(os.path.join(folder, "strip.svg"))
            self.assertTrue(picture._repr_svg_().startswith("<?xml"))
            with open(os.path.join(folder, "strip.svg"), encoding="utf-8") as file:
                self.assertEqual(file.read(), picture.svg)
            with self.assertRaisesRegex(rigor.Error, "no-such-folder"):
                run.record("/no-such-folder/x.h5")

    def test_notebooks_see_tables(self):
        html = rigor.run("joint_gallery", "naive", time=1)._repr_html_()
        self.assertIn("drift_max", html)
        self.assertIn("warning: joints came apart", html)
        self.assertIn("srcdoc=", rigor.Page("<p>\"x\"</p>")._repr_html_())


class Threads(unittest.TestCase):
    def test_runs_go_on_beside_each_other(self):
        alone = rigor.run("chain", "pgs", time=0.5).position
        found = [None] * 6

        def work(i):
            found[i] = rigor.run("chain", "pgs", time=0.5).position

        threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        self.assertTrue(all(np.array_equal(alone, other) for other in found))

    def test_the_lock_is_given_back(self):
        run = rigor.start(rigor.scene("chain", links=60), "xpbd", substeps=20, time=2, truth=False, keep=False)
        turns, over = [], threading.Event()

        def count():
            while not over.is_set():
                turns.append(time.perf_counter())
                time.sleep(0.001)

        counter = threading.Thread(target=count)
        counter.start()
        run.finish()
        over.set()
        counter.join()
        self.assertGreater(len(turns), 5)

    def test_one_run_has_one_thread_at_a_time(self):
        seen = []

        class Steps(Sweeps):
            def enter(self, step):
                try:
                    run.step()
                except RuntimeError as wrong:
                    seen.append(str(wrong))
                super().enter(step)

        run = rigor.start("pendulum", Steps, time=0.05)
        run.finish()
        self.assertIn("another thread is at work on this run", seen)

    def test_ctrl_c_ends_a_run_and_a_command(self):
        for work in ("rigor.run(rigor.scene('pile', spheres=2000), 'pgs', time=1000, truth=False, keep=False)",
                     "rigor.figure('no', x=1) if 0 else rigor._tables._rigor.command("
                     "['run', 'pile', 'pgs', '-p', 'spheres=2000', '--time', '1000'])"):
            code = f"import rigor\nprint('begun', flush=True)\ntry:\n    {work}\nexcept KeyboardInterrupt:\n    print('ended')"
            child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
            self.assertEqual(child.stdout.readline(), "begun\n")
            time.sleep(1.0)
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.communicate(timeout=60)[0], "ended\n")


class TheHost(unittest.TestCase):
    def test_nothing_is_printed_and_handlers_stay(self):
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGSEGV, signal.SIGPIPE)}
        code = "import rigor; r = rigor.run('stack', 'pgs', time=0.2); r.document; rigor.compare('stack', 'pgs,kkt', time=0.1)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        rigor.run("stack", "pgs", time=0.1)
        self.assertEqual(handlers, {number: signal.getsignal(number) for number in handlers})

    def test_names(self):
        self.assertIn("pendulum", rigor.scenes())
        self.assertIn("xpbd", rigor.solvers())
        self.assertIn("drift_max", rigor.metrics())
        listed = subprocess.run([PROGRAM, "version"], capture_output=True, text=True).stdout
        self.assertIn(rigor.__version__, listed)

    def test_everything_has_a_docstring(self):
        for name in rigor.__all__:
            self.assertTrue(getattr(rigor, name).__doc__, name)
        for name in dir(rigor.Run):
            if not name.startswith("_"):
                self.assertTrue(getattr(rigor.Run, name).__doc__, name)
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(rigor.__file__), "py.typed")))


if __name__ == "__main__":
    unittest.main()
