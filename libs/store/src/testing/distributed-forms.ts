import { parseSync } from 'libpg-query';

/*
 * Finds forms in a parsed statement that Citus 14 does not run on distributed tables, or runs with
 * a different result. Call `loadModule()` of libpg-query first.
 */

type Node = { readonly [key: string]: unknown };

/** The forms, and what to write instead of each. */
export const distributedForms = {
  'time in CASE or COALESCE': 'Set it in a statement of its own.',
  'time in an array': 'Set it in a statement of its own: Citus 14.0.1 crashes.',
  'time in RETURNING': 'Return the column, or read it before.',
  'time in ON CONFLICT': 'Pass a parameter, or use `excluded`.',
  'interval of a column': 'Read the time before, and pass it as a parameter. The same for a column plus an interval.',
  'volatile function in UPDATE or DELETE': 'Pass a parameter.',
  'INSERT … SELECT without RETURNING': 'Add `returning 1`: without it the rows are written with COPY, which row level security prevents.',
  'INSERT … SELECT into a global table': 'Read before, then insert VALUES: two at once would deadlock.',
  'subquery in VALUES': 'Use INSERT … SELECT.',
  recursion: 'Use `distinct`; or bind the recursion to one tenant.',
  'row IN subquery': 'Join with USING or FROM.',
  'tenants in a change of a global table': 'Read the ids before.',
  'lock on a global table in WITH': 'Lock in a statement of its own.',
  'tenant of an outer query':
    'Compare the tenant_id of a subquery in a target list with the parameter: by that of an outer row, it may visit every shard.',
  'lock over all tenants': 'Read without locks, then lock by tenant.',
  'notify or advisory lock with FROM': 'Call it in a SELECT without FROM: elsewhere it happens on a worker.',
  MERGE: 'Use INSERT … ON CONFLICT.',
  ctid: 'Use the primary key.',
} as const;

export type DistributedForm = keyof typeof distributedForms;

/** Time and randomness functions with results that differ between nodes. */
const stable = new Set(['now', 'transaction_timestamp', 'statement_timestamp', 'current_setting', 'timeofday', 'age', 'to_char']);
const volatile = new Set(['clock_timestamp', 'random', 'gen_random_uuid', 'gen_random_bytes', 'uuidv4', 'uuidv7', 'nextval', 'setseed']);
const onCoordinator = /^(pg_notify|pg_(try_)?advisory)/;

