import {
  AmbientLight,
  BufferAttribute,
  BufferGeometry,
  Color,
  ColorManagement,
  DirectionalLight,
  DoubleSide,
  LinearSRGBColorSpace,
  Mesh as Surface,
  MeshLambertMaterial,
  PerspectiveCamera,
  Points,
  PointsMaterial,
  Scene,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { type Box, boxAround, type Mesh } from './mesh.ts';

/** Vertical field of view, in degrees. */
const fieldOfView = 40;
/** Size of a point in pixels; smaller if there are many points. */
const pointSize = { few: 4, many: 2, manyFrom: 5_000 };
/** The angle in radians by which an arrow key rotates the mesh, and the zoom factor of + and −. */
const keyTurn = Math.PI / 24;
const keyZoom = 0.85;

// Colors are drawn as logged
ColorManagement.enabled = false;

let renderer: WebGLRenderer | null = null;

/**
 * The page's renderer, which all drawings share because browsers allow few WebGL contexts. Throws
 * if the browser has no WebGL.
 */
function sharedRenderer(): WebGLRenderer {
  if (renderer === null) {
    renderer = new WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    renderer.outputColorSpace = LinearSRGBColorSpace;
    renderer.setPixelRatio(1);
  }
  return renderer;
}

/** Whether the browser has WebGL. */
export function canDrawMeshes(): boolean {
  try {
    sharedRenderer();
    return true;
  } catch {
    return false;
  }
}

/** A viewpoint that several drawings share, so that their meshes stay comparable. */
export class Viewpoint {
  readonly camera = new PerspectiveCamera(fieldOfView);
  readonly target: [number, number, number] = [0, 0, 0];
  /** Whether the reader moved the viewpoint. If so, it stays the same when the meshes change. */
  isMoved = false;
  readonly #listeners = new Set<() => void>();
  /** The boxes around each run's meshes, over all steps. */
  readonly #boxes = new Map<string, Box>();

  constructor() {
    const light = new DirectionalLight(0xffffff, 2.2);
    light.position.set(0.4, 0.8, 1);
    this.camera.add(light);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /**
   * Adds a run's meshes and shows the meshes of all runs, unless the reader moved the viewpoint.
   */
  fit(run: string, box: Box): void {
    this.#boxes.set(run, box);
    if (!this.isMoved) this.reset();
  }

  /** Shows the meshes of all runs from the front, slightly from the right and from above. */
  reset(): void {
    this.isMoved = false;
    const box = boxAround([...this.#boxes.values()]);
    if (!box) return;
    const { min, max } = box;
    const middle = [0, 1, 2].map((axis) => (min[axis]! + max[axis]!) / 2) as [number, number, number];
    const radius = Math.hypot(...[0, 1, 2].map((axis) => (max[axis]! - min[axis]!) / 2)) || 1;
    const distance = (1.05 * radius) / Math.sin((fieldOfView * Math.PI) / 360);
    this.target.splice(0, 3, ...middle);
    this.camera.position.set(middle[0] + 0.35 * distance, middle[1] + 0.3 * distance, middle[2] + 0.885 * distance);
    this.camera.near = distance / 100;
    this.camera.far = distance * 100;
    this.camera.lookAt(...middle);
    this.changed();
  }
}

/** A mesh on a canvas that the pointer and keys rotate. Requires {@link canDrawMeshes}. */
export class MeshDrawing {
  readonly #canvas: HTMLCanvasElement;
  readonly #viewpoint: Viewpoint;
  readonly #scene = new Scene();
  readonly #controls: OrbitControls;
  readonly #unsubscribe: () => void;
  #shown: Surface | Points | null = null;
  #frame = 0;

  constructor(canvas: HTMLCanvasElement, viewpoint: Viewpoint) {
    this.#canvas = canvas;
    this.#viewpoint = viewpoint;
    this.#scene.add(new AmbientLight(0xffffff, 1.2), viewpoint.camera);
    this.#controls = new OrbitControls(viewpoint.camera, canvas);
    this.#controls.enableZoom = false; // the wheel scrolls the page
    this.#controls.addEventListener('change', () => {
      const { x, y, z } = this.#controls.target;
      viewpoint.target.splice(0, 3, x, y, z);
      viewpoint.changed();
    });
    this.#controls.addEventListener('start', () => {
      viewpoint.isMoved = true;
    });
    // With one finger, a vertical drag scrolls the page and a horizontal drag rotates the mesh
    canvas.style.touchAction = 'pan-y';
    this.#unsubscribe = viewpoint.subscribe(() => this.#request());
  }

  /** Draws another mesh. `color`: a CSS color for vertices without one. */
  show(mesh: Mesh, color: string): void {
    this.#clear();
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(mesh.positions, 3));
    if (mesh.colors) geometry.setAttribute('color', new BufferAttribute(mesh.colors, 3));
    const paint = mesh.colors ? { vertexColors: true } : { color: new Color(color) };
    if (mesh.triangles) {
      geometry.setIndex(new BufferAttribute(mesh.triangles, 1));
      geometry.computeVertexNormals();
      this.#shown = new Surface(geometry, new MeshLambertMaterial({ ...paint, side: DoubleSide }));
    } else
      this.#shown = new Points(
        geometry,
        new PointsMaterial({ ...paint, size: sizeOfPoints(mesh) * devicePixelRatio, sizeAttenuation: false }),
      );
    this.#scene.add(this.#shown);
    this.#request();
  }

  /** Adapts the drawing to the size of the canvas, in CSS pixels. */
  resize(width: number, height: number): void {
    Object.assign(this.#canvas, { width: Math.round(width * devicePixelRatio), height: Math.round(height * devicePixelRatio) });
    this.#request();
  }

  /** Rotates or zooms with a key. Returns false if the key does neither. */
  press(key: string): boolean {
    const { camera, target } = this.#viewpoint;
    const offset = camera.position.clone().set(camera.position.x - target[0], camera.position.y - target[1], camera.position.z - target[2]);
    const distance = offset.length();
    let [around, above, zoom] = [Math.atan2(offset.x, offset.z), Math.asin(offset.y / distance), 1];
    if (key === 'ArrowLeft') around -= keyTurn;
    else if (key === 'ArrowRight') around += keyTurn;
    else if (key === 'ArrowUp') above = Math.min(1.5, above + keyTurn);
    else if (key === 'ArrowDown') above = Math.max(-1.5, above - keyTurn);
    else if (key === '+' || key === '=') zoom = keyZoom;
    else if (key === '-') zoom = 1 / keyZoom;
    else if (key === 'Escape' && this.#viewpoint.isMoved) {
      this.#viewpoint.reset();
      return true;
    } else return false;
    this.#viewpoint.isMoved = true;
    const [far, level] = [distance * zoom, Math.cos(above)];
    camera.position.set(
      target[0] + far * level * Math.sin(around),
      target[1] + far * Math.sin(above),
      target[2] + far * level * Math.cos(around),
    );
    camera.lookAt(...target);
    this.#viewpoint.changed();
    return true;
  }

  dispose(): void {
    cancelAnimationFrame(this.#frame);
    this.#unsubscribe();
    this.#controls.dispose();
    this.#clear();
  }

  #clear(): void {
    if (!this.#shown) return;
    this.#scene.remove(this.#shown);
    this.#shown.geometry.dispose();
    (this.#shown.material as MeshLambertMaterial | PointsMaterial).dispose();
    this.#shown = null;
  }

  #request(): void {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    this.#frame = 0;
    const { width, height } = this.#canvas;
    if (width === 0 || height === 0) return;
    const { camera, target } = this.#viewpoint;
    this.#controls.target.set(...target);
    const shared = sharedRenderer();
    shared.setSize(width, height, false);
    // A camera belongs to one scene at a time, and its light moves with it
    this.#scene.add(camera);
    camera.aspect = width / height;
    camera.updateProjectionMatrix();
    shared.render(this.#scene, camera);
    const context = this.#canvas.getContext('2d')!;
    context.clearRect(0, 0, width, height);
    context.drawImage(shared.domElement, 0, 0);
  }
}

function sizeOfPoints({ positions }: Mesh): number {
  return positions.length / 3 < pointSize.manyFrom ? pointSize.few : pointSize.many;
}
