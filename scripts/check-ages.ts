/**
 * `npm run check:ages`: run this script after you change package-lock.json. It queries the registry
 * (`npm view`) for the publication date of each new version in the lock file, records it in
 * `install-policy/ages.txt`, and fails if a version is younger than a week. Tests compare the
 * recorded dates with the lock file, without a network.
 */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Age, ageFaults, lockedVersions, type LockFile, readAges, writeAges } from './install-policy/ages.ts';

const root = join(import.meta.dirname.replace(/\/dist(?=\/scripts$)/, ''), '..');
const file = join(root, 'scripts/install-policy/ages.txt');
const today = new Date().toISOString().slice(0, 10);

const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as LockFile;
const versions = lockedVersions(lock);
const before = readAges(await readFile(file, 'utf8'));
const ages = new Map<string, Age>();
for (const version of versions) ages.set(version, before.get(version) ?? { published: await publishedOn(version), locked: today });

const faults = ageFaults(versions, ages, today);
for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error(
    'Choose an older version, or wait. npm applies the same limit when it chooses versions itself (min-release-age in .npmrc).',
  );
  process.exit(1);
}
await writeFile(file, writeAges(ages));
console.log(
  `${versions.length} versions, ${versions.filter((version) => !before.has(version)).length} of them new; none is younger than a week`,
);

async function publishedOn(version: string): Promise<string> {
  const at = version.lastIndexOf('@');
  const { stdout } = await promisify(execFile)('npm', ['view', version.slice(0, at), 'time', '--json'], { maxBuffer: 64 << 20 });
  const time = (JSON.parse(stdout) as Record<string, string>)[version.slice(at + 1)];
  if (time === undefined) throw new Error(`the registry has no publication date of ${version}`);
  return new Date(time).toISOString().slice(0, 10);
}
