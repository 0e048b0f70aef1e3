/* SPDX-License-Identifier: MIT */
/* The report's own script. Drawings, tables, recordings and the viewer lie in the page as inert, compressed parts, and
 * each becomes elements when it comes near the window, is opened, or is printed. */
/* 13 bits are two of 91 letters, from '#' to '~' without '<'. */
function bytesOf(text) {
  const digit = (at) => text.charCodeAt(at) - 35 - (text.charCodeAt(at) > 60);
  const bytes = new Uint8Array((text.length / 2) * 13 >> 3);
  let bits = 0, held = 0, count = 0;
  for (let i = 0; i < text.length; i += 2) {
    bits |= (digit(i) + 91 * digit(i + 1)) << held;
    for (held += 13; held >= 8; held -= 8, bits >>>= 8) bytes[count++] = bits;
  }
  return bytes;
}

function expand(id) {
  const part = document.querySelector(`script[type="application/x-rigor-part"][id="${CSS.escape(id)}"]`);
  if (!part) return ""; // no other element of this id: its text could be somebody's markup
  return new TextDecoder().decode(inflate(bytesOf(part.textContent), Number(part.dataset.size)));
}
window.rigorExpand = expand; // the viewer reads its recordings with it

function fill(place) {
  if (!place.dataset.part) return;
  place.innerHTML = expand(place.dataset.part);
  delete place.dataset.part;
}

/* A drawing is the text of its `noscript` until it is seen. */
function draw(place) {
  if (place.dataset.drawing === undefined) return;
  place.innerHTML = place.querySelector("noscript").textContent;
  delete place.dataset.drawing;
  enliven(place);
}

const narrow = matchMedia("(max-width: 70rem)");
const places = () => document.querySelectorAll("[data-part], [data-drawing]");
const show = (place) => (place.dataset.part ? fill(place) : draw(place));

/* Somewhat before it is seen. */
const near = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      if (target.matches(".rigor-viewer, .rigor-playground")) startViewers();
      else show(target);
    }
  },
  { rootMargin: "60% 0%" },
);
for (const place of places()) if (!place.closest("details")) near.observe(place);
for (const details of document.querySelectorAll("details"))
  details.addEventListener("toggle", () => details.open && details.querySelectorAll("[data-part]").forEach(fill));

/* What runs waits until the page has been painted. */
const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
painted().then(() => {
  for (const place of document.querySelectorAll(".rigor-viewer, .rigor-playground")) near.observe(place);
});

/* The policy knows the viewer's script by its hash. */
let viewersStarted = false;
function startViewers() {
  if (viewersStarted) return;
  viewersStarted = true;
  const script = document.createElement("script");
  script.textContent = expand("viewer-script");
  document.body.append(script);
}

addEventListener("beforeprint", () => {
  for (const place of places()) if (!place.closest("details:not([open])")) show(place);
  if (document.querySelector(".rigor-viewer")) startViewers();
  window.rigorStills?.();
});

addEventListener("keydown", ({ key }) => {
  if (key !== "Escape") return;
  for (const button of document.querySelectorAll("figure.large .enlarge")) button.click();
  if (card) showRun("");
});

/* Contents: beside the text where there is room, else folded above it; they say where the reader is. */
const contents = document.querySelector("nav.contents details");
const fold = () => contents && (contents.open = !narrow.matches);
narrow.addEventListener("change", fold);
fold();
contents?.addEventListener("click", ({ target }) => narrow.matches && target.closest("a") && (contents.open = false));
const links = [...document.querySelectorAll("nav.contents a, #find a")];
const entries = new Map(links.filter((a) => a.hash && a.pathname === location.pathname).map((a) => [a.hash.slice(1), a]));
const visible = new Set();
const watch = new IntersectionObserver(
  (seen) => {
    for (const { isIntersecting, target } of seen) visible[isIntersecting ? "add" : "delete"](target);
    const first = [...sections].find((section) => visible.has(section));
    for (const [id, a] of entries) {
      if (id !== first?.id) a.removeAttribute("aria-current");
      else if (!a.hasAttribute("aria-current")) {
        a.setAttribute("aria-current", "location");
        if (!narrow.matches) a.scrollIntoView({ block: "nearest" });
      }
    }
  },
  { rootMargin: "-10% 0% -60% 0%" },
);
const sections = [...document.querySelectorAll("main section[id]")].filter(({ id }) => entries.has(id));
for (const section of sections) watch.observe(section);

/* An address of a figure on the index leads to the page that has it. */
const moved = location.hash && !document.getElementById(nameOf(location.hash.slice(1))) && links.find((a) => a.hash === location.hash);
if (moved) location.replace(moved.href);

/* The list of all figures shows those that have every word. */
const finder = document.querySelector(".finder");
if (finder) {
  finder.hidden = false;
  const [input, output] = [finder.querySelector("input"), finder.querySelector("output")];
  const all = [...document.querySelectorAll(".found li")].map((li) => [li, `${li.dataset.words} ${li.textContent}`.toLowerCase()]);
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const [li, text] of all) li.hidden = !words.every((word) => text.includes(word));
    for (const group of document.querySelectorAll(".found")) group.hidden = !group.querySelector("li:not([hidden])");
    output.textContent = words.length ? `${all.filter(([li]) => !li.hidden).length} of ${all.length}` : "";
  });
}

/* The overview: a cell leads to its run, whose numbers and command stand below the table. */
const card = document.querySelector(".run");
let runs;
const RUN = /^#run-(.+)-on-(.+)$/;

/* A link that is cut within a character names nothing. */
function nameOf(hash) {
  try {
    return decodeURIComponent(hash);
  } catch {
    return "";
  }
}

function showRun(hash) {
  const [, solver, scene] = RUN.exec(nameOf(hash)) ?? [];
  for (const cell of document.querySelectorAll(".verdicts [aria-current]")) cell.removeAttribute("aria-current");
  if (card) card.hidden = !scene;
  if (!scene || !card) return;
  runs ??= JSON.parse(expand("overview-runs"));
  const run = runs.find((one) => one.solver === solver && one.scene === scene);
  card.hidden = !run;
  if (!run) return;
  const line = (term, text) => [Object.assign(document.createElement("dt"), { textContent: term }), Object.assign(document.createElement("dd"), { textContent: text })];
  card.querySelector("h3").textContent = `${solver} on ${scene}: ${run.verdict}`;
  card.querySelector("dl").replaceChildren(...run.facts.flatMap(([term, text]) => line(term, text)));
  card.querySelector("code").textContent = run.command;
  const see = card.querySelector(".see-run");
  see.hidden = !run.see;
  if (run.see) see.querySelector("a").href = run.see;
  const cell = [...document.querySelectorAll(".verdicts a")].find((a) => nameOf(a.hash) === nameOf(hash));
  cell?.setAttribute("aria-current", "true");
  card.scrollIntoView({ block: "nearest" });
}
addEventListener("hashchange", () => showRun(location.hash));
if (RUN.test(location.hash)) showRun(location.hash);
