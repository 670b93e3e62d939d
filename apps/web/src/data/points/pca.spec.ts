import { expect, it } from 'vitest';
import { type Matrix, projectRows } from './pca.ts';
import cases from './testing/pca.json' with { type: 'json' };

const matrixOf = ([rows, columns]: readonly [number, number], data: readonly (number | string)[]): Matrix => ({
  rows,
  columns,
  values: Float64Array.from(data, (value) => (value === 'nan' ? Number.NaN : value === 'inf' ? Infinity : Number(value))),
});

it.each(cases)('finds the components that numpy finds: $name', async ({ shape, data, places, explained }) => {
  const found = await projectRows(matrixOf(shape as [number, number], data));
  const size = Math.max(...places.flat().map((place) => Math.abs(place ?? 0)));
  places.forEach(([x, y], row) => {
    if (x === null) expect([found.x[row], found.y[row]]).toEqual([Number.NaN, Number.NaN]);
    else
      for (const [own, theirs] of [
        [found.x[row]!, x!],
        [found.y[row]!, y!],
      ] as const)
        expect(Math.abs(own - theirs) / size).toBeLessThan(1e-6);
  });
  explained.forEach((share, axis) => expect(found.explained[axis]).toBeCloseTo(share, 8));
  expect(found.leftOut).toBe(places.filter(([x]) => x === null).length);
});

it('finds both components of equal variance', async () => {
  const corners = Array.from({ length: 4 }, (_, i) => [Math.cos((i * Math.PI) / 2), Math.sin((i * Math.PI) / 2), 0, 0]);
  const { x, y, explained } = await projectRows(matrixOf([4, 4], corners.flat()));
  expect(explained[0]).toBeCloseTo(0.5, 12);
  expect(explained[1]).toBeCloseTo(0.5, 12);
  for (let row = 0; row < 4; row++) expect(Math.hypot(x[row]!, y[row]!)).toBeCloseTo(1, 12);
});

it('takes equal rows, one column, and a matrix of zeros', async () => {
  for (const [shape, data] of [
    [
      [3, 2],
      [5, 5, 5, 5, 5, 5],
    ],
    [
      [4, 1],
      [1, 2, 3, 4],
    ],
    [
      [2, 3],
      [0, 0, 0, 0, 0, 0],
    ],
    [
      [1, 2],
      [3, 4],
    ],
  ] as const) {
    const { x, y, explained } = await projectRows(matrixOf(shape, data));
    expect([...x, ...y].every(Number.isFinite)).toBe(true);
    expect(explained[0]).toBeCloseTo(shape[1] === 1 ? 1 : 0, 12);
    expect(explained[1]).toBe(0);
  }
});

it('rests while it computes', async () => {
  let rests = 0;
  await projectRows(matrixOf([3, 3], [1, 0, 0, 0, 2, 0, 0, 0, 3]), () => {
    rests++;
    return Promise.resolve();
  });
  expect(rests).toBe(3);
});