/** The forms in a statement that do not work on distributed tables, each listed once. */
export function unsupportedForms(sql: string, globalTables: ReadonlySet<string>): DistributedForm[] {
  const found = new Set<DistributedForm>();
  const { stmts } = parseSync(sql) as unknown as { stmts: Node[] };
  for (const stmt of stmts) walk(stmt, (kind, node) => look(kind, node));
  return [...found];

  function look(kind: string, node: Node): void {
    if (kind === 'MergeStmt') found.add('MERGE');
    if (kind === 'ColumnRef' && namesOf(node['fields']).at(-1) === 'ctid') found.add('ctid');
    if (isSelect(kind, node)) lookAtSelect(node);
    if (kind === 'UpdateStmt' || kind === 'DeleteStmt' || kind === 'InsertStmt') lookAtChange(kind, node);
  }

  function lookAtSelect(node: Node): void {
    const withClause = node['withClause'] as Node | undefined;
    if (withClause?.['recursive'] === true && !mentionsTenantParameter(withClause)) found.add('recursion');
    const from = listOf(node['fromClause']);
    if (from.length > 0 && callsIn(node['targetList']).some((name) => onCoordinator.test(name)))
      found.add('notify or advisory lock with FROM');
    walkExpression(node['targetList'], (kind, inner) => {
      if (kind === 'SubLink') lookAtSubquery((inner['subselect'] as Node)['SelectStmt'] as Node);
    });
    if (
      listOf(node['lockingClause']).length > 0 &&
      !mentionsTenantParameter(node) &&
      tablesIn(from).some((name) => !globalTables.has(name))
    )
      found.add('lock over all tenants');
  }

  /** Checks a subquery in a target list. */
  function lookAtSubquery(query: Node): void {
    const own = new Set(aliasesIn(query['fromClause']));
    walk(query['whereClause'], (kind, node) => {
      if (kind !== 'A_Expr' || namesOf(node['name'])[0] !== '=') return;
      const columns = [node['lexpr'], node['rexpr']].map((side) => namesOf((side as { ColumnRef?: Node }).ColumnRef?.['fields']));
      if (columns.every((names) => names.at(-1) === 'tenant_id') && columns.some(([table]) => !own.has(table!)))
        found.add('tenant of an outer query');
    });
  }

  function lookAtChange(kind: string, node: Node): void {
    const target = String((node['relation'] as Node)['relname']);
    const returning = (node['returningClause'] as Node | undefined)?.['exprs'] ?? node['returningList'];
    if (callsIn(returning, true).some((name) => stable.has(name) || volatile.has(name))) found.add('time in RETURNING');
    for (const cte of listOf((node['withClause'] as Node | undefined)?.['ctes'])) {
      const query = ((cte['CommonTableExpr'] as Node)['ctequery'] as Node)['SelectStmt'] as Node | undefined;
      if (query && listOf(query['lockingClause']).length > 0 && tablesIn(query['fromClause']).some((name) => globalTables.has(name)))
        found.add('lock on a global table in WITH');
    }
    if (globalTables.has(target)) {
      const { relation: _, ...others } = node;
      const ctes = new Set(
        listOf((node['withClause'] as Node | undefined)?.['ctes']).map((cte) => String((cte['CommonTableExpr'] as Node)['ctename'])),
      );
      if (tablesIn(others).some((name) => !globalTables.has(name) && !ctes.has(name))) found.add('tenants in a change of a global table');
    }
    if (kind === 'InsertStmt') lookAtInsert(node);
    else {
      lookAtExpressions([node['targetList'], node['whereClause']]);
      // Subqueries in FROM are merged into the statement before it is checked.
      walk([node['fromClause'], node['usingClause']], (inner, query) => {
        if (isSelect(inner, query)) lookAtCases([query['targetList'], query['whereClause']]);
      });
    }
  }

  function lookAtInsert(node: Node): void {
    const source = (node['selectStmt'] as Node | undefined)?.['SelectStmt'] as Node | undefined;
    const isValues = !source || listOf(source['valuesLists']).length > 0;
    const conflict = node['onConflictClause'] as Node | undefined;
    const returns = node['returningClause'] !== undefined || node['returningList'] !== undefined;
    const isGlobal = globalTables.has(String((node['relation'] as Node)['relname']));
    if (!isValues && !returns && !conflict && !isGlobal) found.add('INSERT … SELECT without RETURNING');
    if (!isValues && isGlobal) found.add('INSERT … SELECT into a global table');
    if (isValues && source && has(source['valuesLists'], 'SubLink')) found.add('subquery in VALUES');
    if (callsIn([conflict?.['targetList'], conflict?.['whereClause']], true).some((name) => stable.has(name) || volatile.has(name)))
      found.add('time in ON CONFLICT');
  }

  function lookAtCases(expressions: unknown): void {
    walkExpression(expressions, (kind, node) => {
      if ((kind === 'CaseExpr' || kind === 'CoalesceExpr') && callsIn(node, true).some((name) => stable.has(name) || volatile.has(name)))
        found.add('time in CASE or COALESCE');
    });
  }

  /** The assignments and conditions of an UPDATE or DELETE, without their subqueries. */
  function lookAtExpressions(expressions: unknown): void {
    if (callsIn(expressions).some((name) => volatile.has(name))) found.add('volatile function in UPDATE or DELETE');
    lookAtCases(expressions);
    walkExpression(expressions, (kind, node) => {
      if (kind === 'A_ArrayExpr' && callsIn(node, true).some((name) => stable.has(name))) found.add('time in an array');
      if (kind === 'SubLink' && (node['testexpr'] as Node | undefined)?.['RowExpr']) found.add('row IN subquery');
      if (kind === 'A_Expr' && ['+', '-'].includes(namesOf(node['name'])[0] ?? '')) {
        const sides = [node['lexpr'], node['rexpr']];
        const isTime = sides.some((side) => callsIn(side).some((name) => stable.has(name)) || has(side, 'ColumnRef'));
        const ofColumn = sides.some((side) => callsIn(side).includes('make_interval') && has(side, 'ColumnRef'));
        const toColumn = sides.some(isInterval) && sides.some((side) => !isInterval(side) && has(side, 'ColumnRef'));
        if ((isTime && ofColumn) || toColumn) found.add('interval of a column');
      }
    });
  }
}

