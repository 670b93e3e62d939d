import { expect, it } from 'vitest';
import { MessageRoom, type Room } from './message-room.ts';

/** Takes as often as there is room at once. */
async function takeAll(room: MessageRoom, holder: string, bytes: number): Promise<Room[]> {
  const taken: Room[] = [];
  for (let next = await room.take(holder, bytes, 0); next; next = await room.take(holder, bytes, 0)) taken.push(next);
  return taken;
}

it('leaves half of what there is to others, however many take theirs', async () => {
  const room = new MessageRoom(800);
  const counts = [];
  for (const holder of ['a', 'b', 'c', 'd']) counts.push((await takeAll(room, holder, 100)).length);
  expect(counts).toEqual([4, 2, 1, 0]);
});

it('has room again when it is given back, once, or when less is needed', async () => {
  const room = new MessageRoom(800);
  const [first, ...rest] = await takeAll(room, 'a', 100);
  first!.giveBack();
  first!.giveBack();
  expect(await takeAll(room, 'a', 100)).toHaveLength(1);
  for (const one of rest) one.shrinkTo(10);
  expect(await takeAll(room, 'a', 100)).toHaveLength(2);
});

it('lets who comes wait for it, and not for ever', async () => {
  const room = new MessageRoom(200);
  const held = await room.take('a', 100, 0);
  const waiting = room.take('a', 100, 60_000);
  expect(await room.take('a', 100, 1)).toBeNull();
  held!.giveBack();
  expect(await waiting).not.toBeNull();
});
