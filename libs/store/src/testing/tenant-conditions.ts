import { parseSync } from 'libpg-query';

/*
 * Finds the tenant tables that a parsed statement uses without a tenant condition. Call
 * `loadModule()` of libpg-query first.
 */

type Node = { readonly [key: string]: unknown };

/** A tenant table in the statement, and whether a condition binds it to a tenant. */
export interface TableUse {
  readonly table: string;
  /** The name by which the statement refers to the table. */
  readonly alias: string;
  readonly isBound: boolean;
}

/** A FROM item at one level. */
interface Level {
  /** Tenant tables, by alias. */
  readonly tables: Map<string, string>;
  /** Conditions that are true for each row, and the aliases that they restrict (null means any). */
  readonly conditions: { readonly condition: Node; readonly restricts: ReadonlySet<string> | null }[];
}

/**
 * Each use of a tenant table. A use is bound if a condition on each of its rows requires that its
 * `tenant_id` equal a parameter or the `tenant_id` of another bound source: another tenant table, a
 * subquery or a CTE, or a row of an outer level. An INSERT names the column instead. `drop` omits
 * the conditions on one alias, to show that their absence would be detected.
 */
export function tableUses(sql: string, tenantTables: ReadonlySet<string>, drop: string | null = null): TableUse[] {
  const uses: TableUse[] = [];
  const { stmts } = parseSync(sql) as unknown as { stmts: Node[] };
  for (const stmt of stmts) visit(stmt, new Set());
  return uses;

  /** Visits any node. Statements in it are separate levels. */
  function visit(node: unknown, ctes: ReadonlySet<string>): void {
    if (Array.isArray(node)) {
      for (const item of node) visit(item, ctes);
      return;
    }
    if (!isNode(node)) return;
    for (const [kind, value] of Object.entries(node)) {
      if (isNode(value) && (kind === 'SelectStmt' || kind === 'larg' || kind === 'rarg') && 'op' in value) select(value, ctes);
      else if (isNode(value) && kind === 'UpdateStmt') change(value, value['fromClause'], ctes);
      else if (isNode(value) && kind === 'DeleteStmt') change(value, value['usingClause'], ctes);
      else if (isNode(value) && kind === 'InsertStmt') insert(value, ctes);
      else if (kind === 'MergeStmt' || kind === 'TruncateStmt') throw new Error(`${kind} is not understood here: extend this check`);
      else visit(value, ctes);
    }
  }

  function select(statement: Node, outer: ReadonlySet<string>): void {
    const ctes = withCtes(statement, outer);
    level([...list(statement['fromClause'])], statement['whereClause'], ctes);
    const { fromClause: _, withClause: __, ...rest } = statement;
    visit(statement['fromClause'], ctes);
    visit(rest, ctes);
  }

  function change(statement: Node, others: unknown, outer: ReadonlySet<string>): void {
    const ctes = withCtes(statement, outer);
    level([{ RangeVar: statement['relation'] }, ...list(others)], statement['whereClause'], ctes);
    const { withClause: _, ...rest } = statement;
    visit(rest, ctes);
  }

  function insert(statement: Node, outer: ReadonlySet<string>): void {
    const ctes = withCtes(statement, outer);
    const { relname } = statement['relation'] as { relname: string };
    const names = list(statement['cols']).map((column) => (column['ResTarget'] as Node)['name']);
    if (tenantTables.has(relname)) uses.push({ table: relname, alias: relname, isBound: names.includes('tenant_id') && drop !== relname });
    const { withClause: _, ...rest } = statement;
    visit(rest, ctes);
  }

  /** Visits the CTEs of a statement, and returns all names that it can use. */
  function withCtes(statement: Node, outer: ReadonlySet<string>): ReadonlySet<string> {
    const clause = statement['withClause'] as Node | undefined;
    if (!clause) return outer;
    const names = new Set(outer);
    const own = list(clause['ctes']).map((cte) => cte['CommonTableExpr'] as Node);
    if (clause['recursive'] === true) for (const cte of own) names.add(String(cte['ctename']));
    for (const cte of own) {
      visit(cte['ctequery'], new Set(names));
      names.add(String(cte['ctename']));
    }
    return names;
  }

  function level(from: readonly Node[], where: unknown, ctes: ReadonlySet<string>): void {
    const found: Level = { tables: new Map(), conditions: [] };
    for (const source of from) read(source, found, ctes);
    if (isNode(where)) found.conditions.push({ condition: where, restricts: null });
    const equalities = found.conditions.flatMap(({ condition, restricts }) =>
      conjuncts(condition).flatMap((one) => equalityOf(one, found.tables).map((equality) => ({ ...equality, restricts }))),
    );
    const bound = new Set<string>();
    for (let size = -1; size < bound.size;) {
      size = bound.size;
      for (const { alias, other, restricts } of equalities) {
        if (alias === drop || (other !== null && other === drop)) continue;
        if (restricts !== null && !restricts.has(alias)) continue;
        if (other === null || bound.has(other)) bound.add(alias);
      }
    }
    for (const [alias, table] of found.tables) uses.push({ table, alias, isBound: bound.has(alias) });
  }

  /** Reads one FROM source. Returns the aliases of the tenant tables in it. */
  function read(source: Node, into: Level, ctes: ReadonlySet<string>): Set<string> {
    const table = source['RangeVar'] as Node | undefined;
    if (table) {
      const name = String(table['relname']);
      if (!tenantTables.has(name) || (ctes.has(name) && table['schemaname'] === undefined)) return new Set();
      const alias = (table['alias'] as { aliasname: string } | undefined)?.aliasname ?? name;
      into.tables.set(alias, name);
      return new Set([alias]);
    }
    const join = source['JoinExpr'] as Node | undefined;
    if (!join) return new Set();
    const left = read(join['larg'] as Node, into, ctes);
    const right = read(join['rarg'] as Node, into, ctes);
    const both = new Set([...left, ...right]);
    const restricts = { JOIN_INNER: both, JOIN_LEFT: right, JOIN_RIGHT: left, JOIN_FULL: new Set<string>() }[String(join['jointype'])];
    if (!restricts) throw new Error(`${String(join['jointype'])} is not understood here: extend this check`);
    if (isNode(join['quals'])) into.conditions.push({ condition: join['quals'], restricts });
    const using = list(join['usingClause']).some((name) => (name['String'] as Node)['sval'] === 'tenant_id');
    if (using) into.conditions.push({ condition: { using: [left, right] }, restricts });
    return both;
  }
}