/** Whether any condition in the node compares a tenant_id with a parameter. */
function mentionsTenantParameter(node: unknown): boolean {
  let result = false;
  walk(node, (kind, found) => {
    if (kind !== 'A_Expr' || namesOf(found['name'])[0] !== '=') return;
    const sides = [found['lexpr'], found['rexpr']];
    const isTenant = sides.some((side) => namesOf((side as { ColumnRef?: Node }).ColumnRef?.['fields']).at(-1) === 'tenant_id');
    if (isTenant && sides.some((side) => has(side, 'ParamRef'))) result = true;
  });
  return result;
}

/** Names of the tables that the node reads or changes. */
function tablesIn(node: unknown): string[] {
  const names: string[] = [];
  walk(node, (kind, found) => {
    if (kind === 'RangeVar') names.push(String(found['relname']));
  });
  return names;
}

/** Whether an expression has the form of an interval. */
function isInterval(node: unknown): boolean {
  const cast = (node as { TypeCast?: Node }).TypeCast?.['typeName'] as Node | undefined;
  return (
    namesOf(cast?.['names']).at(-1) === 'interval' || callsIn((node as { FuncCall?: Node }).FuncCall ? node : null)[0] === 'make_interval'
  );
}

/** The names by which conditions refer to the tables in a FROM clause. */
function aliasesIn(node: unknown): string[] {
  const names: string[] = [];
  walk(node, (kind, found) => {
    if (kind === 'RangeVar') names.push(String((found['alias'] as Node | undefined)?.['aliasname'] ?? found['relname']));
  });
  return names;
}

/** Names of the functions that the node calls, with or without subqueries. */
function callsIn(node: unknown, subqueries = false): string[] {
  const names: string[] = [];
  (subqueries ? walk : walkExpression)(node, (kind, found) => {
    if (kind === 'FuncCall') names.push(namesOf(found['funcname']).at(-1)!);
    if (kind === 'SQLValueFunction') names.push('now');
  });
  return names;
}

function has(node: unknown, kind: string): boolean {
  let result = false;
  walk(node, (found) => {
    if (found === kind) result = true;
  });
  return result;
}

function isSelect(kind: string, node: Node): boolean {
  return (kind === 'SelectStmt' || kind === 'larg' || kind === 'rarg') && 'op' in node;
}

/** Calls `see` for each descendant. */
function walk(node: unknown, see: (kind: string, node: Node) => void, inside: (kind: string, node: Node) => boolean = () => true): void {
  if (Array.isArray(node)) {
    for (const item of node) walk(item, see, inside);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  for (const [kind, value] of Object.entries(node as Node)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      see(kind, value as Node);
      if (!inside(kind, value as Node)) continue;
    }
    walk(value, see, inside);
  }
}

/** Like {@link walk}, but skips nodes inside subqueries. */
function walkExpression(node: unknown, see: (kind: string, node: Node) => void): void {
  walk(node, see, (kind, found) => !isSelect(kind, found));
}

function namesOf(value: unknown): string[] {
  return listOf(value).map((name) => String((name['String'] as Node | undefined)?.['sval']));
}

function listOf(value: unknown): Node[] {
  return Array.isArray(value) ? (value as Node[]) : [];
}
