import { expect, it } from 'vitest';
import { seededRandom } from '#testing';
import { FairQueue, type Permit } from './fair-queue.ts';
import { memberShare, serviceShare, type Share, strangerShare, visitorShare } from './share.ts';

/** Shares with any number of requests, each holding its permit until the test ends it. */
function holders(queue: FairQueue, units = 1) {
  const held = new Map<Share, Permit[]>();
  const want = (share: Share, requests: number): void => {
    for (let i = 0; i < requests; i++) queue.enter(share, units, (permit) => held.set(share, [...(held.get(share) ?? []), permit]));
  };
  const count = (share: Share): number => held.get(share)?.length ?? 0;
  const endOne = (share: Share): void => held.get(share)?.shift()?.release();
  return { want, count, endOne };
}

it('gives one share most of an idle resource, and keeps some for a newcomer', () => {
  const queue = new FairQueue('test', 12);
  const { want, count } = holders(queue);
  const [loud, quiet] = [memberShare('loud'), memberShare('quiet')];
  want(loud, 100);
  expect(count(loud)).toBe(9);
  want(quiet, 3);
  expect(count(quiet)).toBe(3);
});

it('divides permits equally among shares that always want more, once earlier permits are released', () => {
  const random = seededRandom(5);
  const queue = new FairQueue('test', 12);
  const { want, count, endOne } = holders(queue);
  const shares = ['a', 'b', 'c', 'd'].map(memberShare);
  want(shares[0]!, 1_000);
  for (const share of shares.slice(1)) want(share, 1_000);
  for (let i = 0; i < 500; i++) endOne(shares[Math.floor(random() * shares.length)]!);
  const counts = shares.map(count);
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
});

it('alternates between shares when there is only one permit', () => {
  const queue = new FairQueue('test', 1);
  const order: string[] = [];
  let current: Permit | null = null;
  const want = (name: string): void => void queue.enter(memberShare(name), 1, (permit) => ((current = permit), order.push(name)));
  for (let i = 0; i < 50; i++) want('loud');
  want('quiet');
  want('late');
  for (let i = 0; i < 4; i++) current!.release();
  expect(order.slice(0, 3)).toEqual(['loud', 'quiet', 'late']);
});

it('counts all strangers together, and alternates between their addresses', () => {
  const queue = new FairQueue('test', 12);
  const { want, count } = holders(queue);
  const strangers = Array.from({ length: 30 }, (_, i) => strangerShare(`10.0.0.${i}`));
  for (const stranger of strangers) want(stranger, 10);
  const total = strangers.reduce((sum, stranger) => sum + count(stranger), 0);
  expect(total).toBe(6);
  const [loud, quiet] = [visitorShare('owner', '10.1.0.1'), visitorShare('owner', '10.1.0.2')];
  const visited = new FairQueue('test', 1);
  const order: string[] = [];
  const first = visited.tryTake(loud)!;
  visited.enter(loud, 1, () => order.push('loud'));
  visited.enter(quiet, 1, () => order.push('quiet'));
  first.release();
  expect(order).toEqual(['quiet']);
});

it.each([
  ['drawing threads', 2],
  ['exports', 4],
  ['connections', 12],
])('of %s, visitors of one link take at most half', (_what, capacity) => {
  const queue = new FairQueue('test', capacity);
  const { want, count } = holders(queue);
  const [visitor, newcomer] = [visitorShare('owner', '10.0.0.1'), memberShare('newcomer')];
  want(visitor, 100);
  expect(count(visitor)).toBe(capacity / 2);
  want(newcomer, 1);
  expect(count(newcomer)).toBe(1);
});

it("keeps the permits of a workspace's members, whatever its visitors do", () => {
  const queue = new FairQueue('test', 100);
  const { want, count } = holders(queue);
  for (let i = 0; i < 200; i++) want(visitorShare('owner', `10.0.0.${i}`), 10);
  const members = memberShare('owner');
  want(members, 20);
  expect(count(members)).toBe(20);
});

it("gives all permits to the service's own work", () => {
  const queue = new FairQueue('test', 4);
  const { want, count } = holders(queue);
  want(serviceShare, 10);
  expect(count(serviceShare)).toBe(4);
});

it('takes no permit for an aborted request, and forgets shares that want nothing', async () => {
  const queue = new FairQueue('test', 1);
  const first = queue.tryTake(memberShare('a'))!;
  const giveUp = new AbortController();
  const second = queue.take(memberShare('b'), 1, () => giveUp.signal);
  giveUp.abort(new Error('gave up'));
  await expect(second).rejects.toThrow('gave up');
  first.release();
  first.release();
  expect(queue.taken).toBe(0);
  expect(queue.tryTake(memberShare('a'), 5)).not.toBeNull();
  expect(queue.taken).toBe(1);
});
