/* SPDX-License-Identifier: MIT */
/* The 3D view: one canvas cut into panes that share a camera; orbit, follow, pick, drag. Draws only when told to. */
import {
  AmbientLight,
  Box3,
  Color,
  DirectionalLight,
  Fog,
  GridHelper,
  HemisphereLight,
  Mesh,
  PerspectiveCamera,
  Plane,
  PlaneGeometry,
  Quaternion,
  Raycaster,
  Scene,
  ShadowMaterial,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { h } from "./dom";
import { isDark } from "./palette";
import { type SceneFile, shapesOf, type Triple } from "./scene_file";
import type { Stage } from "./stage";

export interface Pane {
  chips: { label: string; colour: string }[];
  stages: Stage[];
}

export interface ViewportEvents {
  pick(pane: number, body: number): void;
  /* A pointer went down on a body: true takes it, and drag() follows until drop(). */
  grab?(pane: number, body: number, at: Vector3): boolean;
  drag?(at: Vector3): void;
  drop?(): void;
}

/* rad, and the direction from which a scene is first seen: nearly along -z, since most scenes live in the x-y plane. */
const FIELD_OF_VIEW = 30;
const FIRST_VIEW = new Vector3(0.32, 0.2, 1).normalize();

/* ms between pictures: slower than SLOW is too slow, longer than PAUSE nothing was moving. So many in a row count. */
const SLOW = 80;
const PAUSE = 1000;
const PATIENCE = 6;

/* px; a pointer that moved less has clicked. */
const CLICK_SLACK = 5;

export class Viewport {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  private labels = h("div", { class: "rg-labels" });
  private renderer: WebGLRenderer;
  private scene = new Scene();
  private camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 1000);
  private controls: OrbitControls;
  private sun = new DirectionalLight("#ffffff", 1.9);
  private floor: (GridHelper | Mesh)[] = [];
  private panes: Pane[] = [];
  private followed: { stage: Stage; body: number; at: Vector3 } | undefined;
  private dirty = true;
  private drawn = 0; // ms
  private slowInRow = 0;
  private down: { x: number; y: number } | undefined;
  private dragPlane: { plane: Plane; pane: number } | undefined;
  private watch = new ResizeObserver(() => this.resize());
  private bounds = new Box3(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));

  constructor(private events: ViewportEvents) {
    this.canvas = h("canvas", {
      class: "rg-canvas",
      tabindex: 0,
      role: "img",
      "aria-label": "3D view. W A S D turn the camera, plus and minus zoom, brackets select a body.",
    });
    this.element = h("div", { class: "rg-viewport" }, this.canvas, this.labels);
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.autoClear = false;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 3;
    this.scene.add(
      new AmbientLight("#ffffff", 1.3),
      new HemisphereLight("#ffffff", "#9aa0a8", 1.2),
      this.sun,
      this.sun.target,
    );
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => this.redraw());
    this.listen();
    this.watch.observe(this.element);
  }

  /* Gives the 3D context back. */
  dispose(): void {
    this.watch.disconnect();
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  /* Takes the panes' stages into the scene; the old ones leave it. */
  show(panes: Pane[]): void {
    for (const pane of this.panes) for (const stage of pane.stages) this.scene.remove(stage.group);
    this.panes = panes;
    for (const pane of panes) for (const stage of pane.stages) this.scene.add(stage.group);
    this.labels.replaceChildren(...panes.map((pane) => this.label(pane)));
    this.resize();
  }

  private label(pane: Pane): HTMLElement {
    const chips = pane.chips.map(({ label, colour }) =>
      h("span", { class: "rg-chip" }, h("span", { class: "rg-swatch", style: `background:${colour}` }), label),
    );
    return h("div", { class: "rg-label" }, ...chips, h("span", { class: "rg-note" }));
  }

  setNote(pane: number, note: string, alarm = false): void {
    const element = this.labels.children[pane]?.querySelector(".rg-note");
    if (!element) return;
    if (element.textContent !== note) element.textContent = note;
    element.classList.toggle("rg-alarm", alarm);
  }

  /* Puts the camera so that the whole box is seen, and the floor below it or where the scene's planes are. */
  fit(bounds: Box3, scene: SceneFile): void {
    this.bounds = bounds.clone();
    this.layFloor(scene);
    this.look();
  }

  private look(): void {
    const centre = this.bounds.getCenter(new Vector3());
    const size = this.bounds.getSize(new Vector3());
    const [columns, rows] = this.layout();
    const aspect = this.element.clientWidth / columns / Math.max(this.element.clientHeight / rows, 1) || 1;
    const tangent = Math.tan((FIELD_OF_VIEW * Math.PI) / 360);
    const distance = Math.max(size.y / 2 + size.z / 10, (size.x / 2 + size.z / 6) / aspect) / tangent + size.z / 2;
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(FIRST_VIEW, 1.05 * distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 60;
    this.camera.updateProjectionMatrix();
    const reach = size.length() * 0.75;
    this.sun.target.position.copy(centre);
    this.sun.position.copy(centre).add(new Vector3(-0.45, 1, 0.55).multiplyScalar(reach * 1.6));
    Object.assign(this.sun.shadow.camera, {
      left: -reach,
      right: reach,
      top: reach,
      bottom: -reach,
      near: reach * 0.1,
      far: reach * 5,
    });
    this.sun.shadow.normalBias = 0.004 * reach;
    this.sun.shadow.camera.updateProjectionMatrix();
    this.scene.fog = new Fog(this.ground(), 1.15 * distance + size.length(), 1.15 * distance + 2.6 * size.length());
    this.controls.update();
    this.redraw();
  }

  reset(): void {
    this.look();
  }

  private layFloor(scene: SceneFile): void {
    this.scene.remove(...this.floor);
    const size = this.bounds.getSize(new Vector3()).length();
    const centre = this.bounds.getCenter(new Vector3());
    const upward = (normal: Triple = [0, 1, 0]) => normal[1] > 0.3 * Math.hypot(...normal); // walls would hide the scene
    const planes = scene.bodies.flatMap((body) =>
      shapesOf(body).flatMap(({ plane, position = [0, 0, 0] }) => {
        const [x, y, z] = body.position ?? [0, 0, 0];
        const at: Triple = [x + position[0], y + position[1], z + position[2]];
        return plane && upward(plane.normal) ? [{ plane, at }] : [];
      }),
    );
    const cell =
      [1, 2, 5, 10].map((x) => x * 10 ** Math.floor(Math.log10(size / 8))).find((x) => x >= size / 8) ?? size / 8;
    const lay = (normal: Vector3, point: Vector3) => {
      const count = 4 * Math.ceil(size / cell);
      const grid = new GridHelper(
        count * cell,
        count,
        isDark() ? "#3d4654" : "#c9ced6",
        isDark() ? "#2a313b" : "#e3e6ea",
      );
      const shade = new Mesh(
        new PlaneGeometry(count * cell, count * cell).rotateX(-Math.PI / 2),
        new ShadowMaterial({ opacity: isDark() ? 0.35 : 0.16 }),
      );
      shade.receiveShadow = true;
      for (const object of [grid, shade]) {
        object.position.copy(point);
        object.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), normal));
        this.floor.push(object);
      }
      grid.position.addScaledVector(normal, -1e-3 * size);
    };
    this.floor = [];
    for (const { plane, at } of planes.slice(0, 6)) {
      const normal = new Vector3(...(plane.normal ?? [0, 1, 0])).normalize();
      const away = normal.dot(centre.clone().sub(new Vector3(...at))) - (plane.offset ?? 0);
      lay(normal, centre.clone().addScaledVector(normal, -away));
    }
    if (planes.length === 0) {
      const snap = (x: number) => Math.round(x / cell) * cell;
      lay(new Vector3(0, 1, 0), new Vector3(snap(centre.x), this.bounds.min.y - 0.02 * size, snap(centre.z)));
    }
    this.scene.add(...this.floor);
  }

  follow(stage: Stage | undefined, body: number): void {
    this.followed = stage && { stage, body, at: stage.positionOf(body, new Vector3()) };
  }

  redraw(): void {
    this.dirty = true;
  }

  /* Where pictures come too slowly, one after the other, shadows go, then the finer pixels. */
  private keepUp(now: number): void {
    const slow = now - this.drawn > SLOW && now - this.drawn < PAUSE;
    this.drawn = now;
    this.slowInRow = slow ? this.slowInRow + 1 : 0;
    if (this.slowInRow < PATIENCE) return;
    this.slowInRow = 0;
    if (this.sun.castShadow) this.sun.castShadow = false;
    else this.renderer.setPixelRatio(1);
    this.resize();
  }

  /* Called once an animation frame. */
  draw(): void {
    this.trackFollowed();
    if (!this.dirty) return;
    this.keepUp(performance.now());
    this.dirty = false;
    const [columns, rows] = this.layout();
    const [width, height] = [this.element.clientWidth / columns, this.element.clientHeight / rows];
    this.renderer.setClearColor(this.ground());
    this.renderer.setScissorTest(false);
    this.renderer.clear();
    this.renderer.setScissorTest(true);
    this.panes.forEach((pane, index) => {
      const [column, row] = [index % columns, Math.floor(index / columns)];
      const bottom = this.element.clientHeight - (row + 1) * height;
      this.renderer.setViewport(column * width, bottom, width, height);
      this.renderer.setScissor(column * width, bottom, width, height);
      this.renderer.clearDepth();
      for (const other of this.panes) for (const stage of other.stages) stage.group.visible = other === pane;
      this.renderer.render(this.scene, this.camera);
    });
  }

  private ground(): Color {
    return new Color(isDark() ? "#171b21" : "#ffffff");
  }

  private trackFollowed(): void {
    if (!this.followed) return;
    const { stage, body, at } = this.followed;
    const now = stage.positionOf(body, new Vector3());
    const moved = now.clone().sub(at);
    if (moved.lengthSq() === 0 || !Number.isFinite(moved.lengthSq())) return;
    this.controls.target.add(moved);
    this.camera.position.add(moved);
    at.copy(now);
    this.redraw();
  }

  /* Columns and rows of panes: wide rather than high, unless the element is high. */
  private layout(): [number, number] {
    const count = Math.max(this.panes.length, 1);
    const wide = this.element.clientWidth >= this.element.clientHeight;
    const columns = count <= 3 ? (wide ? count : 1) : Math.ceil(Math.sqrt(count));
    return [columns, Math.ceil(count / columns)];
  }

  private resize(): void {
    const [width, height] = [this.element.clientWidth, this.element.clientHeight];
    if (width === 0 || height === 0) return;
    const [columns, rows] = this.layout();
    this.labels.style.gridTemplate = `repeat(${rows}, 1fr) / repeat(${columns}, 1fr)`;
    [...this.labels.children].forEach((label, i) => label.classList.toggle("rg-beside", i % columns > 0));
    [...this.labels.children].forEach((label, i) => label.classList.toggle("rg-below", i >= columns));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / columns / (height / rows);
    this.camera.updateProjectionMatrix();
    this.redraw();
  }

  private rayAt(event: PointerEvent, pane?: number): { ray: Raycaster; pane: number } {
    const box = this.canvas.getBoundingClientRect();
    const [columns, rows] = this.layout();
    const [width, height] = [box.width / columns, box.height / rows];
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const index =
      pane ?? Math.min(columns - 1, Math.floor(x / width)) + columns * Math.min(rows - 1, Math.floor(y / height));
    const [column, row] = [index % columns, Math.floor(index / columns)];
    const ray = new Raycaster();
    ray.setFromCamera(
      new Vector2(((x - column * width) / width) * 2 - 1, 1 - ((y - row * height) / height) * 2),
      this.camera,
    );
    return { ray, pane: index };
  }

  private pickAt(event: PointerEvent): { pane: number; body: number; at: Vector3 } | undefined {
    const { ray, pane } = this.rayAt(event);
    const hits = (this.panes[pane]?.stages ?? []).flatMap((stage) => stage.pick(ray) ?? []);
    const best = hits.sort((a, b) => a.hit.distance - b.hit.distance)[0];
    return best && { pane, body: best.body, at: best.hit.point };
  }

  private listen(): void {
    const canvas = this.canvas;
    /* Before OrbitControls' own listener: what is grabbed does not turn the camera. */
    this.element.addEventListener("pointerdown", (event) => this.pointerDown(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => {
      if (this.dragPlane) this.dragTo(event);
    });
    canvas.addEventListener("pointerup", (event) => this.pointerUp(event));
    canvas.addEventListener("pointercancel", () => this.endDrag());
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  private pointerDown(event: PointerEvent): void {
    if (event.target !== this.canvas || event.button !== 0) return;
    this.down = { x: event.clientX, y: event.clientY };
    const hit = this.events.grab && this.pickAt(event);
    if (!hit || !this.events.grab?.(hit.pane, hit.body, hit.at)) return;
    const normal = this.camera.getWorldDirection(new Vector3());
    this.dragPlane = { plane: new Plane().setFromNormalAndCoplanarPoint(normal, hit.at), pane: hit.pane };
    this.controls.enabled = false;
    this.canvas.setPointerCapture(event.pointerId);
  }

  private dragTo(event: PointerEvent): void {
    if (!this.dragPlane) return;
    const { ray } = this.rayAt(event, this.dragPlane.pane);
    const at = ray.ray.intersectPlane(this.dragPlane.plane, new Vector3());
    if (at) this.events.drag?.(at);
  }

  private endDrag(): void {
    if (!this.dragPlane) return;
    this.dragPlane = undefined;
    this.controls.enabled = true;
    this.events.drop?.();
  }

  private pointerUp(event: PointerEvent): void {
    const still = this.down && Math.hypot(event.clientX - this.down.x, event.clientY - this.down.y) < CLICK_SLACK;
    this.endDrag();
    this.down = undefined;
    const hit = still ? this.pickAt(event) : undefined;
    if (hit) this.events.pick(hit.pane, hit.body);
  }

  /* Right, up and away, as they are seen; unit vectors. */
  directions(): [Vector3, Vector3, Vector3] {
    const [right, up, back] = [new Vector3(), new Vector3(), new Vector3()];
    this.camera.updateMatrixWorld();
    this.camera.matrixWorld.extractBasis(right, up, back);
    return [right, up, back.negate()];
  }

  private key(event: KeyboardEvent): void {
    const turns: Record<string, [number, number]> = { a: [-0.1, 0], d: [0.1, 0], w: [0, -0.1], s: [0, 0.1] };
    const turn = turns[event.key];
    const zoom = event.key === "+" || event.key === "=" ? 0.9 : event.key === "-" ? 1 / 0.9 : 1;
    if (!turn && zoom === 1) return;
    const offset = this.camera.position.clone().sub(this.controls.target).multiplyScalar(zoom);
    if (turn) {
      offset.applyAxisAngle(new Vector3(0, 1, 0), turn[0]);
      const right = new Vector3()
        .crossVectors(this.camera.getWorldDirection(new Vector3()), this.camera.up)
        .normalize();
      const tilted = offset.clone().applyAxisAngle(right, turn[1]);
      if (Math.abs(tilted.y) < 0.98 * tilted.length()) offset.copy(tilted);
    }
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    event.preventDefault();
    this.redraw();
  }
}
