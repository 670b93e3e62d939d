import type { CheckResult, Violation } from './checker.ts';
import type { ManagedProcess } from './managed-process.ts';
import type { LinkName, Stack } from './stack.ts';
import { quantile } from './visibility.ts';
import type { Workload } from './workload.ts';

/** A scenario at work. */
export interface ScenarioContext {
  readonly stack: Stack;
  readonly seed: number;
  /** How often to do what it is about. */
  readonly count: number;
}

/** What a scenario found. It passes when there are neither violations nor unmet criteria. */
export interface Outcome {
  /** One line each, for the report. */
  readonly figures: readonly string[];
  readonly violations: readonly Violation[];
  /** Criteria of the test that do not hold, other than those of the checker. */
  readonly unmet: readonly string[];
}

/** A test of docs/reliability.md. */
export interface Scenario {
  /** Its number there; several where one scenario shows them all. */
  readonly test: string;
  readonly title: string;
  /** How often in the short set, and in the full one. */
  readonly counts: { readonly short: number; readonly full: number };
  readonly run: (context: ScenarioContext) => Promise<Outcome>;
}

/** The connections that are led through proxies in the system on which scenarios run. */
export const scenarioLinks: readonly LinkName[] = ['client', 'redis'];

/** Lets the uploads of a workload come to their end and compares all of it; `figures` come first in the outcome. */
export async function conclude(workload: Workload, figures: readonly string[], unmet: readonly string[] = []): Promise<Outcome> {
  await workload.finish();
  const result = await workload.check();
  await workload.close();
  return { figures: [...figures, checkedLine(result)], violations: result.violations, unmet };
}

/** What a check looked at. */
export function checkedLine({ files, bytes, acknowledged, points, media, blobs, drainedMs }: CheckResult): string {
  return `${acknowledged} acknowledgements and ${points} points in ${files} files of ${bytes} bytes compared, ${media} of the points tensors, texts and images with ${blobs} blobs; backlog drained after ${ms(drainedMs)}`;
}

/** How often these processes have killed themselves at a failpoint, since they were first started. */
export function killStrikes(processes: readonly ManagedProcess[]): number {
  return processes.reduce(
    (sum, { strikes }) => sum + [...strikes].reduce((all, [strike, n]) => all + (strike.endsWith(': kill') ? n : 0), 0),
    0,
  );
}

/** Milliseconds for people; NaN: nothing was measured. */
export function ms(value: number): string {
  return Number.isNaN(value) ? 'none' : `${value.toFixed(0)} ms`;
}

/** The median, the 99th percentile and the largest of some times in milliseconds. */
export function times(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  if (sorted.length === 0) return 'none';
  return `p50 ${ms(quantile(sorted, 0.5))}, p99 ${ms(quantile(sorted, 0.99))}, at most ${ms(sorted.at(-1)!)}`;
}
