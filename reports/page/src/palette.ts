/* SPDX-License-Identifier: MIT */
/* Each solver's one look, from the file that the figures use too. */
import palette from "../../palette.json";

export interface Look {
  colour: string;
  dark?: string;
  dash: number[];
}

const SOLVERS: Record<string, Look | undefined> = palette.solvers;

export const SELECTION = palette.selection.colour;
export const CONTACT = palette.contact.colour;

export function errorColour(): string {
  return isDark() ? palette.error.dark : palette.error.colour;
}

export function isDark(): boolean {
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/* A solver that the palette does not know has a fallback, the same one everywhere on the page. */
export function lookOf(solver: string): Look {
  const known = SOLVERS[solver];
  if (known) return known;
  let sum = 0;
  for (const letter of solver) sum += letter.charCodeAt(0);
  return palette.fallbacks[sum % palette.fallbacks.length] as Look;
}

/* `sibling` counts earlier runs of the same solver: they differ in lightness, and in their dash. */
export function colourOf(solver: string, sibling = 0): string {
  const look = lookOf(solver);
  const base = isDark() ? (look.dark ?? look.colour) : look.colour;
  return sibling === 0 ? base : mix(base, isDark() ? "#ffffff" : "#000000", Math.min(0.35 * sibling, 0.7));
}

export function dashOf(solver: string, sibling = 0): number[] {
  return sibling === 0 ? lookOf(solver).dash : [2 + 2 * sibling, 2 * sibling];
}

function mix(a: string, b: string, share: number): string {
  const channel = (text: string, at: number) => parseInt(text.slice(at, at + 2), 16);
  const blend = (at: number) =>
    Math.round(channel(a, at) * (1 - share) + channel(b, at) * share)
      .toString(16)
      .padStart(2, "0");
  return `#${blend(1)}${blend(3)}${blend(5)}`;
}

/* From little to much error: none of a solver, nor what is selected. */
export const HEAT = ["#2d3a74", "#b5367a", "#fc9a5f"] as const;

export function heatColour(share: number): string {
  const at = 2 * Math.min(Math.max(share || 0, 0), 1);
  return at < 1 ? mix(HEAT[0], HEAT[1], at) : mix(HEAT[1], HEAT[2], at - 1);
}
