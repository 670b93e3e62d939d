import type pg from 'pg';

/** A plan node as written by auto_explain. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** The executed plans of a connection's statements since the last `clear`. */
export class Plans {
  readonly #nodes: PlanNode[] = [];

  /** Starts recording the plans of this connection. Requires a superuser. */
  static async of(client: pg.PoolClient): Promise<Plans> {
    const plans = new Plans();
    client.on('notice', ({ message = '' }) => plans.#hear(message));
    await client.query(`load 'auto_explain'`);
    for (const setting of ['log_min_duration = 0', 'log_analyze = on', 'log_format = json', 'log_level = notice'])
      await client.query(`set auto_explain.${setting}`);
    return plans;
  }

  clear(): void {
    this.#nodes.length = 0;
  }

  /** The node types that read a table, and how many rows they returned. */
  table(name: string): { readonly ways: readonly string[]; readonly rows: number } {
    const nodes = this.#nodes.filter((node) => node['Relation Name'] === name);
    const rows = nodes.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);
    return { ways: [...new Set(nodes.map((node) => node['Node Type']))], rows: Math.round(rows) };
  }

  /** How many rows all nodes together have returned or discarded, as a measure of the work. */
  get rowsHandled(): number {
    return this.#nodes.reduce((sum, node) => sum + rowsHandledBy(node), 0);
  }

  #hear(notice: string): void {
    const start = notice.indexOf('{');
    if (start >= 0) this.#nodes.push(...flatten((JSON.parse(notice.slice(start)) as { Plan: PlanNode }).Plan));
  }
}

/**
 * How many rows a node, without the nodes below it, has returned or discarded over all its loops.
 */
export function rowsHandledBy(node: PlanNode): number {
  const { 'Rows Removed by Filter': filtered = 0, 'Rows Removed by Join Filter': unmatched = 0 } = node;
  return node['Actual Loops'] * (node['Actual Rows'] + filtered + unmatched);
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}
