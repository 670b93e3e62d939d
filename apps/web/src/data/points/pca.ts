/** A matrix of numbers in row-major order. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float64Array;
}

/** The rows of a matrix, projected onto the plane of its first two principal components. */
export interface Projection {
  /** Positions in the plane; NaN for rows with non-finite values. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** The fraction of the variance along each component; 0 if there is no variance. */
  readonly explained: readonly [number, number];
  /** The number of rows with non-finite values. */
  readonly leftOut: number;
}

/** Maximum size of the basis. A larger basis would make no visible difference. */
const maxVectors = 64;

/**
 * Principal component analysis of rows as points, which are centered but not scaled. The
 * eigenvectors of the covariance are computed in a block Krylov space by the Rayleigh–Ritz method;
 * they are exact if the matrix has at most 64 rows or columns. The sign of a component is chosen so
 * that its largest coordinate is positive. `rest` is awaited occasionally so that the page stays
 * responsive.
 */
export async function projectRows(matrix: Matrix, rest: () => Promise<void> = () => Promise.resolve()): Promise<Projection> {
  const { columns } = matrix;
  const kept = finiteRows(matrix);
  const centered = centeredRows(matrix, kept);
  // Keeps squares from overflowing or underflowing
  const unit = centered.reduce((max, value) => Math.max(max, Math.abs(value)), 0) || 1;
  for (let i = 0; i < centered.length; i++) centered[i]! /= unit;
  const total = centered.reduce((sum, value) => sum + value * value, 0);
  const axes = total > 0 ? await largestEigenvectors(centered, columns, rest) : [];
  const place = (axis: number): Float64Array => {
    const places = new Float64Array(matrix.rows).fill(Number.NaN);
    const vector = axes[axis];
    kept.forEach((row, i) => {
      places[row] = vector ? dot(centered.subarray(i * columns, (i + 1) * columns), vector) : 0;
    });
    return places;
  };
  const [x, y] = [place(0), place(1)];
  const share = (places: Float64Array): number =>
    total > 0 ? places.reduce((sum, value) => (Number.isNaN(value) ? sum : sum + value * value), 0) / total : 0;
  const explained = [share(x), share(y)] as const;
  for (const places of [x, y]) for (let i = 0; i < places.length; i++) places[i]! *= unit;
  return { x, y, explained, leftOut: matrix.rows - kept.length };
}

function finiteRows({ rows, columns, values }: Matrix): number[] {
  return Array.from({ length: rows }, (_, row) => row).filter((row) =>
    values.subarray(row * columns, (row + 1) * columns).every(Number.isFinite),
  );
}

function centeredRows({ columns, values }: Matrix, kept: readonly number[]): Float64Array {
  const centered = new Float64Array(kept.length * columns);
  const mean = new Float64Array(columns);
  for (const row of kept) for (let c = 0; c < columns; c++) mean[c]! += values[row * columns + c]! / kept.length;
  kept.forEach((row, i) => {
    for (let c = 0; c < columns; c++) centered[i * columns + c] = values[row * columns + c]! - mean[c]!;
  });
  return centered;
}

/**
 * Up to two unit eigenvectors of the covariance of centered rows, starting with the largest
 * eigenvalue.
 */
async function largestEigenvectors(rows: Float64Array, columns: number, rest: () => Promise<void>): Promise<Float64Array[]> {
  const basis: Float64Array[] = [];
  const images: Float64Array[] = [];
  const random = randomNumbers();
  const max = Math.min(columns, maxVectors);
  let block: Float64Array[] = [0, 1].map(() => Float64Array.from({ length: columns }, random));
  while (basis.length < max && block.length > 0) {
    const next: Float64Array[] = [];
    for (const candidate of block) {
      if (basis.length >= max) break;
      // If the space is invariant under the covariance, another start vector extends it
      const vector = orthonormal(candidate, basis) ?? orthonormal(Float64Array.from({ length: columns }, random), basis);
      if (!vector) continue;
      const image = timesCovariance(rows, columns, vector);
      basis.push(vector);
      images.push(image);
      next.push(image);
      await rest();
    }
    block = next;
  }
  const inside = basis.map((one) => Float64Array.from(images, (image) => dot(one, image)));
  return largestOfSymmetric(inside).map((weights) => {
    const vector = new Float64Array(columns);
    basis.forEach((one, i) => add(vector, one, weights[i]!));
    const largest = vector.reduce((most_, value) => (Math.abs(value) > Math.abs(most_) ? value : most_), 0);
    return largest < 0 ? vector.map((value) => -value) : vector;
  });
}

