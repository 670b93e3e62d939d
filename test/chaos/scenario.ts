import type { CheckResult, Violation } from './checker.ts';
import type { ManagedProcess } from './managed-process.ts';
import type { LinkName, Stack } from './stack.ts';
import { quantile } from './visibility.ts';
import type { Workload } from './workload.ts';

/** The context of a running scenario. */
export interface ScenarioContext {
  readonly stack: Stack;
  readonly seed: number;
  /** Number of repetitions. */
  readonly count: number;
}

/** The result of a scenario. It passes if there are neither violations nor unmet criteria. */
export interface Outcome {
  /** Lines for the report. */
  readonly figures: readonly string[];
  readonly violations: readonly Violation[];
  /** Failed criteria of the test, in addition to the checker's. */
  readonly unmet: readonly string[];
}

/** A test of docs/reliability.md. */
export interface Scenario {
  /**
   * The test's number in docs/reliability.md, or several numbers if the scenario covers more tests.
   */
  readonly test: string;
  readonly title: string;
  /** Number of repetitions in the short and the full set. */
  readonly counts: { readonly short: number; readonly full: number };
  readonly run: (context: ScenarioContext) => Promise<Outcome>;
}

/** The links that go through proxies in the scenarios' system. */
export const scenarioLinks: readonly LinkName[] = ['client', 'redis'];

/**
 * Lets the uploads of a workload finish and compares everything; `figures` come first in the
 * outcome.
 */
export async function conclude(workload: Workload, figures: readonly string[], unmet: readonly string[] = []): Promise<Outcome> {
  await workload.finish();
  const result = await workload.check();
  await workload.close();
  return { figures: [...figures, checkedLine(result)], violations: result.violations, unmet };
}

/** Describes the scope of a check. */
export function checkedLine({ files, bytes, acknowledged, points, media, blobs, drainedMs }: CheckResult): string {
  return `${acknowledged} acknowledgments and ${points} points in ${files} files of ${bytes} bytes compared, ${media} of the points tensors, texts and images with ${blobs} blobs; backlog drained after ${ms(drainedMs)}`;
}

/** How often these processes have been killed by a failpoint since their first start. */
export function killStrikes(processes: readonly ManagedProcess[]): number {
  return processes.reduce(
    (sum, { strikes }) => sum + [...strikes].reduce((all, [strike, n]) => all + (strike.endsWith(': kill') ? n : 0), 0),
    0,
  );
}

/** Formats milliseconds for display; NaN: not measured. */
export function ms(value: number): string {
  return Number.isNaN(value) ? 'none' : `${value.toFixed(0)} ms`;
}

/** Formats the median, the 99th percentile and the maximum of times in milliseconds. */
export function times(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  if (sorted.length === 0) return 'none';
  return `p50 ${ms(quantile(sorted, 0.5))}, p99 ${ms(quantile(sorted, 0.99))}, at most ${ms(sorted.at(-1)!)}`;
}
