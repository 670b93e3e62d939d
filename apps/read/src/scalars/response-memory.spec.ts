import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { becomeCaller, runForStranger } from '#admission';
import { reserveResponse } from './response-memory.ts';

const MiB = 1024 * 1024;
const asMember = <T>(account: string, work: () => T): T =>
  runForStranger('192.0.2.1', () => {
    becomeCaller(account, 'member');
    return work();
  });
const result = () => new EventEmitter() as EventEmitter & ServerResponse;

it('unread responses use the memory of their own share only, and free it with their connection', async () => {
  const unread = Array.from({ length: 4 }, result);
  const taken = unread.map((response) => asMember('loud', () => reserveResponse(response)(64 * MiB)));
  await taken[0];
  await taken[1];
  await asMember('quiet', () => reserveResponse(result())(20 * MiB));
  await asMember('loud', () => reserveResponse(result())(10_000)); // small ones are not counted
  unread[0]!.emit('close');
  await taken[2];
  await expect(taken[3]).rejects.toMatchObject({ code: 'rate-limited' });
  for (const response of unread) response.emit('close');
});
