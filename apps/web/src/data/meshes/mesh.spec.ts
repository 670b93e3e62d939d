import { describe, expect, it } from 'vitest';
import type { PackedTensor } from '../points/matrix.ts';
import { boxAround, boxOfSteps, countMeshes, type Mesh, readMesh } from './mesh.ts';

function tensor(dtype: string, shape: number[], bytes: ArrayBufferView): PackedTensor {
  return { dtype, shape, data: { base64: btoa(String.fromCharCode(...new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength))) } };
}

const floats = (shape: number[], numbers: number[]) => tensor('float32', shape, Float32Array.from(numbers));
const integers = (shape: number[], numbers: number[]) => tensor('int32', shape, Int32Array.from(numbers));
const bytes = (shape: number[], numbers: number[]) => tensor('uint8', shape, Uint8Array.from(numbers));

const corners = [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, -3];
const none = { faces: undefined, colors: undefined };

function read(...parameters: Parameters<typeof readMesh>): Mesh {
  const mesh = readMesh(...parameters);
  if (typeof mesh === 'string') throw new Error(mesh);
  return mesh;
}

describe('a mesh', () => {
  it('has the vertices, faces and colors that were logged', () => {
    const mesh = read(
      {
        vertices: floats([1, 4, 3], corners),
        faces: integers([1, 2, 3], [0, 1, 2, 0, 2, 3]),
        colors: bytes([1, 4, 3], [255, 0, 0, 0, 255, 0, 0, 0, 255, 51, 102, 204]),
      },
      0,
    );
    expect([...mesh.positions]).toEqual(corners);
    expect([...mesh.triangles!]).toEqual([0, 1, 2, 0, 2, 3]);
    expect([...mesh.colors!]).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1, 0.2, 0.4, 0.8].map(Math.fround));
    expect(mesh.box).toEqual({ min: [0, 0, -3], max: [1, 2, 0] });
    expect([mesh.verticesLeftOut, mesh.trianglesLeftOut, mesh.remark]).toEqual([0, 0, null]);
  });

  it('is one of those that were logged together', () => {
    const vertices = floats([2, 2, 3], [0, 0, 0, 1, 1, 1, 5, 5, 5, 7, 8, 9]);
    expect(countMeshes(vertices)).toBe(2);
    expect([...read({ vertices, ...none }, 1).positions]).toEqual([5, 5, 5, 7, 8, 9]);
    expect(readMesh({ vertices, ...none }, 2)).toMatch(/^Vertices must be/);
    const colors = bytes([2, 2, 3], [0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255]);
    expect([...read({ vertices, faces: undefined, colors }, 1).colors!]).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('is a cloud of points without faces, also if empty faces were logged', () => {
    const vertices = floats([4, 3], corners);
    expect(read({ vertices, ...none }, 0).triangles).toBeNull();
    expect(read({ vertices, faces: integers([1, 0, 3], []), colors: bytes([1, 0, 3], []) }, 0)).toMatchObject({
      triangles: null,
      colors: null,
      remark: null,
    });
  });

  it('leaves out vertices that are not finite, with their faces, and faces of vertices that do not exist', () => {
    const vertices = floats([1, 5, 3], [...corners, Number.NaN, 0, 0]);
    const faces = integers([1, 5, 3], [0, 1, 2, 0, 1, 4, 0, 1, 5, -1, 1, 2, 1, 2, 3]);
    const mesh = read({ vertices, faces, colors: undefined }, 0);
    expect([...mesh.triangles!]).toEqual([0, 1, 2, 1, 2, 3]);
    expect([mesh.verticesLeftOut, mesh.trianglesLeftOut]).toEqual([1, 3]);
    expect(mesh.box).toEqual({ min: [0, 0, -3], max: [1, 2, 0] });
    expect([...mesh.positions]).toEqual([...corners, 0, 0, 0]);
    const colors = bytes([1, 5, 3], [0, 0, 0, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255]);
    const cloud = read({ vertices: floats([1, 5, 3], [Number.NaN, 0, 0, ...corners]), faces: undefined, colors }, 0);
    expect([...cloud.positions]).toEqual(corners);
    expect([...cloud.colors!]).toEqual([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]);
    const large = tensor('float64', [1, 2, 3], Float64Array.of(1e300, 0, 0, 1, 2, 3));
    expect(read({ vertices: large, ...none }, 0)).toMatchObject({ verticesLeftOut: 1, box: { min: [1, 2, 3], max: [1, 2, 3] } });
  });

  it.each([
    [undefined, 'No vertices were logged at this step.'],
    [floats([4], [1, 2, 3, 4]), 'Vertices must be numbers of shape meshes × vertices × 3, not float32 of shape 4.'],
    [floats([1, 2, 2], [1, 2, 3, 4]), 'Vertices must be numbers of shape meshes × vertices × 3, not float32 of shape 1 × 2 × 2.'],
    [floats([1, 2, 3], [1, 2, 3]), 'Vertices must be numbers of shape meshes × vertices × 3, not float32 of shape 1 × 2 × 3.'],
    [
      tensor('string', [1, 1, 3], new Uint8Array(3)),
      'Vertices must be numbers of shape meshes × vertices × 3, not string of shape 1 × 1 × 3.',
    ],
    [floats([1, 1, 3], [Infinity, 0, 0]), 'The mesh has no vertices with finite coordinates.'],
    [floats([1, 0, 3], []), 'The mesh has no vertices with finite coordinates.'],
  ])('says why it cannot be drawn', (vertices, reason) => {
    expect(readMesh({ vertices, ...none }, 0)).toBe(reason);
  });

  it('is drawn without faces or colors of another form, and says so', () => {
    const vertices = floats([1, 4, 3], corners);
    expect(read({ vertices, faces: integers([1, 1, 4], [0, 1, 2, 3]), colors: bytes([1, 3, 3], Array(9).fill(1)) }, 0)).toMatchObject({
      triangles: null,
      colors: null,
      remark:
        'Faces must be integers of shape meshes × faces × 3, not int32 of shape 1 × 1 × 4. ' +
        'Colors must be one row of 3 per vertex, not uint8 of shape 1 × 3 × 3.',
    });
  });
});

it('the box of all steps contains the mesh of each, and ignores what cannot be drawn', () => {
  const steps = [floats([1, 1, 3], [1, 2, 3]), floats([1, 1, 3], [-4, 5, Number.NaN]), floats([2], [1, 2]), floats([1, 1, 3], [-1, 0, 9])];
  expect(boxOfSteps(steps, 0)).toEqual({ min: [-1, 0, 3], max: [1, 2, 9] });
  expect(boxOfSteps(steps, 1)).toBeNull();
});

it('the box around boxes contains each of them', () => {
  expect(boxAround([])).toBeNull();
  expect(
    boxAround([
      { min: [0, 0, 0], max: [1, 1, 1] },
      { min: [-1, 0.5, 0], max: [0, 2, 0.5] },
    ]),
  ).toEqual({ min: [-1, 0, 0], max: [1, 2, 1] });
});
