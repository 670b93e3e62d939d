import { globSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/*
 * Uses the compiler to find the statements that the files of libs/store/src/queries execute: the
 * name in each statement's text, and the declared type of its rows.
 */

/** A call to `execute` in a query file. */
export interface SentStatement {
  /** Path from the root of the repository, and line. */
  readonly place: string;
  /** Name from the comment in its text; null if it has none. */
  readonly name: string | null;
  /**
   * The row type of a `sql` template, if it declares one; the query builder computes the others.
   */
  readonly row: ts.Type | null;
}

export interface QueryFiles {
  readonly statements: readonly SentStatement[];
  readonly checker: ts.TypeChecker;
}

const named = /\/\* (?:prepared: )?([a-z0-9-]+) \*\//;

export function readQueryFiles(root: string): QueryFiles {
  const files = globSync('libs/store/src/queries/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.spec.ts'));
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile) as { config: { compilerOptions: object } };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const program = ts.createProgram(
    files.map((file) => join(root, file)),
    { ...options, incremental: false, tsBuildInfoFile: undefined },
  );
  const checker = program.getTypeChecker();
  const statements = files.flatMap((file) => {
    const source = program.getSourceFile(join(root, file))!;
    return executedIn(source).map(({ call, sent }) => ({
      place: `${file}:${source.getLineAndCharacterOfPosition(call.getStart()).line + 1}`,
      name: named.exec(sent.getText())?.[1] ?? null,
      row: rowType(sent, checker),
    }));
  });
  return { statements, checker };
}

interface Executed {
  readonly call: ts.CallExpression;
  /** The executed expression: a template, or the calls that build a query. */
  readonly sent: ts.Expression;
}

function executedIn(source: ts.SourceFile): Executed[] {
  const found: Executed[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && node.expression.name.text.startsWith('execute')) {
      const sent = node.expression.expression;
      // Runs a function in a transaction.
      if (!/\.transaction\(\)/.test(sent.getText())) found.push(...origins(sent, source).map((origin) => ({ call: node, sent: origin })));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/**
 * The expression that contains a statement, which may be in a variable or returned by a function of
 * the same file.
 */
function origins(sent: ts.Expression, source: ts.SourceFile): ts.Expression[] {
  if (ts.isParenthesizedExpression(sent)) return origins(sent.expression, source);
  if (ts.isConditionalExpression(sent)) return [...origins(sent.whenTrue, source), ...origins(sent.whenFalse, source)];
  if (ts.isIdentifier(sent)) return variables(enclosingFunction(sent) ?? source, sent.text).flatMap((value) => origins(value, source));
  if (ts.isCallExpression(sent) && ts.isIdentifier(sent.expression))
    return returned(source, sent.expression.text).flatMap((value) => origins(value, source));
  return [sent];
}

/** Returns the declared function that a node is in. */
function enclosingFunction(node: ts.Node): ts.FunctionDeclaration | undefined {
  return ts.findAncestor(node, ts.isFunctionDeclaration);
}

function variables(within: ts.Node, name: string): ts.Expression[] {
  return nodesOf(within, ts.isVariableDeclaration).flatMap((one) =>
    one.name.getText() === name && one.initializer ? [one.initializer] : [],
  );
}

function returned(source: ts.SourceFile, name: string): ts.Expression[] {
  return nodesOf(source, ts.isFunctionDeclaration)
    .filter((one) => one.name?.text === name)
    .flatMap((one) => nodesOf(one, ts.isReturnStatement).flatMap(({ expression }) => (expression ? [expression] : [])));
}

function nodesOf<T extends ts.Node>(root: ts.Node, is: (node: ts.Node) => node is T): T[] {
  const found: T[] = [];
  const visit = (node: ts.Node): void => {
    if (is(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(root);
  return found;
}

function rowType(sent: ts.Expression, checker: ts.TypeChecker): ts.Type | null {
  const declared = ts.isTaggedTemplateExpression(sent) ? sent.typeArguments?.[0] : undefined;
  return declared ? checker.getTypeFromTypeNode(declared) : null;
}
