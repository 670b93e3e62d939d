import { expect, it } from 'vitest';
import { SecretKey } from './secret-key.ts';

const secret = 'a secret of thirty-two characters';
const plain = Buffer.from('the private part of a key');

it('opens what was sealed with the same secret, purpose and name', () => {
  const sealed = new SecretKey(secret, 'signing keys').seal(plain, 'one');
  expect(new SecretKey(secret, 'signing keys').open(sealed, 'one')).toEqual(plain);
  expect(new SecretKey(`${secret}!`, 'signing keys').open(sealed, 'one')).toBeNull();
  expect(new SecretKey(secret, 'something else').open(sealed, 'one')).toBeNull();
  expect(new SecretKey(secret, 'signing keys').open(sealed, 'two')).toBeNull();
});

it('opens nothing that was changed by a bit or truncated', () => {
  const key = new SecretKey(secret, 'signing keys');
  const sealed = key.seal(plain, 'one');
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at]! ^= 1;
    expect([at, key.open(changed, 'one')]).toEqual([at, null]);
    expect(key.open(sealed.subarray(0, at), 'one')).toBeNull();
  }
});

it('seals the same text differently each time, and reveals nothing of it', () => {
  const key = new SecretKey(secret, 'signing keys');
  const [one, two] = [key.seal(plain, 'one'), key.seal(plain, 'one')];
  expect(one.equals(two)).toBe(false);
  expect(one.includes(plain.subarray(0, 4))).toBe(false);
});
