import { readFileSync, statSync } from 'node:fs';
import type pg from 'pg';
import { type PlanNode, rowsHandledBy } from '#store/testing';

/** How Postgres executed a statement. */
export interface Plan {
  readonly query: string;
  readonly steps: readonly Step[];
}

/** A node of a plan. */
interface Step {
  /** The Postgres node type: `Index Scan`, `Sort`. */
  readonly way: string;
  /** The table that the node reads, or null. */
  readonly table: string | null;
  /** Rows returned and rows filtered out, over all loops. */
  readonly rows: number;
}

/**
 * Returns the plans, as auto_explain logs them, of all statements that new connections of these
 * roles execute during `work`. `admin`: a superuser in the same database; no other connection of
 * these roles may use the database during `work`.
 */
export async function plansOf(admin: pg.Client, log: string, roles: readonly string[], work: () => Promise<void>): Promise<Plan[]> {
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_format': 'json',
  };
  const start = statSync(log).size;
  for (const role of roles)
    for (const [name, value] of Object.entries(settings)) await admin.query(`alter role ${role} set ${name} = '${value}'`);
  try {
    await work();
  } finally {
    for (const role of roles) for (const name of Object.keys(settings)) await admin.query(`alter role ${role} reset ${name}`);
  }
  return readPlans(readFileSync(log).subarray(start).toString('utf8'));
}

/**
 * Parses the plans in a Postgres log, in which continuation lines of a message start with a tab.
 */
export function readPlans(log: string): Plan[] {
  return [...log.matchAll(/ plan:\n((?:\t.*\n)+)/g)].map(([, lines]) => {
    const written = JSON.parse(lines!.replaceAll(/^\t/gm, '')) as { 'Query Text': string; Plan: PlanNode };
    return { query: written['Query Text'].trim(), steps: stepsOf(written.Plan) };
  });
}

/**
 * Counts the steps that read this table without an index, or that process more than this many rows.
 * Throws if there is no plan.
 */
export function expensiveSteps(plans: readonly Plan[], table: string, maxRows: number): number {
  if (plans.length === 0) throw new Error('Postgres has logged no plan');
  const isExpensive = (step: Step): boolean => step.rows > maxRows || (step.table === table && !step.way.startsWith('Index'));
  return plans.flatMap(({ steps }) => steps).filter(isExpensive).length;
}

/**
 * Describes the scan types that these plans use for a table, and the maximum number of rows in a
 * step.
 */
export function summary(plans: readonly Plan[], table: string): string {
  const steps = plans.flatMap((plan) => plan.steps);
  const ways = new Set(steps.filter((step) => step.table === table).map(({ way }) => way));
  return `${plans.length} plans; ${table}: ${[...ways].join(', ')}; at most ${Math.max(...steps.map(({ rows }) => rows))} rows per step`;
}

function stepsOf(node: PlanNode): Step[] {
  return [
    { way: node['Node Type'], table: node['Relation Name'] ?? null, rows: Math.round(rowsHandledBy(node)) },
    ...(node.Plans ?? []).flatMap(stepsOf),
  ];
}
