import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FakeServer } from '../testing/fake-server.ts';
import { isUnknownTool, move, MovedLogs, withoutCopies } from '../testing/moved-logs.ts';
import { TestHost } from '../testing/test-host.ts';
import { WatchedFolder } from '../testing/watched-folder.ts';

/** Moves without temporary files that the CLI treats as logs. */
const knownMove = move.filter((one) => !isUnknownTool(one));

/** Set `MOVED_FOLDERS=2000` to run more cases. */
const cases = Number(process.env['MOVED_FOLDERS'] ?? 100);

it(
  `has exactly the logs of the folder once it is at rest, however tools moved it (${cases} cases)`,
  { timeout: 60_000 + cases * 2_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(knownMove, { minLength: 1, maxLength: 8 }), async (moves) => {
        const server = new FakeServer({ token: 'secret' });
        const host = new TestHost({ PLOTLINE_SERVER: await server.start(), PLOTLINE_TOKEN: 'secret' });
        server.experiments.set('e', { id: 'e', name: '', description: '', epoch: 0 });
        const logs = new WatchedFolder(host, 'e');
        try {
          const source = new MovedLogs(logs);
          for (const one of moves) await source.make(one);
          await logs.look(32, 5000);
          const here = new Map(readdirSync(logs.folder).map((name) => [name, readFileSync(join(logs.folder, name))]));
          // The newest version of a file counts.
          const there = new Map([...server.files.values()].sort((a, b) => a.version - b.version).map((file) => [file.name, file.bytes]));
          const wanted = withoutCopies(here);
          const counting = withoutCopies(there);
          expect(Object.keys(counting)).toEqual(Object.keys(wanted));
          for (const name of Object.keys(wanted)) expect(counting[name] === wanted[name], name).toBe(true);
          expect(logs.uploader.failed.size).toBe(0);
        } finally {
          logs.close();
          await server.stop();
          host.remove();
        }
      }),
      { numRuns: cases, endOnFailure: true },
    );
  },
);
