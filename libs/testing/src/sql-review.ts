import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Query files whose text depends on the user's filters and sort order: examples are committed, and
 * no run shows all of it.
 */
const composed: ReadonlySet<string> = new Set(['filter-sql', 'list-experiments', 'list-runs']);

const committedFolder = join(import.meta.dirname, '../../store/sql');

/**
 * A statement in its review form: lists of parameters of variable length are reduced to their first
 * entry.
 */
export function reviewForm(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\$\d+/g, '$n')
    .replace(/(\((?:[^()]|\([^()]*\))*\$n(?:[^()]|\([^()]*\))*\))(?:, \1)+/g, '$1, …')
    .replace(/\$n(?:, \$n)+/g, '$n, …')
    .replace(
      / (from|where|and|or|join|left join|inner join|group by|order by|limit|on conflict|values|returning|set|having|union|for update)\b/g,
      '\n$1',
    );
}

/**
 * All statements that the test files recorded, by query file; each file's statements are sorted.
 */
async function readNoted(folder: string): Promise<Map<string, Set<string>>> {
  const noted = new Map<string, Set<string>>();
  for (const name of await readdir(folder).catch(() => [])) {
    const statements = JSON.parse(await readFile(join(folder, name), 'utf8')) as Record<string, string[]>;
    for (const [file, texts] of Object.entries(statements)) {
      const own = noted.get(file) ?? new Set();
      noted.set(file, own);
      for (const text of texts) own.add(reviewForm(text));
    }
  }
  return noted;
}

async function readCommitted(file: string): Promise<Set<string>> {
  const text = await readFile(join(committedFolder, `${file}.sql`), 'utf8').catch(() => '');
  return new Set(text.split(/;\n+/).filter((statement) => statement.trim() !== ''));
}

/**
 * Compares the SQL that the tests recorded with libs/store/sql. With `update`, writes it there
 * (keeping statements that these tests did not reach); otherwise throws and lists the missing ones:
 * SQL changes are reviewed as SQL.
 */
export async function reviewSql(notedFolder: string, update: boolean): Promise<void> {
  const missing: string[] = [];
  for (const [file, statements] of await readNoted(notedFolder)) {
    const committed = await readCommitted(file);
    const fresh = [...statements].filter((statement) => !committed.has(statement));
    if (fresh.length === 0 || (composed.has(file) && (!update || committed.size > 0))) continue;
    if (update) {
      const path = join(committedFolder, `${file}.sql`);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(
        path,
        [...new Set([...committed, ...fresh])]
          .toSorted()
          .map((statement) => `${statement};\n`)
          .join('\n'),
      );
    } else {
      missing.push(`libs/store/sql/${file}.sql lacks:\n${fresh.join('\n;\n')}`);
    }
  }
  if (missing.length > 0) throw new Error(`SQL that is not committed for review; npm run test:sql writes it.\n\n${missing.join('\n\n')}`);
}
