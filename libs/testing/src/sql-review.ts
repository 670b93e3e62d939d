import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { format } from 'sql-formatter';

/**
 * Statements whose text depends on the filters and sort orders of users, so a test run sends
 * arbitrary ones. `composed-sql.spec.ts` of #store samples them from fixed inputs instead.
 */
export const composedStatements: ReadonlySet<string> = new Set(['filter-sql', 'list-experiments', 'list-runs']);

export const committedSqlFolder = join(import.meta.dirname, '../../store/sql');

/**
 * Formats a statement for reading, with parameter lists of variable length reduced to their first
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

/** The content of a file of libs/store/sql with these statements. */
export function fileOf(statements: Iterable<string>): string {
  return [...new Set(statements)]
    .toSorted()
    .map((statement) => `${statement};\n`)
    .join('\n');
}

/** The statements of a file of libs/store/sql. */
export function statementsOf(text: string): string[] {
  return text.split(/;\n+/).filter((statement) => statement !== '');
}

/** All statements that the test files recorded, by name. */
async function readNoted(folder: string): Promise<Map<string, Set<string>>> {
  const noted = new Map<string, Set<string>>();
  for (const name of await readdir(folder).catch(() => [])) {
    const statements = JSON.parse(await readFile(join(folder, name), 'utf8')) as Record<string, string[]>;
    for (const [file, texts] of Object.entries(statements)) {
      if (composedStatements.has(file)) continue;
      const own = noted.get(file) ?? new Set();
      noted.set(file, own);
      for (const text of texts) own.add(reviewForm(text));
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
  return new Map((await Promise.all(entries)).filter(([name]) => !composedStatements.has(name)));
}

/**
 * Throws if the tests sent SQL that libs/store/sql lacks: SQL changes are reviewed as SQL.
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
 * Writes the statements of the tests to libs/store/sql. A full run rewrites each file, without
 * statements that no test sends any more; other runs only add statements.
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
