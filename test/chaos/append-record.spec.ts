import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { AppendRecord } from './append-record.ts';

const clean: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of clean.splice(0).toReversed()) await step();
});

/**
 * Starts an append record in front of a server that reports 100 durable bytes of file 7, accepts
 * each append of ten bytes, and rejects the append at 55.
 */
async function recorded(): Promise<AppendRecord> {
  const server = createServer((asked, response) => {
    const offset = Number(asked.headers['upload-offset']);
    asked.resume();
    asked.on('end', () => {
      if (asked.method === 'POST') return void response.writeHead(201).end(JSON.stringify({ file_id: '7', offset: 100 }));
      if (offset === 55) return void response.writeHead(409, { 'upload-offset': '100' }).end();
      response.writeHead(204, { 'upload-offset': String(offset + 10) }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const record = await AppendRecord.before(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  clean.push(
    () => new Promise((resolve) => server.close(resolve)),
    () => record.close(),
  );
  return record;
}

async function append(record: AppendRecord, offset: number, prefix = ''): Promise<number> {
  const headers = { 'upload-offset': String(offset) };
  return (await fetch(`${record.url}/api/v1${prefix}/files/7`, { method: 'PATCH', headers, body: 'x'.repeat(10) })).status;
}

it.each(['', '/uploads'])('finds appends that start beyond what a response had named: addresses with the prefix “%s”', async (prefix) => {
  const record = await recorded();
  expect(await append(record, 0, prefix)).toBe(204); // No response has named an offset of the file.
  const announced = await fetch(`${record.url}/api/v1${prefix}/experiments/e/files`, { method: 'POST', body: '{}' });
  expect(await announced.json()).toEqual({ file_id: '7', offset: 100 });
  for (const offset of [100, 110, 90, 121]) await append(record, offset, prefix);
  expect(record.appends.map(({ offset, durable }) => [offset, durable])).toEqual([
    [0, null],
    [100, 100],
    [110, 110],
    [90, 120],
    [121, 120],
  ]);
  expect(record.ahead.map(({ offset }) => offset)).toEqual([0, 121]);
  expect(record.conflicts).toEqual([]);
});

it('counts rejections', async () => {
  const record = await recorded();
  expect(await append(record, 55)).toBe(409);
  expect(record.appends[0]!.status).toBe(409);
  expect(record.conflicts).toEqual(['PATCH /api/v1/files/7']);
});
