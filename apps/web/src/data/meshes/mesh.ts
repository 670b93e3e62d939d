import { type PackedTensor, unpackNumbers } from '../points/matrix.ts';

/**
 * Points in space, or a surface of triangles that connect them, as the mesh plugin logs them
 * (tensorboard/plugins/mesh/summary.py).
 */
export interface Mesh {
  /** Three coordinates per vertex. In a surface, omitted vertices are at 0. */
  readonly positions: Float32Array;
  /** Three vertices per triangle; null if the vertices are points. */
  readonly triangles: Uint32Array | null;
  /** Red, green and blue per vertex, from 0 to 1; null if none were logged. */
  readonly colors: Float32Array | null;
  readonly box: Box;
  /** Vertices with non-finite coordinates. */
  readonly verticesLeftOut: number;
  /** Triangles with a vertex that does not exist or is omitted. */
  readonly trianglesLeftOut: number;
  /** Names the logged data that is not drawn, in sentences; null if everything is drawn. */
  readonly remark: string | null;
}

/** The range of all coordinates: the smallest and the largest x, y and z. */
export interface Box {
  readonly min: readonly [number, number, number];
  readonly max: readonly [number, number, number];
}

/** The tensors of a mesh at one step. */
export interface MeshTensors {
  readonly vertices: PackedTensor | undefined;
  readonly faces: PackedTensor | undefined;
  readonly colors: PackedTensor | undefined;
}

/**
 * How many meshes a tensor of vertices contains. Its shape is meshes × vertices × 3, or vertices ×
 * 3 for a single mesh. Returns 0 for any other shape.
 */
export function countMeshes(tensor: Pick<PackedTensor, 'shape'> | undefined): number {
  const shape = tensor?.shape ?? [];
  if (shape.at(-1) !== 3) return 0;
  return shape.length === 3 ? shape[0]! : shape.length === 2 ? 1 : 0;
}

/** One of the meshes that were logged together, or the reason why it cannot be drawn. */
export function readMesh({ vertices, faces, colors }: MeshTensors, index: number): Mesh | string {
  if (!vertices) return 'No vertices were logged at this step.';
  const positions = rowsOf(vertices, index);
  if (!positions) return `Vertices must be numbers of shape meshes × vertices × 3, not ${nameOf(vertices)}.`;
  const { box, leftOut: verticesLeftOut } = keepFinite(positions);
  if (!box) return 'The mesh has no vertices with finite coordinates.';
  const remarks: string[] = [];
  let triangles: Uint32Array | null = null;
  let trianglesLeftOut = 0;
  if (faces && faces.shape.at(-2) !== 0) {
    const corners = rowsOf(faces, index);
    if (corners) ({ triangles, leftOut: trianglesLeftOut } = keepWhole(corners, positions));
    else remarks.push(`Faces must be integers of shape meshes × faces × 3, not ${nameOf(faces)}.`);
  }
  let shades: Float32Array | null = null;
  if (colors && colors.shape.at(-2) !== 0) {
    const parts = rowsOf(colors, index);
    if (parts?.length === positions.length) shades = Float32Array.from(parts, (part) => Math.min(1, Math.max(0, part / 255)));
    else remarks.push(`Colors must be one row of 3 per vertex, not ${nameOf(colors)}.`);
  }
  return {
    positions: drawnOnly(positions, positions, triangles !== null),
    triangles,
    colors: shades && drawnOnly(shades, positions, triangles !== null),
    box,
    verticesLeftOut,
    trianglesLeftOut,
    remark: remarks.length > 0 ? remarks.join(' ') : null,
  };
}

/**
 * The rows of the vertices that are drawn. A surface keeps the other rows, set to 0, because its
 * triangles refer to vertices by index.
 */
function drawnOnly(rows: Float32Array | Float64Array, positions: Float64Array, isSurface: boolean): Float32Array {
  const isDrawn = (i: number): boolean => !Number.isNaN(positions[i - (i % 3)]!);
  if (isSurface) return Float32Array.from(rows, (value, i) => (isDrawn(i) ? value : 0));
  return Float32Array.from(rows.filter((_, i) => isDrawn(i)));
}

/** The box around the mesh at `index` over all steps; null if it never has a vertex. */
export function boxOfSteps(vertices: readonly PackedTensor[], index: number): Box | null {
  const boxes = vertices.map((tensor) => {
    const positions = rowsOf(tensor, index);
    return positions && keepFinite(positions).box;
  });
  return boxAround(boxes.filter((box) => box !== null));
}

/** The smallest box that contains all of these; null if there are none. */
export function boxAround(boxes: readonly Box[]): Box | null {
  if (boxes.length === 0) return null;
  const each = (pick: (box: Box, axis: number) => number, of: (...values: number[]) => number) =>
    [0, 1, 2].map((axis) => of(...boxes.map((box) => pick(box, axis)))) as [number, number, number];
  return { min: each((box, axis) => box.min[axis]!, Math.min), max: each((box, axis) => box.max[axis]!, Math.max) };
}

/** The rows of three numbers in the mesh at `index`; null if the tensor has another shape. */
function rowsOf(tensor: PackedTensor, index: number): Float64Array | null {
  const meshes = countMeshes(tensor);
  if (index >= meshes) return null;
  const numbers = unpackNumbers(tensor);
  const length = 3 * tensor.shape.at(-2)!;
  return numbers?.length === meshes * length ? numbers.subarray(index * length, (index + 1) * length) : null;
}

/** Replaces a vertex by NaN if float32 cannot represent one of its coordinates. */
function keepFinite(positions: Float64Array): { readonly box: Box | null; readonly leftOut: number } {
  const min: [number, number, number] = [Infinity, Infinity, Infinity];
  const max: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  let leftOut = 0;
  for (let at = 0; at < positions.length; at += 3) {
    const isFinite = [0, 1, 2].every((axis) => Number.isFinite(Math.fround(positions[at + axis]!)));
    if (!isFinite) {
      positions.fill(Number.NaN, at, at + 3);
      leftOut++;
      continue;
    }
    for (const axis of [0, 1, 2] as const) {
      min[axis] = Math.min(min[axis], positions[at + axis]!);
      max[axis] = Math.max(max[axis], positions[at + axis]!);
    }
  }
  return { box: min[0] <= max[0] ? { min, max } : null, leftOut };
}

/** The triangles with three vertices that exist and are drawn. */
function keepWhole(corners: Float64Array, positions: Float64Array): { readonly triangles: Uint32Array; readonly leftOut: number } {
  const triangles = new Uint32Array(corners.length);
  let kept = 0;
  for (let at = 0; at < corners.length; at += 3) {
    const triangle = corners.subarray(at, at + 3);
    // Also NaN if the vertex does not exist
    if (triangle.some((vertex) => !Number.isInteger(vertex) || !(positions[3 * vertex]! < Infinity))) continue;
    triangles.set(triangle, kept);
    kept += 3;
  }
  return { triangles: triangles.slice(0, kept), leftOut: (corners.length - kept) / 3 };
}

function nameOf({ dtype, shape }: PackedTensor): string {
  return `${dtype} of shape ${shape.length === 0 ? 'scalar' : shape.join(' × ')}`;
}
