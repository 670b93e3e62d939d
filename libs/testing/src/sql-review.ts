import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { format } from 'sql-formatter';

/** A result column, as Postgres describes it. */
export interface ResultColumn {
  readonly name: string;
  readonly type: string;
}

/** A statement that Postgres received, and its result. */
export interface NotedStatement {
  readonly text: string;
  /** Empty if the statement returns no rows or rows without columns. */
  readonly columns: readonly ResultColumn[];
}

/** A statement's name, which is in a comment in its text. Null if it has none. */
export function statementName(text: string): string | null {
  return /\/\* (?:prepared: )?([a-z0-9-]+) \*\//.exec(text)?.[1] ?? null;
}

/**
 * Files with statements that depend on users' filters and sort orders, so that a test run sends
 * arbitrary statements. Instead, `composed-sql.spec.ts` in #store samples them with fixed inputs.
 */
const composedFiles: ReadonlySet<string> = new Set(['experiments/list-experiments', 'experiments/list-runs']);

export const committedSqlFolder = join(import.meta.dirname, '../../store/sql');

const storeFolder = join(import.meta.dirname, '../../store/src');

/** The #store files that send statements, by the names of their files in libs/store/sql. */
function readQueryFiles(): Map<string, string> {
  const names = readdirSync(join(storeFolder, 'queries'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((name) => name.slice(0, -'.ts'.length));
  const paths = [
    ...names.map((name) => [name, join(storeFolder, 'queries', `${name}.ts`)] as const),
    ['copy-from', join(storeFolder, 'copy-from.ts')] as const,
  ];
  return new Map(paths.map(([name, path]) => [name, readFileSync(path, 'utf8')]));
}

/**
 * Finds the file that contains a statement, by the name in the statement's text. Null if there is
 * none. Composed names are found by the part that is written in the code.
 */
function fileFinder(): (name: string) => string | null {
  const files = [...readQueryFiles()];
  const written = new Map(
    files.flatMap(([file, text]) => [...text.matchAll(/\/\* (?:prepared: )?([a-z0-9-]+) \*\//g)].map(([, name]) => [name!, file])),
  );
  const composed = files
    .filter(([, text]) => text.includes('text-result.ts'))
    .flatMap(([file, text]) => [...text.matchAll(/['`]([a-z0-9]+(?:-[a-z0-9]+)+)(?:'|-\$\{)/g)].map(([, part]) => ({ part: part!, file })))
    .toSorted((a, b) => b.part.length - a.part.length);
  return (name) => written.get(name) ?? composed.find(({ part }) => name === part || name.startsWith(`${part}-`))?.file ?? null;
}

/** A statement as shown to reviewers, below its result columns. */
export function describedForm({ text, columns }: NotedStatement): string {
  const returns = columns.length === 0 ? '' : `-- returns ${columns.map(({ name, type }) => `${name} ${type}`).join(', ')}\n`;
  return returns + reviewForm(text);
}

/** The name and result columns of a statement in libs/store/sql. */
export function describedColumns(statement: string): { readonly name: string; readonly columns: readonly ResultColumn[] } {
  const list = /^-- returns (.*)$/m.exec(statement)?.[1]?.split(', ') ?? [];
  const columns = list.map((column) => ({ name: column.slice(0, column.indexOf(' ')), type: column.slice(column.indexOf(' ') + 1) }));
  return { name: statementName(statement) ?? '', columns };
}

/**
 * Formats a statement for reviewers, with parameter lists of variable length reduced to their first
 * entry.
 */
export function reviewForm(text: string): string {
  const short = text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\$\d+/g, '$n')
    .replace(/(\((?:[^()]|\([^()]*\))*\$n(?:[^()]|\([^()]*\))*\))(?:, \1)+/g, '$1, …')
    .replace(/\$n(?:, \$n)+/g, '$n, …');
  return format(short, {
    language: 'postgresql',
    keywordCase: 'preserve',
    expressionWidth: 100,
    paramTypes: { custom: [{ regex: String.raw`\$n` }, { regex: '…' }] },
  });
}

/** The content of a libs/store/sql file with these statements. */
export function fileOf(statements: Iterable<string>): string {
  return [...new Set(statements)]
    .toSorted()
    .map((statement) => `${statement};\n`)
    .join('\n');
}

/** The statements in a libs/store/sql file. */
export function statementsOf(text: string): string[] {
  return text.split(/;\n+/).filter((statement) => statement !== '');
}

/** All statements that the test files recorded, by file name. */
async function readNoted(folder: string): Promise<Map<string, Set<string>>> {
  const fileOfName = fileFinder();
  const noted = new Map<string, Set<string>>();
  for (const name of await readdir(folder).catch(() => [])) {
    for (const statement of JSON.parse(await readFile(join(folder, name), 'utf8')) as NotedStatement[]) {
      const file = fileOfName(statementName(statement.text)!);
      if (file === null || composedFiles.has(file)) continue; // null: a test's own statement
      noted.set(file, (noted.get(file) ?? new Set()).add(describedForm(statement)));
    }
  }
  return noted;
}

/** All statements in libs/store/sql, by name. */
async function readCommitted(): Promise<Map<string, string>> {
  const names = (await readdir(committedSqlFolder, { recursive: true })).filter((name) => name.endsWith('.sql'));
  const entries = names.map(
    async (name) => [name.slice(0, -'.sql'.length), await readFile(join(committedSqlFolder, name), 'utf8')] as const,
  );
  return new Map((await Promise.all(entries)).filter(([name]) => !composedFiles.has(name)));
}

/**
 * Throws if the tests sent SQL that libs/store/sql lacks, because SQL changes are reviewed as SQL.
 */
export async function reviewSql(recordedFolder: string): Promise<void> {
  const committed = await readCommitted();
  const faults: string[] = [];
  for (const [name, statements] of await readNoted(recordedFolder)) {
    const known = new Set(statementsOf(committed.get(name) ?? ''));
    const missing = [...statements].filter((statement) => !known.has(statement));
    if (missing.length > 0) faults.push(`libs/store/sql/${name}.sql lacks:\n${missing.join('\n;\n')}`);
  }
  if (faults.length > 0) throw new Error(`SQL that is not committed for review; npm run test:sql writes it.\n\n${faults.join('\n\n')}`);
}

/**
 * Writes the tests' statements to libs/store/sql. A full run rewrites each file and omits
 * statements that no test sends anymore. Other runs only add statements.
 */
export async function writeSql(notedFolder: string, isFull: boolean): Promise<void> {
  const noted = await readNoted(notedFolder);
  const committed = await readCommitted();
  for (const name of new Set([...noted.keys(), ...(isFull ? committed.keys() : [])])) {
    const before = isFull ? '' : (committed.get(name) ?? '');
    await write(join(committedSqlFolder, `${name}.sql`), fileOf([...statementsOf(before), ...(noted.get(name) ?? [])]));
  }
}

async function write(path: string, text: string): Promise<void> {
  if (text === '') return rm(path, { force: true });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
