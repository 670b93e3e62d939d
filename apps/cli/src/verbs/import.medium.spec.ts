import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ParquetTable } from '#parquet';
import { type Outcome, TestHost } from '../testing/test-host.ts';

let host: TestHost;
beforeEach(() => {
  host = new TestHost();
});
afterEach(() => host.remove());

interface Skipped {
  readonly what: string;
  readonly why: string;
  readonly count: number;
}

/** Imports a file into event files, without an upload. */
async function write(name: string, content: Uint8Array | string, ...flags: string[]): Promise<Outcome> {
  host.write(name, content);
  return host.run(['import', name, '--no-upload', '--outdir', 'out', ...flags, '--json']);
}

async function written(name: string, content: Uint8Array | string, ...flags: string[]) {
  const { exitCode, stdout, stderr } = await write(name, content, ...flags);
  expect([exitCode, stderr]).toEqual([0, expect.anything()]);
  return { stderr, ...(JSON.parse(stdout) as { points: number; restarts: number; repeats: number; skipped: Skipped[] }) };
}

async function rejected(name: string, content: Uint8Array | string, ...flags: string[]): Promise<string> {
  const { exitCode, stderr } = await write(name, content, ...flags);
  expect(exitCode).toBe(1);
  expect(existsSync(join(host.folder, 'out'))).toBe(false);
  return stderr.replaceAll(`${host.folder}/`, '');
}

const table = (...rows: string[]): string => ['run,tag,step,value', ...rows, ''].join('\n');

describe('steps of a table', () => {
  it('may repeat: the points are counted', async () => {
    const { points, restarts, repeats, stderr } = await written('dup.csv', table('a,l,0,1', 'a,l,0,2', 'a,l,1,3'));
    expect({ points, restarts, repeats }).toEqual({ points: 3, restarts: 0, repeats: 1 });
    expect(stderr).toContain(
      '1 point repeats a step. The last point of a step counts; exports include the earlier points with --superseded.',
    );
    host.remove();
    host = new TestHost();
    expect((await written('dup.csv', table('a,l,0,1', 'a,l,0,2', 'a,l,0,3'))).stderr).toContain('2 points repeat a step.');
  });

  it('may not go back further than the rows in memory, unless the run was restarted', async () => {
    const rows = Array.from({ length: 262_144 }, (_, i) => `a,l,${i + 5},1`).join('\n');
    const back = table(rows, 'a,l,0,2');
    expect(await rejected('back.csv', back)).toBe(
      'The steps of l in a decrease: step 0 follows step 262148. Sort the table by step. If the run restarted there, pass --allow-restarts: later points then supersede earlier points.\n',
    );
    const { restarts, repeats, stderr } = await written('back.csv', back, '--allow-restarts');
    expect({ restarts, repeats }).toEqual({ restarts: 1, repeats: 0 });
    expect(stderr).toContain('1 point follows a higher step of its series: it counts as a restart.');
  });
});

describe('numbers', () => {
  it('that are out of range are listed with their reason', async () => {
    const { points, skipped, stderr } = await written(
      'x.csv',
      table('a,l,0,1e400', 'a,l,1,inf', 'a,l,2,-Infinity', 'a,l,3,x', 'a,l,9223372036854775808,1', 'a,l,1.5,1'),
    );
    expect(points).toBe(2);
    expect(skipped).toEqual([
      { what: 'rows', why: 'their value is out of range for float64', count: 1 },
      { what: 'rows', why: 'their value is not a number', count: 1 },
      { what: 'rows', why: 'their step is out of range for int64', count: 1 },
      { what: 'rows', why: 'their step is not a whole number', count: 1 },
    ]);
    expect(stderr).toContain('Not imported: 1 row: its step is not a whole number.');
  });

  it('of JSON are out of range when they would become infinite', async () => {
    const lines = ['{"tag":"l","step":0,"value":1e400}', '{"tag":"l","step":1,"value":"Infinity"}', '{"tag":"l","step":1e400,"value":1}'];
    const { points, skipped } = await written('x.jsonl', lines.join('\n'));
    expect(points).toBe(1);
    expect(skipped.map(({ why }) => why)).toEqual(['their value is out of range for float64', 'their step is out of range for int64']);
  });

  it('of Parquet stay infinite', async () => {
    const parquet = new ParquetTable([
      { name: 'tag', kind: 'text' },
      { name: 'step', kind: 'int64' },
      { name: 'value', kind: 'float64' },
    ]);
    const cells = parquet.add(2, [['l', 'l'], BigInt64Array.of(0n, 1n), Float64Array.of(Infinity, -Infinity)]);
    expect(await written('x.parquet', Buffer.concat([...cells, ...parquet.finish()]))).toMatchObject({ points: 2, skipped: [] });
  });
});

describe('a file that cannot be read', () => {
  const utf16 = Buffer.from(`\uFEFF${table('a,l,0,1')}`, 'utf16le');

  it.each([
    ['x.csv', 'run,tag,run,step,value\na,l,b,0,1\n', 'The table has more than one column "run". Remove or rename the others.'],
    ['x.csv', table('a,l,0,"1'), 'x.csv cannot be read as csv: the quoted cell that starts on line 2 has no closing quote.'],
    ['x.csv', utf16, 'x.csv is UTF-16 text. Convert it to UTF-8, for example with iconv.'],
    ['x.csv', utf16.subarray(2), 'x.csv is UTF-16 text. Convert it to UTF-8, for example with iconv.'],
    ['x.jsonl', utf16.swap16(), 'x.jsonl is UTF-16 text. Convert it to UTF-8, for example with iconv.'],
    ['x.csv', Buffer.from(table('a,l,0,1', 'a,é,0,1'), 'latin1'), 'Line 3 of x.csv is not UTF-8 text. Convert the file to UTF-8.'],
    ['x.jsonl', '{"tag":"l","value":1}\n\n{"tag":"l",\n', 'Line 3 of x.jsonl is not a JSON object.'],
    ['x.jsonl', '{"tag":"l","value":1}\nnull\n', 'Line 2 of x.jsonl is not a JSON object.'],
    ['x.parquet', '', 'x.parquet is empty. A Parquet file has at least a footer.'],
    ['x.parquet', 'some text, not a table', 'x.parquet is not a Parquet file.'],
    ['x.parquet', 'PAR1 and some rows', 'x.parquet is an incomplete Parquet file: its footer is missing.'],
    ['x.parquet', 'PAR1 and then junk PAR1', 'x.parquet is a damaged Parquet file: its footer cannot be read.'],
    ['x.arrow', '', 'x.arrow is not an Arrow file: it has no schema.'],
    ['x.arrow', 'some text, not a table', 'x.arrow is not an Arrow file, or it is damaged.'],
  ])('%s is named, with its fault (%#)', async (name, content, message) => {
    expect(await rejected(name, content)).toBe(`${message}\n`);
  });
});

describe('--name', () => {
  it('is checked before anything is read', async () => {
    host.write('x.csv', Buffer.from([0xff, 0xff]));
    const { exitCode, stderr } = await host.run(['import', 'x.csv', '--name', 'ß'.repeat(101)]);
    expect([exitCode, stderr]).toEqual([2, '--name is longer than 100 characters. Choose a shorter name.\n']);
  });
});
