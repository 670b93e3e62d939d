import type { FileProblem } from '#model';

/**
 * Maximum number of problems in a batch; others are only counted, so that a hostile file of 17-byte
 * records does not fill the memory with reports.
 */
const maxProblems = 1_000;

/** The problems of a batch. */
export class ProblemList {
  #problems: FileProblem[] = [];
  #more = 0;
  #moreBytes = 0;
  #firstMoreOffset = 0;

  add(problem: FileProblem): void {
    // The problem that ends the file is always reported.
    if (this.#problems.length < maxProblems || problem.endsFile) this.#problems.push(problem);
    else {
      if (this.#more === 0) this.#firstMoreOffset = problem.offset;
      this.#more++;
      this.#moreBytes += problem.bytes;
    }
  }

  /** Returns all problems in file order, and empties the list. */
  take(): FileProblem[] {
    const problems = this.#problems;
    if (this.#more > 0) {
      problems.push({
        offset: this.#firstMoreOffset,
        bytes: this.#moreBytes,
        reason: 'more-problems',
        detail: `There are ${this.#more} more problems from here on.`,
        endsFile: false,
      });
    }
    this.#problems = [];
    this.#more = 0;
    this.#moreBytes = 0;
    return problems.sort((a, b) => a.offset - b.offset);
  }
}
