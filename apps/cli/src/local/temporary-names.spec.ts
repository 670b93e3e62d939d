import { describe, expect, it } from 'vitest';
import cases from '../../../../test/data/temporary-names.json' with { type: 'json' };
import { temporaryName } from './temporary-names.ts';

/** The Python client is tested with the same names. */
const { plain } = cases;
const named = (name: string): string => name.replace('{plain}', plain);

describe('temporaryName', () => {
  it.each(cases.temporary.map(({ tool, name }) => [tool, named(name)] as const))('recognizes names of %s: %s', (tool, name) => {
    expect(temporaryName('a/b', name)).toEqual({ tool, plain });
  });

  it('recognizes the temporary folders of tools', () => {
    expect(temporaryName('a/.rsync-partial', plain)).toEqual({ tool: 'rsync', plain });
    expect(temporaryName('a/.~tmp~', plain)).toEqual({ tool: 'rsync', plain });
  });

  it.each(cases.written_by_tools_that_log.map(named))('accepts the names of writers: %s', (name) => {
    expect(temporaryName('a/b', name)).toBeNull();
  });
});
