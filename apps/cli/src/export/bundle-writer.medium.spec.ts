import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { BundleWriter } from './bundle-writer.ts';

it('a part of a bundle has every key and text as it is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plotline-bundle-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const text = '{"__proto__":{"lr":1},"</script>":"\\u2028\\u2029\\u0000\\ud800`${0}"}';
  await new BundleWriter(folder).index(JSON.parse(text) as object);
  const received: string[] = [];
  runInNewContext(await readFile(join(folder, 'data/index.js'), 'utf8'), {
    plotlinePart: (name: string, content: unknown) => received.push(name, JSON.stringify(content)),
  });
  expect(received).toEqual(['index', JSON.stringify(JSON.parse(text))]);
});
