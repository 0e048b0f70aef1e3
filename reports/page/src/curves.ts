/* SPDX-License-Identifier: MIT */
/* Curves against time (uPlot): one plot, a line a run, a cursor tied to the time line, the values at it in the legend. */
import uPlot from "uplot";
import { brief, h } from "./dom";
import { isDark } from "./palette";

export interface Line {
  label: string;
  colour: string;
  dash: number[];
}

const HEIGHT = 150;

export class Curves {
  readonly element: HTMLElement;
  private plot: uPlot | undefined;
  private holder = h("div", {
    class: "rg-plot",
    role: "img",
    "aria-label": "curves against time; their values are in the legend",
  });
  private values: HTMLElement[] = [];
  private data: uPlot.AlignedData = [[]];
  private lines: Line[] = [];
  private wanted = false; // a logarithmic axis
  private logarithmic = false; // and there are values for one
  private time = 0;

  constructor(
    heading: HTMLElement,
    private seek: (t: number) => void,
  ) {
    this.legend = h("div", { class: "rg-legend" });
    this.element = h("section", { class: "rg-curves" }, heading, this.legend, this.holder);
    this.watch.observe(this.holder);
  }
  private legend: HTMLElement;
  private watch = new ResizeObserver(() =>
    this.plot?.setSize({ width: this.holder.clientWidth, height: HEIGHT }),
  );

  dispose(): void {
    this.watch.disconnect();
    this.plot?.destroy();
    this.plot = undefined;
  }

  /* `tables` has [time, values] of each line. */
  show(lines: Line[], tables: uPlot.AlignedData[], logarithmic: boolean): void {
    this.lines = lines;
    const joined: uPlot.AlignedData = tables.length > 1 ? uPlot.join(tables) : (tables[0] ?? [[]]);
    this.wanted = logarithmic;
    this.logarithmic = logarithmic && hasPositive(joined);
    this.data = this.clean(joined);
    this.build();
  }

  /* New values of the lines there are: for a plot that grows. */
  update(tables: uPlot.AlignedData[]): void {
    const joined: uPlot.AlignedData = tables.length > 1 ? uPlot.join(tables) : (tables[0] ?? [[]]);
    const stale = this.wanted && !this.logarithmic && hasPositive(joined);
    this.logarithmic = this.logarithmic || stale;
    this.data = this.clean(joined);
    if (stale || !this.plot) this.build();
    else this.plot.setData(this.data);
    this.setTime(this.time);
  }

  /* A logarithm has no place for zero, nor a line for what is not finite. */
  private clean(data: uPlot.AlignedData): uPlot.AlignedData {
    const keep = (y: number | null | undefined) =>
      y === null || y === undefined || !Number.isFinite(y) || (this.logarithmic && y <= 0) ? null : y;
    const [x, ...lines] = data;
    return [x, ...lines.map((line) => Array.from(line as ArrayLike<number | null>, keep))] as uPlot.AlignedData;
  }

