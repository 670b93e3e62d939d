import { expect, it } from 'vitest';
import { isTenantId, parseTenantId, type TenantId } from './ids.ts';

/*
 * What the compiler must reject. `npm run check:types` fails if one of the marked lines compiles.
 * The functions are not called.
 */

const inTenant = (id: TenantId): TenantId => id;

const rejected = {
  'text that nobody checked is no id of a workspace': (text: string) =>
    // @ts-expect-error -- not parsed
    inTenant(text),
};
void rejected;

it('a workspace is named by a lowercase UUID', () => {
  const id = '0f8fad5b-d9cb-469f-a165-70867728950e';
  expect(parseTenantId(id)).toBe(id);
  for (const text of ['', id.toUpperCase(), ` ${id}`, `${id}\n`, id.replaceAll('-', ''), `${id}0`]) {
    expect(isTenantId(text)).toBe(false);
    expect(() => parseTenantId(text)).toThrow(RangeError);
  }
});
