import { readFileSync, statSync } from 'node:fs';
import type pg from 'pg';
import { type PlanNode, rowsHandledBy } from '#store/testing';

/** How Postgres has carried out one statement. */
export interface Plan {
  readonly query: string;
  readonly steps: readonly Step[];
}

/** A step of a plan. */
interface Step {
  /** As Postgres calls it: `Index Scan`, `Sort`. */
  readonly way: string;
  /** The table that it reads, if it reads one. */
  readonly table: string | null;
  /** Rows that it gave or threw away, over all of its rounds. */
  readonly rows: number;
}

/**
 * The plans of all statements of new connections of these roles while `work` runs, as auto_explain writes them into the server's log. `admin`: a superuser
 * in the same database, which no other connection of these roles uses meanwhile.
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

/** The plans in a log of Postgres. The further lines of a message begin with a tab there. */
export function readPlans(log: string): Plan[] {
  return [...log.matchAll(/ plan:\n((?:\t.*\n)+)/g)].map(([, lines]) => {
    const written = JSON.parse(lines!.replaceAll(/^\t/gm, '')) as { 'Query Text': string; Plan: PlanNode };
    return { query: written['Query Text'].trim(), steps: stepsOf(written.Plan) };
  });
}

/** Steps that read this table by something other than an index, or that handle more than so many rows. Throws where there is no plan. */
export function expensiveSteps(plans: readonly Plan[], table: string, mostRows: number): number {
  if (plans.length === 0) throw new Error('Postgres has written down no plan');
  const isExpensive = (step: Step): boolean => step.rows > mostRows || (step.table === table && !step.way.startsWith('Index'));
  return plans.flatMap(({ steps }) => steps).filter(isExpensive).length;
}

/** The ways in which these plans read a table, and the most rows of a step. */
export function summary(plans: readonly Plan[], table: string): string {
  const steps = plans.flatMap((plan) => plan.steps);
  const ways = new Set(steps.filter((step) => step.table === table).map(({ way }) => way));
  return `${plans.length} plans; ${table}: ${[...ways].join(', ')}; at most ${Math.max(...steps.map(({ rows }) => rows))} rows a step`;
}

function stepsOf(node: PlanNode): Step[] {
  return [
    { way: node['Node Type'], table: node['Relation Name'] ?? null, rows: Math.round(rowsHandledBy(node)) },
    ...(node.Plans ?? []).flatMap(stepsOf),
  ];
}
