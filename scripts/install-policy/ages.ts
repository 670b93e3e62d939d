/**
 * Minimum age of a version when it is locked. Most malicious versions are found and withdrawn
 * within hours.
 */
export const minAgeDays = 7;

/** The fields of package-lock.json that are checked. */
export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}
export interface LockedPackage {
  /** Set if the name differs from the folder (an alias). */
  readonly name?: string;
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** When a version became public, and when it entered our lock file: dates, `2026-11-21`. */
export interface Age {
  readonly published: string;
  readonly locked: string;
}

/** Returns `name@version` of each package in the lock file, in order and without duplicates. */
export function lockedVersions(lock: LockFile): readonly string[] {
  const versions = Object.entries(lock.packages)
    .filter(([path]) => path !== '')
    .map(([path, { name, version }]) => `${name ?? nameOf(path)}@${version}`);
  return [...new Set(versions)].toSorted();
}

/** Returns the package name of a folder in node_modules. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** Parses lines `name@version published locked`; throws on any other line. */
export function readAges(text: string): Map<string, Age> {
  const ages = new Map<string, Age>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, version, published, locked] = /^(\S+@\S+) (\d{4}-\d\d-\d\d) (\d{4}-\d\d-\d\d)$/.exec(line) ?? [];
    if (!version || !published || !locked || ages.has(version))
      throw new Error(`not a line "name@version published locked", or a duplicate: ${line}`);
    ages.set(version, { published, locked });
  }
  return ages;
}

/** Returns the inverse of {@link readAges}. */
export function writeAges(ages: ReadonlyMap<string, Age>): string {
  const lines = [...ages].map(([version, { published, locked }]) => `${version} ${published} ${locked}`).toSorted();
  return `# Each version of package-lock.json: when it became public, and when we took it up. Written by \`npm run check:ages\`.\n${lines.join('\n')}\n`;
}

/**
 * Returns the problems with the locked versions' ages, one line each: unknown, too young when
 * locked, or in the future.
 */
export function ageFaults(versions: readonly string[], ages: ReadonlyMap<string, Age>, today: string): readonly string[] {
  const faults: string[] = [];
  for (const version of versions) {
    const age = ages.get(version);
    if (!age) faults.push(`${version}: nobody looked when it became public`);
    else if (age.locked > today) faults.push(`${version}: taken up on ${age.locked}, which is not yet`);
    else if (daysBetween(age) < minAgeDays) faults.push(`${version}: public since ${age.published}, taken up on ${age.locked}`);
  }
  const known = new Set(versions);
  for (const version of ages.keys()) if (!known.has(version)) faults.push(`${version}: no longer in the lock file`);
  return faults;
}

function daysBetween({ published, locked }: Age): number {
  return (Date.parse(locked) - Date.parse(published)) / 86_400_000;
}