  private build(): void {
    this.plot?.destroy();
    this.plot = undefined;
    this.values = this.lines.map(() => h("output", {}));
    this.legend.replaceChildren(
      ...this.lines.map((line, i) =>
        h("span", { class: "rg-entry" }, stroke(line), line.label, this.values[i] as Node),
      ),
    );
    if (this.data[0].length === 0) return; // uPlot has no axes for nothing
    const ink = isDark() ? "#aab2bd" : "#5b6470";
    const grid = { stroke: isDark() ? "#2a313b" : "#e8eaee", width: 1 };
    const axis = { stroke: ink, grid, ticks: grid, font: "11px system-ui, sans-serif" };
    this.plot = new uPlot(
      {
        width: Math.max(this.holder.clientWidth, 200),
        height: HEIGHT,
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
        scales: { x: { time: false }, y: this.logarithmic ? { distr: 3, range: logRange } : { range: plainRange } },
        axes: [
          { ...axis, size: 30, values: (_, ticks) => ticks.map((t) => `${brief(t)} s`) },
          {
            ...axis,
            size: 58,
            grid: this.logarithmic ? { ...grid, filter: decadesOnly } : grid,
            ticks: { show: false },
            values: (_, ticks) => ticks.map((y) => (y === null ? "" : this.logarithmic ? decade(y) : brief(y))),
          },
        ],
        series: [
          {},
          ...this.lines.map((line) => ({
            label: line.label,
            stroke: line.colour,
            width: 1.8,
            dash: line.dash,
            spanGaps: true,
            pxAlign: 0,
            points: { show: false },
          })),
        ],
        hooks: { draw: [(plot) => this.drawTime(plot)] },
      },
      this.data,
      this.holder,
    );
    this.plot.over.addEventListener("pointerdown", (event) => this.seek(this.plot?.posToVal(event.offsetX, "x") ?? 0));
    this.plot.over.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) this.seek(this.plot?.posToVal(event.offsetX, "x") ?? 0);
    });
    this.setTime(this.time);
  }

  setTime(t: number): void {
    this.time = t;
    const x = this.data[0] as ArrayLike<number>;
    let at = x.length - 1;
    while (at > 0 && (x[at] ?? 0) > t + 1e-9) at--;
    this.values.forEach((output, i) => {
      const line = this.data[i + 1] as (number | null)[] | undefined;
      let k = at;
      while (line && k > 0 && (line[k] ?? null) === null) k--;
      output.textContent = line ? brief(line[k] ?? NaN) : "";
    });
    this.plot?.redraw(false);
  }

  private drawTime(plot: uPlot): void {
    const x = Math.round(plot.valToPos(this.time, "x", true));
    if (!Number.isFinite(x) || x < plot.bbox.left || x > plot.bbox.left + plot.bbox.width) return;
    plot.ctx.save();
    plot.ctx.setLineDash([]);
    plot.ctx.strokeStyle = isDark() ? "#e6e9ee" : "#20262e";
    plot.ctx.lineWidth = Math.max(1, devicePixelRatio);
    plot.ctx.beginPath();
    plot.ctx.moveTo(x, plot.bbox.top);
    plot.ctx.lineTo(x, plot.bbox.top + plot.bbox.height);
    plot.ctx.stroke();
    plot.ctx.restore();
  }
}

/* A logarithmic axis ends this far below its top: what is smaller is round-off. */
const DECADES = 8;

function logRange(_: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax {
  if (min === null || max === null) return [1e-3, 1];
  return uPlot.rangeLog(Math.max(min, max * 10 ** -DECADES), max, 10, true);
}

function plainRange(_: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax {
  if (min === null || max === null) return [0, 1];
  return min === max ? [min - (Math.abs(min) || 1), max + (Math.abs(max) || 1)] : uPlot.rangeNum(min, max, 0.1, true);
}

function hasPositive(data: uPlot.AlignedData): boolean {
  return data.slice(1).some((line) => Array.from(line as ArrayLike<number | null>).some((y) => y !== null && y > 0));
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function isDecade(y: number): boolean {
  return Math.abs(Math.log10(y) - Math.round(Math.log10(y))) < 1e-6;
}

function decadesOnly(_: uPlot, ticks: number[]): (number | null)[] {
  return ticks.map((y) => (isDecade(y) ? y : null));
}

/* 10⁻³; what is no power of ten has no label. */
function decade(y: number): string {
  if (!isDecade(y)) return "";
  const power = Math.log10(y);
  const digits = [...String(Math.abs(Math.round(power)))].map((digit) => SUPERSCRIPTS[Number(digit)]).join("");
  return `10${power < -0.5 ? "⁻" : ""}${digits}`;
}

/* A short piece of the line as it is drawn. */
function stroke(line: Line): SVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "rg-stroke");
  svg.setAttribute("viewBox", "0 0 28 8");
  svg.setAttribute("aria-hidden", "true");
  svg.innerHTML = `<line x1="0" y1="4" x2="28" y2="4" stroke="${line.colour}" stroke-width="2.5" stroke-dasharray="${line.dash.join(" ")}"/>`;
  return svg;
}
