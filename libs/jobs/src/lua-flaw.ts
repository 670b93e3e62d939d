type Version = readonly [major: number, minor: number, patch: number];

/**
 * The first release without CVE-2025-49844 on each branch. In earlier releases, anyone who may run
 * scripts can take over the server. The queue needs scripts, so they cannot be disabled. Sources:
 * the Redis and Valkey advisories, October 2025.
 */
const mended: Readonly<Record<'redis' | 'valkey', readonly Version[]>> = {
  redis: [
    [6, 2, 20],
    [7, 2, 11],
    [7, 4, 6],
    [8, 0, 4],
    [8, 2, 2],
  ],
  valkey: [
    [7, 2, 11],
    [8, 0, 6],
    [8, 1, 4],
  ],
};

/**
 * Returns a warning if a server of this version has CVE-2025-49844, otherwise null. `info` is the
 * response to `INFO server`. It is only a warning, because distributions patch a server without
 * changing its version.
 */
export function findLuaFlaw(info: string): string | null {
  const valkey = /^valkey_version:(\S+)/m.exec(info)?.[1];
  const text = valkey ?? /^redis_version:(\S+)/m.exec(info)?.[1] ?? '';
  const [major = 0, minor = 0, patch = 0] = text.split('.').map((part) => Number.parseInt(part, 10));
  const releases = mended[valkey === undefined ? 'redis' : 'valkey'];
  const branch = releases.find((release) => release[0] === major && release[1] === minor);
  const newest = releases.at(-1)!;
  const isOpen = branch ? patch < branch[2] : major < newest[0] || (major === newest[0] && minor < newest[1]);
  if (!isOpen) return null;
  const name = valkey === undefined ? 'Redis' : 'Valkey';
  return `${name} ${text} has CVE-2025-49844 unless its packager fixed it: allow only Plotline to connect, and upgrade to ${(branch ?? newest).join('.')} or newer.`;
}
