/**
 * If a phase repeats at least this many points, it is a restart; otherwise the repeated points
 * replace only the points with the same steps.
 */
const restartPoints = 2;

/**
 * Applies the rule inside one file and one session (data rule 2) to steps in log order. Returns 1
 * for each superseded point.
 *
 * The log is a sequence of *phases*, each a maximal run of rising steps. A step that was not logged
 * before always counts. A step that is logged again supersedes its earlier point. If a phase logs
 * two or more steps again, the run was restarted. Every point that was logged before the phase,
 * with a step not smaller than the phase's first step, is then superseded. O(points) if the steps
 * rise, otherwise O(points · log restarts).
 */
export function markSession(steps: BigInt64Array): Uint8Array {
  const marks = new Uint8Array(steps.length);
  if (rises(steps)) return marks;
  const restarts = new Restarts();
  const last = new Map<bigint, number>();
  let begin = 0;
  let again = 0;
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i]!;
    if (i > 0 && step <= steps[i - 1]!) {
      begin = i;
      again = 0;
    }
    const before = last.get(step);
    if (before !== undefined) {
      marks[before] = 1;
      if (!restarts.hides(before, step) && ++again === restartPoints) restarts.add(begin, steps[begin]!);
    }
    last.set(step, i);
  }
  for (let i = 0; i < steps.length; i++) if (restarts.hides(i, steps[i]!)) marks[i] = 1;
  return marks;
}

/** Whether each step is larger than the one before it. */
export function rises(steps: BigInt64Array): boolean {
  for (let i = 1; i < steps.length; i++) if (steps[i]! <= steps[i - 1]!) return false;
  return true;
}

/**
 * The restarts that supersede points which no later restart supersedes: their positions and their
 * steps rise.
 */
class Restarts {
  readonly #begins: number[] = [];
  readonly #steps: bigint[] = [];

  add(begin: number, step: bigint): void {
    while (this.#steps.length > 0 && this.#steps.at(-1)! >= step) {
      this.#steps.pop();
      this.#begins.pop();
    }
    this.#begins.push(begin);
    this.#steps.push(step);
  }

  /** Whether a restart after this position has a first step that is not larger. */
  hides(place: number, step: bigint): boolean {
    let low = 0;
    let high = this.#begins.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#begins[middle]! > place) high = middle;
      else low = middle + 1;
    }
    return low < this.#begins.length && this.#steps[low]! <= step;
  }
}
