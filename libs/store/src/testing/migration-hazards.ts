import { parseSync } from 'libpg-query';

/*
 * Migration steps that lock a large table for a long time, or break the previous version while it
 * runs at the same time. These are the squawk rules that concern this service. Call `loadModule()`
 * of libpg-query first.
 */

type Node = { readonly [key: string]: unknown };

interface Relation {
  readonly relname: string;
}
interface Constraint {
  readonly contype: string;
  readonly skip_validation?: boolean;
  readonly indexname?: string;
  readonly raw_expr?: Node;
}
interface Command {
  readonly subtype: string;
  readonly def?: {
    readonly Constraint?: Constraint;
    readonly ColumnDef?: { readonly constraints?: readonly { readonly Constraint: Constraint }[] };
  };
}

/**
 * A migration's hazards, each as `rule table`. Tables that the file itself creates are empty and
 * therefore exempt.
 */
export function migrationHazards(sql: string): string[] {
  const { stmts = [] } = parseSync(sql) as unknown as { stmts?: { stmt: Record<string, Node> }[] };
  const outside = /^-- plotline:no-transaction$/m.test(sql);
  const contract = /^-- plotline:contract$/m.test(sql);
  const fresh = new Set(stmts.flatMap(({ stmt }) => (stmt['CreateStmt'] ? [tableOf(stmt['CreateStmt'])] : [])));
  const hazards = stmts.flatMap(({ stmt }) =>
    Object.entries(stmt).flatMap(([kind, node]) => hazardsOf(kind, node, { outside, contract, fresh })),
  );
  if (outside && stmts.length !== 1) hazards.push('not-one-statement-outside-a-transaction');
  return hazards;
}

interface File {
  readonly outside: boolean;
  readonly contract: boolean;
  readonly fresh: ReadonlySet<string>;
}

function hazardsOf(kind: string, node: Node, { outside, contract, fresh }: File): string[] {
  const table = node['relation'] ? tableOf(node) : '';
  if (fresh.has(table)) return [];
  switch (kind) {
    case 'IndexStmt':
      if (!node['concurrent']) return [`index-not-concurrent ${table}`];
      return outside ? [] : [`concurrent-index-in-transaction ${table}`];
    case 'UpdateStmt':
    case 'DeleteStmt':
      return outside ? [] : [`rows-changed-in-transaction ${table}`];
    case 'RenameStmt':
      return [`rename ${table}`];
    case 'DropStmt':
      return ['OBJECT_TABLE', 'OBJECT_VIEW'].includes(node['removeType'] as string) && !contract
        ? [`drop-without-contract ${droppedBy(node)}`]
        : [];
    case 'AlterTableStmt':
      return (node['cmds'] as { AlterTableCmd: Command }[]).flatMap(({ AlterTableCmd: command }) =>
        hazardsOfCommand(command, contract).map((hazard) => `${hazard} ${table}`),
      );
    default:
      return [];
  }
}

function hazardsOfCommand({ subtype, def }: Command, contract: boolean): string[] {
  switch (subtype) {
    case 'AT_AlterColumnType':
      return ['type-changed'];
    case 'AT_SetNotNull':
      return ['not-null-set'];
    case 'AT_DropColumn':
      return contract ? [] : ['drop-without-contract'];
    case 'AT_AddConstraint':
      return hazardsOfConstraint(def!.Constraint!);
    case 'AT_AddColumn': {
      const constraints = (def!.ColumnDef!.constraints ?? []).map(({ Constraint }) => Constraint);
      const standard = constraints.find(({ contype }) => contype === 'CONSTR_DEFAULT');
      const hazards = constraints.filter(({ contype }) =>
        ['CONSTR_UNIQUE', 'CONSTR_PRIMARY', 'CONSTR_FOREIGN', 'CONSTR_CHECK'].includes(contype),
      );
      return [
        ...hazards.map(() => 'constraint-with-column'),
        ...(constraints.some(({ contype }) => contype === 'CONSTR_NOTNULL') && !standard ? ['not-null-without-default'] : []),
        ...(constraints.some(({ contype }) => contype === 'CONSTR_IDENTITY') || (standard && isVolatile(standard.raw_expr!))
          ? ['table-rewritten']
          : []),
      ];
    }
    default:
      return [];
  }
}

/**
 * Checks and references must be validated in a separate step, and unique constraints must use an
 * existing index.
 */
function hazardsOfConstraint({ contype, skip_validation: later, indexname }: Constraint): string[] {
  if (['CONSTR_CHECK', 'CONSTR_FOREIGN', 'CONSTR_NOTNULL'].includes(contype)) return later ? [] : ['constraint-validated-under-lock'];
  return indexname ? [] : ['unique-without-index'];
}

/** Whether each row needs a separate value. `now()` is the same in all rows. */
function isVolatile(expression: Node): boolean {
  const call = JSON.stringify(expression).matchAll(
    /"funcname":\[(?:\{"String":\{"sval":"pg_catalog"\}\},)?\{"String":\{"sval":"(\w+)"\}\}\]/g,
  );
  return [...call].some(([, name]) => name !== 'now');
}

function tableOf(node: Node): string {
  return (node['relation'] as Relation).relname;
}

function droppedBy(node: Node): string {
  const [first] = node['objects'] as { List: { items: { String: { sval: string } }[] } }[];
  return first!.List.items.at(-1)!.String.sval;
}