/**
 * The part of a vector that is orthogonal to a basis, scaled to length 1; null if there is none.
 */
function orthonormal(vector: Float64Array, basis: readonly Float64Array[]): Float64Array | null {
  const own = vector.slice();
  const before = Math.sqrt(dot(own, own));
  if (!(before > 0)) return null;
  for (let i = 0; i < own.length; i++) own[i]! /= before;
  // Done twice, because rounding leaves small components along the other vectors
  for (let pass = 0; pass < 2; pass++) for (const one of basis) add(own, one, -dot(own, one));
  const length = Math.sqrt(dot(own, own));
  return length > 1e-10 ? own.map((value) => value / length) : null;
}

/** `rowsᵀ · rows · vector` */
function timesCovariance(rows: Float64Array, columns: number, vector: Float64Array): Float64Array {
  const image = new Float64Array(columns);
  for (let at = 0; at < rows.length; at += columns) {
    let along = 0;
    for (let c = 0; c < columns; c++) along += rows[at + c]! * vector[c]!;
    for (let c = 0; c < columns; c++) image[c]! += along * rows[at + c]!;
  }
  return image;
}

/** The eigenvectors of the two largest eigenvalues of a symmetric matrix, by Jacobi rotations. */
function largestOfSymmetric(matrix: readonly Float64Array[]): Float64Array[] {
  const size = matrix.length;
  const a = matrix.map((row, i) => row.map((value, j) => (value + matrix[j]![i]!) / 2));
  const vectors = a.map((_, i) => Float64Array.from({ length: size }, (_one, j) => Number(i === j))); // as rows
  const scale = Math.max(...a.map((row, i) => Math.abs(row[i]!)));
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    for (let p = 0; p < size; p++)
      for (let q = p + 1; q < size; q++) {
        const between = a[p]![q]!;
        off = Math.max(off, Math.abs(between));
        if (Math.abs(between) <= scale * 1e-18) continue;
        const theta = (a[q]![q]! - a[p]![p]!) / (2 * between);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
        const cos = 1 / Math.hypot(t, 1);
        const sin = t * cos;
        for (let k = 0; k < size; k++) {
          const [kp, kq] = [a[k]![p]!, a[k]![q]!];
          a[k]![p] = cos * kp - sin * kq;
          a[k]![q] = sin * kp + cos * kq;
        }
        for (const list of [a, vectors])
          for (let k = 0; k < size; k++) {
            const [pk, qk] = [list[p]![k]!, list[q]![k]!];
            list[p]![k] = cos * pk - sin * qk;
            list[q]![k] = sin * pk + cos * qk;
          }
      }
    if (off <= scale * 1e-15) break;
  }
  return a
    .map((row, i) => ({ value: row[i]!, vector: vectors[i]! }))
    .sort((one, other) => other.value - one.value)
    .slice(0, 2)
    .map(({ vector }) => vector);
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function add(to: Float64Array, vector: Float64Array, factor: number): void {
  for (let i = 0; i < to.length; i++) to[i]! += factor * vector[i]!;
}

/** Reproducible pseudorandom numbers from -0.5 to 0.5 (mulberry32). */
function randomNumbers(): () => number {
  let state = 31;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32 - 0.5;
  };
}
