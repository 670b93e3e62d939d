/** Uninformative log directory names, to which the parent's name is prepended. */
const plainNames: ReadonlySet<string> = new Set([
  'runs',
  'run',
  'logs',
  'log',
  'logdir',
  'events',
  'tensorboard',
  'tb_logs',
  'lightning_logs',
  'output',
]);

/**
 * The name of an experiment that is uploaded without one, from the absolute path of its log
 * directory.
 */
export function nameOfLogdir(logdir: string): string {
  const parts = logdir.split(/[\\/]/).filter((part) => part !== '' && !/^[A-Za-z]:$/.test(part));
  const last = parts.at(-1) ?? '';
  const above = parts.at(-2);
  return plainNames.has(last.toLowerCase()) && above !== undefined ? `${above}/${last}` : last;
}

/** The description of an experiment that is uploaded without one: host and path. */
export function uploadOrigin(host: string, logdir: string): string {
  return `${host}:${logdir}`;
}

/**
 * Whether a description is the host and path of an upload: visitors do not see it. A website's
 * address does not count.
 */
export function isUploadOrigin(description: string): boolean {
  return /^[^\s/\\:]+:(?:\/(?!\/)|[A-Za-z]:[\\/]|\\\\)[^\n]*$/.test(description);
}