/**
 * The equality `alias.tenant_id = …`. `other` is a table at this level, or null for anything else,
 * which has one value per row.
 */
interface Equality {
  readonly alias: string;
  readonly other: string | null;
}

function equalityOf(condition: Node, tables: ReadonlyMap<string, string>): Equality[] {
  const using = condition['using'] as [Set<string>, Set<string>] | undefined;
  if (using) {
    const [left, right] = using.map((aliases) => [...aliases]) as [string[], string[]];
    const first = left[0] ?? null;
    const others = right.map((alias): Equality => ({ alias, other: first }));
    return [...others, ...left.map((alias): Equality => ({ alias, other: right[0] ?? null }))];
  }
  const expression = condition['A_Expr'] as Node | undefined;
  if (expression?.['kind'] !== 'AEXPR_OP') return [];
  const operator = list(expression['name']).map((name) => (name['String'] as Node)['sval']);
  if (operator.length !== 1 || operator[0] !== '=') return [];
  const sides = [expression['lexpr'], expression['rexpr']].map((side) => tenantColumn(side, tables));
  const [left, right] = sides;
  return [
    ...(left === undefined ? [] : [{ alias: left, other: right ?? null }]),
    ...(right === undefined ? [] : [{ alias: right, other: left ?? null }]),
  ];
}

/** The alias at this level if the expression is its `tenant_id`; otherwise, undefined. */
function tenantColumn(expression: unknown, tables: ReadonlyMap<string, string>): string | undefined {
  if (!isNode(expression)) return undefined;
  const column = expression['ColumnRef'] as Node | undefined;
  if (!column) return undefined;
  const names = list(column['fields']).map((field) => (field['String'] as Node | undefined)?.['sval']);
  if (names.at(-1) !== 'tenant_id') return undefined;
  if (names.length > 1) return tables.has(String(names[0])) ? String(names[0]) : undefined;
  return tables.size === 1 ? [...tables.keys()][0] : undefined;
}

/** The parts of a condition that are true for each row that meets it. */
function conjuncts(condition: Node): Node[] {
  const joined = condition['BoolExpr'] as Node | undefined;
  return joined?.['boolop'] === 'AND_EXPR' ? list(joined['args']).flatMap(conjuncts) : [condition];
}

function list(value: unknown): Node[] {
  return Array.isArray(value) ? (value as Node[]) : [];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
