import { describe, expect, it } from 'vitest';
import { LiveSecret, type Secret } from './live-secret.ts';

/** Files in memory, and a clock. */
class World {
  readonly files: Record<string, string | Error> = {};
  now = 0;

  live(secrets: Secret | readonly Secret[], isValid?: (values: readonly string[]) => boolean): LiveSecret {
    return new LiveSecret(secrets, {
      read: (path) => {
        const content = this.files[path];
        if (typeof content === 'string') return content;
        throw content ?? new Error('ENOENT');
      },
      now: () => this.now,
      ...(isValid && { isValid }),
    });
  }
}

describe('a secret in a file', () => {
  const file = { file: '/key', atStart: 'one' };

  it('is read again after a second, without its last newline', () => {
    const world = new World();
    world.files['/key'] = 'two\n';
    const secret = world.live(file);
    expect(secret.value).toBe('one');
    world.now = 1_000;
    expect(secret.value).toBe('two');
  });

  it('keeps its value while the file is gone, empty or not valid', () => {
    const world = new World();
    const secret = world.live(file, ([value]) => value !== 'http://');
    for (const content of [new Error('EACCES'), '\n', 'http://']) {
      world.files['/key'] = content;
      world.now += 1_000;
      expect(secret.value).toBe('one');
    }
  });

  it('a server that does not know the new value yet gets the one before, until it rejects that', () => {
    const world = new World();
    world.files['/key'] = 'two';
    const secret = world.live(file);
    world.now = 1_000;
    expect(secret.values).toEqual(['two']);
    expect(secret.rejected(['two'])).toBe(true);
    expect(secret.value).toBe('one');
    expect(secret.rejected(['one'])).toBe(true); // the server was changed
    expect(secret.value).toBe('two');
  });

  it('a server that was changed first: the file is read at once, and nothing else is tried', () => {
    const world = new World();
    world.files['/key'] = 'one';
    const secret = world.live(file);
    expect(secret.rejected(['one'])).toBe(false);
    world.files['/key'] = 'two';
    expect(secret.rejected(['one'])).toBe(true);
    expect(secret.value).toBe('two');
    expect(secret.rejected(['two'])).toBe(true); // perhaps only this server is behind
    expect(secret.value).toBe('one');
  });

  it('accepts callers with the value before for a limited time', () => {
    const world = new World();
    world.files['/key'] = 'two';
    const secret = world.live(file);
    expect(secret.within(60_000)).toEqual(['one']);
    world.now = 1_000;
    expect(secret.within(60_000)).toEqual(['two', 'one']);
    world.now = 61_000;
    expect(secret.within(60_000)).toEqual(['two']);
  });
});

it('a value from the environment stays as it is', () => {
  const secret = new World().live('one');
  expect([secret.value, secret.rejected(['one']), secret.value]).toEqual(['one', false, 'one']);
});

it('half of a change of two files does not displace the pair that works', () => {
  const world = new World();
  world.files['/id'] = 'id 2';
  world.files['/secret'] = 'secret 1';
  const key = world.live([
    { file: '/id', atStart: 'id 1' },
    { file: '/secret', atStart: 'secret 1' },
  ]);
  world.now = 1_000;
  expect(key.values).toEqual(['id 2', 'secret 1']);
  expect(key.rejected(['id 2', 'secret 1'])).toBe(true);
  expect(key.values).toEqual(['id 1', 'secret 1']);
  world.files['/secret'] = 'secret 2';
  world.now = 2_000;
  expect(key.values).toEqual(['id 2', 'secret 2']);
  expect(key.rejected(['id 2', 'secret 2'])).toBe(true); // the store does not know it yet
  expect(key.values).toEqual(['id 1', 'secret 1']);
});
