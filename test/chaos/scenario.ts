import type { CheckResult } from './checker.ts';
import type { Stack } from './stack.ts';
import { quantile } from './visibility.ts';
import { drainMs, type Workload } from './workload.ts';

/** What a scenario works with. */
export interface ScenarioContext {
  readonly stack: Stack;
  readonly seed: number;
  /** How many faults it is to make: `short` or `full` of its {@link Scenario.counts}. */
  readonly count: number;
}

/** How a scenario ended. */
export interface Outcome {
  /** For people, and for docs/reliability.md. */
  readonly figures: readonly string[];
  readonly check: CheckResult;
  /** Criteria beside the check's that did not hold. */
  readonly unmet: readonly string[];
}

/** One reliability test, or several that are measured at once, by number. */
export interface Scenario {
  readonly test: string;
  readonly title: string;
  readonly counts: { readonly short: number; readonly full: number };
  readonly run: (context: ScenarioContext) => Promise<Outcome>;
}

/** Lets the clients finish, and compares everything with what was promised and logged. */
export async function conclude(workload: Workload, figures: readonly string[], unmet: readonly string[] = []): Promise<Outcome> {
  await workload.finish();
  const check = await workload.check(drainMs);
  await workload.close();
  return { figures: [...figures, ...workload.summary.split('\n')], check, unmet };
}

/** Milliseconds in a line: the middle, the worst hundredth, the worst. */
export function times(list: readonly number[]): string {
  const sorted = [...list].sort((a, b) => a - b);
  const ms = (value: number): string => `${Math.round(value)} ms`;
  return `p50 ${ms(quantile(sorted, 0.5))}, p99 ${ms(quantile(sorted, 0.99))}, at most ${ms(sorted.at(-1) ?? NaN)}`;
}
