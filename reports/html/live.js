/* SPDX-License-Identifier: MIT */
/* Figures that answer: a hand over a point is told its run, a name of a curve hides it, a stretch of a panel fills it,
 * and a run that is picked can be copied or played. What is drawn stays gnuplot's: its groups are hidden or stretched. */
const enliven = (() => {
  const REACH = 36; // px of the drawing from a point within which it is meant
  const DRAG = 8; // px that a hand moves before it means a stretch
  const TICS = 6;

  const make = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };
  let space; // the drawings' namespace
  const shape = (name, attributes = {}, ...children) => {
    const element = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const brief = (value) => String(Number(value.toPrecision(4)));
  const SUPERSCRIPT = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

  /* Axes: from a value to a part of the frame, and back. */
  const scale = ({ log }) => (log ? [Math.log, Math.exp] : [(v) => v, (v) => v]);
  function partOf(axis, value) {
    const [f] = scale(axis);
    const part = (f(value) - f(axis.min)) / (f(axis.max) - f(axis.min));
    return axis.reversed ? 1 - part : part;
  }
  function valueAt(axis, part) {
    const [f, back] = scale(axis);
    return back(f(axis.min) + (axis.reversed ? 1 - part : part) * (f(axis.max) - f(axis.min)));
  }
  function place({ frame: [left, top, right, bottom], x, y }, px, py) {
    return [left + partOf(x, px) * (right - left), bottom - partOf(y, py) * (bottom - top)];
  }

  function tics(axis) {
    if (axis.names) return axis.names.map((name, i) => [i, name]);
    const ends = [Math.min(axis.min, axis.max), Math.max(axis.min, axis.max)];
    const inside = (v) => v >= ends[0] && v <= ends[1];
    const decades = Math.log10(ends[1] / ends[0]);
    if (axis.log && decades > 1.5) {
      const step = Math.ceil(decades / TICS), all = [];
      for (let k = Math.ceil(Math.log10(ends[0])); 10 ** k <= ends[1] * 1.000001; k += step)
        all.push([10 ** k, `10${[...String(k)].map((c) => SUPERSCRIPT[c]).join("")}`]);
      return all;
    }
    const few = [1, 2, 5].flatMap((k) => [-2, -1, 0, 1, 2].map((e) => k * 10 ** (Math.floor(Math.log10(ends[0])) + e))).filter(inside);
    if (axis.log && few.length > 2) return few.map((v) => [v, brief(v)]);
    const rough = (ends[1] - ends[0]) / TICS, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough) ?? rough;
    const all = [];
    for (let v = Math.ceil(ends[0] / step) * step; inside(v); v += step) all.push([v, brief(Math.abs(v) < step * 1e-9 ? 0 : v)]);
    return all;
  }

  /* What is typed or written to have a run again. */
  const typed = (settings, flag) => Object.entries(settings ?? {}).map(([name, value]) => ` ${flag} ${name}=${value}`).join("");
  const commandOf = ({ scene, solver, params, options, dt, time }) =>
    `rigor run ${scene} ${solver}${typed(params, "-p")}${typed(options, "-s")}${dt ? ` --dt ${dt}` : ""}${time ? ` --time ${brief(time)}` : ""}`;
  const literal = (value) => (value === "on" || value === "true" ? "True" : value === "off" || value === "false" ? "False" : isNaN(value) ? JSON.stringify(value) : value);
  const named = (settings) => Object.entries(settings ?? {}).map(([name, value]) => `, ${name}=${literal(value)}`).join("");
  const pythonOf = ({ scene, solver, params, options, dt, time }) =>
    `import rigor\n\nscene = rigor.scene(${JSON.stringify(scene)}${named(params)})\nrun = rigor.run(scene, ${JSON.stringify(solver)}${named(options)}${dt ? `, dt=${dt}` : ""}${time ? `, time=${brief(time)}` : ""})\nrun.metrics`;
  const tex = (text) => text.replace(/[\\{}$&#^_%~]/g, (c) => ({ "\\": "\\textbackslash{}", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}" })[c] ?? `\\${c}`);
  const latexOf = ({ name, finding }) =>
    `\\begin{figure}\n  \\centering\n  \\includegraphics[width=\\linewidth]{${name}.pdf}\n  \\caption{${tex(finding)}}\n  \\label{fig:${name}}\n\\end{figure}`;

  /* The playground is on the index; what it cannot run has no way to it. */
  let playable;
  function playOf({ scene, solver, params, options, dt }) {
    playable ??= JSON.parse(expand("playable") || "null") ?? { scenes: [], solvers: [] };
    const frame = dt ? [30, 60, 120, 240].find((n) => Math.abs(dt * n - 1) < 1e-9) : 60;
    if (!frame || !playable.scenes.includes(scene) || !playable.solvers.includes(solver)) return undefined;
    return `index.html#run=${encodeURIComponent(JSON.stringify({ scene, params: params ?? {}, solver, options: options ?? {}, dt: `1/${frame}` }))}`;
  }

  async function copy(button, text) {
    const said = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "copied";
    } catch {
      const area = document.body.appendChild(make("textarea", { value: text }));
      area.select();
      button.textContent = document.execCommand("copy") ? "copied" : "cannot copy";
      area.remove();
    }
    setTimeout(() => (button.textContent = said), 1200);
  }
  const copier = (label, text) => {
    const button = make("button", { type: "button" }, label);
    button.addEventListener("click", () => copy(button, text()));
    return button;
  };

  return (drawing) => {
    const section = drawing.closest("section"), figure = drawing.closest("figure"), svg = drawing.querySelector("svg");
    const live = JSON.parse(expand(`${section.id}-live`) || "null");
    if (!live || !svg) return;
    space = svg.namespaceURI;
    const hidden = new Set();
    const group = (panel, plot) => svg.getElementById(`${live.name}-gnuplot_plot_${plot}${String.fromCharCode(97 + panel)}`);
    const over = shape("g"); // of ours, above gnuplot's
    svg.append(over);
    svg.setAttribute("role", "group");
    const tip = make("div", { className: "told", hidden: true });
    const box = drawing.parentElement;
    box.append(tip);

    /* The point nearest to a place of the drawing, of curves that are shown. */
    const shown = live.panels.map(({ x, y }) => ({ x: { ...x }, y: { ...y } })); // the axes as they are now
    const view = (p) => ({ frame: live.panels[p].frame, ...shown[p] });
    function* points(p) {
      for (const curve of live.panels[p].curves) {
        if (hidden.has(curve.label)) continue;
        for (let i = 0; i < curve.points.length; i += 5) yield { p, curve, i, at: place(view(p), curve.points[i], curve.points[i + 1]) };
      }
    }
    const inFrame = ([left, top, right, bottom], [x, y]) => x >= left - 1 && x <= right + 1 && y >= top - 1 && y <= bottom + 1;
    function nearest(p, place) {
      let best, least = Infinity;
      for (const point of points(p)) {
        const away = Math.hypot(point.at[0] - place[0], point.at[1] - place[1]);
        const reach = point.curve.kind === "map" ? Infinity : REACH;
        if (away < Math.min(least, reach) && inFrame(live.panels[p].frame, point.at)) [best, least] = [point, away];
      }
      return best;
    }

    /* A value with what it is of. */
    const value = (axis, v) => `${axis.label ? `${axis.label} = ` : ""}${axis.names ? (axis.names[Math.round(v)] ?? "") : brief(v)}${axis.unit ? ` ${axis.unit}` : ""}`;
    function lines({ p, curve, i }) {
      const { x, y, z } = live.panels[p], run = live.runs[curve.points[i + 4]];
      const told = [curve.label || live.title, value(x, curve.points[i]), value(y, curve.points[i + 1])];
      if (z && curve.kind === "map") told.push(value(z, curve.points[i + 2]));
      if (!run) return told;
      const settings = Object.entries({ ...run.params, ...run.options }).map(([name, v]) => `${name.replaceAll("_", " ")} ${v}`);
      told.push([`${run.solver} on ${run.scene}`, ...settings].join(", "));
      const cost = [run.row_solves !== undefined && `${brief(run.row_solves)} row solves`, run.us_per_frame !== undefined && `${brief(run.us_per_frame)} µs a frame`];
      if (cost.some(Boolean)) told.push(`cost: ${cost.filter(Boolean).join(", ")}`);
      return told;
    }

    const ring = shape("circle", { r: 8, class: "ring", visibility: "hidden" });
    function tell(point) {
      tip.hidden = !point;
      ring.setAttribute("visibility", point ? "visible" : "hidden");
      if (!point) return;
      ring.setAttribute("cx", point.at[0]);
      ring.setAttribute("cy", point.at[1]);
      const [first, ...rest] = lines(point);
      tip.replaceChildren(make("strong", {}, first), ...rest.map((line) => make("div", {}, line)));
      const ground = box.getBoundingClientRect(), mark = ring.getBoundingClientRect();
      const middle = mark.left + mark.width / 2 - ground.left;
      tip.style.left = `${Math.max(4, Math.min(middle + 14, ground.width - tip.offsetWidth - 4))}px`;
      const below = mark.bottom - ground.top + 8;
      tip.style.top = `${below + tip.offsetHeight < ground.height ? below : Math.max(4, mark.top - ground.top - tip.offsetHeight - 8)}px`;
    }

    /* A point that is picked stays, and its run can be taken along. */
    const card = make("div", { className: "picked", hidden: true });
    card.setAttribute("aria-live", "polite");
    function pick(point) {
      card.hidden = !point;
      if (!point) return;
      const run = live.runs[point.curve.points[point.i + 4]];
      const play = run && playOf(run);
      const ways = run
        ? [
            copier("copy command", () => commandOf(run)),
            copier("copy Python", () => pythonOf(run)),
            play ? make("a", { href: play, className: "play" }, "open in the playground") : make("span", { className: "not" }, "the playground cannot run it"),
          ]
        : [copier("copy command", () => `rigor report ${live.name}`)];
      card.replaceChildren(
        make("p", {}, ...lines(point).flatMap((line, i) => (i ? [" · ", line] : [make("strong", {}, line)]))),
        ...(run ? [make("p", {}, make("code", {}, commandOf(run)))] : []),
        make("p", { className: "ways" }, ...ways),
      );
    }

    /* Panels: pointed at, stretched, and gone through with keys. */
    const fresh = (p) => ({ x: { ...live.panels[p].x }, y: { ...live.panels[p].y } });
    const layers = live.panels.map(() => shape("g"));
    function stretch(p, x, y) {
      Object.assign(shown[p].x, { min: x[0], max: x[1] });
      Object.assign(shown[p].y, { min: y[0], max: y[1] });
      redraw(p);
    }
    function whole(p) {
      shown[p] = fresh(p);
      layers[p].replaceChildren();
      reset.hidden = layers.every((layer) => !layer.firstChild);
      tell();
    }
    function redraw(p) {
      const { frame, curves } = live.panels[p], [left, top, right, bottom] = frame;
      const [wide, high] = [right - left, bottom - top];
      const before = { frame, ...fresh(p) }, now = view(p);
      /* From where gnuplot drew a point to where it is now: the same for all, whether axes are logarithmic or not. */
      const corner = (px, py) => place(now, valueAt(before.x, (px - left) / wide), valueAt(before.y, (bottom - py) / high));
      const [o, e] = [corner(left, bottom), corner(right, top)];
      const [a, d] = [(e[0] - o[0]) / wide, (o[1] - e[1]) / high];
      const map = (px, py) => [o[0] + a * (px - left), o[1] + d * (py - bottom)];
      const window = shape("svg", { x: left, y: top, width: wide, height: high, viewBox: `${left} ${top} ${wide} ${high}`, class: "zoomed" });
      for (let plot = 1, one = group(p, 1); one; one = group(p, ++plot)) {
        if (one.style.display === "none") continue;
        const twin = one.cloneNode(true);
        twin.removeAttribute("id");
        for (const mark of twin.querySelectorAll("use")) {
          const [, px, py, more] = /translate\(([-\d.]+),([-\d.]+)\)(.*)/.exec(mark.getAttribute("transform")) ?? [];
          if (more !== undefined) mark.setAttribute("transform", `translate(${map(Number(px), Number(py))})${more}`);
        }
        for (const line of twin.querySelectorAll("path, polygon")) {
          const of = line.tagName === "path" ? "d" : "points";
          line.setAttribute(of, line.getAttribute(of).replace(/(-?[\d.]+),(-?[\d.]+)/g, (_, px, py) => map(Number(px), Number(py)).join()));
        }
        window.append(twin);
      }
      const cover = (x, y, w, h) => shape("rect", { x, y, width: w, height: h, class: "ground" });
      const grid = [], numbers = [], room = shape("g", { class: "tics" });
      for (const [v, text] of tics(now.x)) {
        const [x] = place(now, v, now.y.min);
        if (x < left || x > right) continue;
        grid.push(shape("path", { d: `M${x},${top}V${bottom}`, class: "grid" }));
        numbers.push(shape("text", { x, y: bottom + 31, "text-anchor": "middle" }, text));
      }
      for (const [v, text] of tics(now.y)) {
        const [, y] = place(now, now.x.min, v);
        if (y < top || y > bottom) continue;
        grid.push(shape("path", { d: `M${left},${y}H${right}`, class: "grid" }));
        numbers.push(shape("text", { x: left - 12, y: y + 5, "text-anchor": "end" }, text));
      }
      const names = curves.some(({ kind }) => kind === "map" || kind === "bars");
      room.append(cover(left, top, wide, high), ...(names ? [] : [cover(left - 62, top - 8, 61, high + 16), cover(left - 8, bottom + 1, wide + 16, 35), ...grid, ...numbers]));
      layers[p].replaceChildren(room, window);
      reset.hidden = false;
    }

    const inSvg = (event) => {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      return [at.x, at.y];
    };
    const band = shape("rect", { class: "stretch", visibility: "hidden" });
    let begun;
    function panel(p) {
      const [left, top, right, bottom] = live.panels[p].frame;
      const ground = shape("rect", { x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top), class: "hit", tabindex: 0, role: "application" });
      ground.setAttribute("aria-label", `${live.panels[p].title || live.title}: arrows go from point to point, plus and minus zoom, Enter keeps a point`);
      let current;
      const go = (point) => tell((current = point));
      ground.addEventListener("pointermove", (event) => {
        const at = inSvg(event);
        if (begun && Math.hypot(at[0] - begun[0], at[1] - begun[1]) > DRAG) {
          tell();
          const [x, y] = [0, 1].map((k) => Math.min(at[k], begun[k])), [w, h] = [0, 1].map((k) => Math.abs(at[k] - begun[k]));
          for (const [key, v] of Object.entries({ x, y, width: w, height: h, visibility: "visible" })) band.setAttribute(key, v);
        } else go(nearest(p, at));
      });
      ground.addEventListener("pointerleave", () => begun || tell());
      ground.addEventListener("pointerdown", (event) => {
        if (event.button || event.pointerType === "touch") return;
        begun = inSvg(event);
        ground.setPointerCapture(event.pointerId);
      });
      ground.addEventListener("pointerup", (event) => {
        const from = begun, to = inSvg(event);
        begun = undefined;
        band.setAttribute("visibility", "hidden");
        if (!from || Math.abs(to[0] - from[0]) < DRAG || Math.abs(to[1] - from[1]) < DRAG) return pick(nearest(p, to));
        const part = (k, v) => Math.min(1, Math.max(0, k ? (bottom - v) / (bottom - top) : (v - left) / (right - left)));
        const range = (axis, k) => [valueAt(axis, part(k, from[k])), valueAt(axis, part(k, to[k]))].sort((a, b) => a - b);
        stretch(p, range(shown[p].x, 0), range(shown[p].y, 1));
      });
      ground.addEventListener("dblclick", () => whole(p));
      ground.addEventListener("blur", () => tell());
      const zoom = (by) => {
        const about = current?.at ?? [(left + right) / 2, (top + bottom) / 2];
        const ends = (axis, part) => [part - part * by, part + (1 - part) * by].map((q) => valueAt(axis, q)).sort((a, b) => a - b);
        stretch(p, ends(shown[p].x, (about[0] - left) / (right - left)), ends(shown[p].y, (bottom - about[1]) / (bottom - top)));
        if (current) go({ ...current, at: place(view(p), current.curve.points[current.i], current.curve.points[current.i + 1]) });
      };
      ground.addEventListener("keydown", (event) => {
        const all = [...points(p)], at = all.findIndex(({ curve, i }) => curve === current?.curve && i === current.i);
        const other = (by) => {
          const curves = [...new Set(all.map(({ curve }) => curve))];
          const next = curves[(curves.indexOf(current?.curve) + by + curves.length) % curves.length];
          const x = current?.at[0] ?? left;
          return all.filter(({ curve }) => curve === next).reduce((best, one) => (best && Math.abs(best.at[0] - x) <= Math.abs(one.at[0] - x) ? best : one), undefined);
        };
        const actions = {
          ArrowRight: () => go(all[Math.min(at + 1, all.length - 1)]),
          ArrowLeft: () => go(all[Math.max(at - 1, 0)]),
          ArrowUp: () => go(other(-1)),
          ArrowDown: () => go(other(1)),
          Enter: () => pick(current),
          "+": () => zoom(0.5),
          "-": () => zoom(2),
          0: () => whole(p),
        };
        if (event.ctrlKey || event.metaKey || !actions[event.key]) return;
        event.preventDefault();
        actions[event.key]();
      });
      return ground;
    }

    /* A name hides its curve, in every panel that has it. */
    function toggle(label, button) {
      const off = !hidden.delete(label);
      if (off) hidden.add(label);
      for (const [p, { curves }] of live.panels.entries())
        for (const curve of curves)
          if (curve.label === label || curve.label === `${label} `)
            for (const plot of curve.plots) group(p, plot)?.style.setProperty("display", off ? "none" : "");
      if (off) hidden.add(`${label} `);
      else hidden.delete(`${label} `);
      for (const one of over.querySelectorAll(".name")) if (one.dataset.label === label) one.setAttribute("aria-pressed", String(!off));
      live.panels.forEach((_, p) => layers[p].firstChild && redraw(p));
      button.focus();
    }
    const names = live.panels.flatMap(({ names }) =>
      names.map(([label, x, y, width]) => {
        const button = shape("g", { class: "name", role: "button", tabindex: 0, "aria-pressed": "true", "aria-label": `${label}: shown` });
        button.dataset.label = label;
        button.append(shape("rect", { x: x - 3, y: y - 11, width: Math.max(0, width + 6), height: 22 }));
        button.addEventListener("click", () => toggle(label, button));
        button.addEventListener("keydown", (event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          toggle(label, button);
        });
        return button;
      }),
    );

    /* Below the drawing: what can be taken along of the whole figure. */
    const reset = make("button", { type: "button", hidden: true }, "whole axes");
    reset.addEventListener("click", () => live.panels.forEach((_, p) => whole(p)));
    const enlarge = make("button", { type: "button", className: "enlarge" }, "enlarge");
    enlarge.addEventListener("click", () => (enlarge.textContent = figure.classList.toggle("large") ? "as it was" : "enlarge"));
    const tools = make("p", { className: "tools" }, enlarge, reset,
      copier("copy command", () => `rigor report ${live.name}`),
      copier("copy Python", () => `import rigor\n\nrigor.figure(${JSON.stringify(live.name)})`),
      copier("copy LaTeX", () => latexOf(live)),
      copier("copy citation", () => expand("citation")));
    over.append(...layers, ...live.panels.map((_, p) => panel(p)), ...names, band, ring);
    box.after(tools, card);
  };
})();
