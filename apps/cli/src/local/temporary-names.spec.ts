import { describe, expect, it } from 'vitest';
import cases from '../../../../test/data/temporary-names.json' with { type: 'json' };
import { temporaryName } from './temporary-names.ts';

/** The Python client is tested with the same names. */
const { plain } = cases;
const named = (name: string): string => name.replace('{plain}', plain);

describe('temporaryName', () => {
  it.each(cases.temporary.map(({ tool, name }) => [tool, named(name)] as const))('knows the names of %s: %s', (tool, name) => {
    expect(temporaryName('a/b', name)).toEqual({ tool, plain });
  });

  it('knows the folders that tools write aside in', () => {
    expect(temporaryName('a/.rsync-partial', plain)).toEqual({ tool: 'rsync', plain });
    expect(temporaryName('a/.~tmp~', plain)).toEqual({ tool: 'rsync', plain });
  });

  it.each(cases.written_by_tools_that_log.map(named))('leaves the names of writers alone: %s', (name) => {
    expect(temporaryName('a/b', name)).toBeNull();
  });
});
