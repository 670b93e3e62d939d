import { readFileSync } from 'node:fs';

/** Reads a file as text; throws if it cannot be read. */
export type ReadText = (path: string) => string;

const readText: ReadText = (path) => readFileSync(path, 'utf8');

/** The secret in a file: its content, without one trailing newline. */
export function secretIn(content: string): string {
  return content.replace(/\r?\n$/, '');
}

/**
 * Secrets from files, as Kubernetes, Docker and secret stores mount them: `NAME_FILE` names a file
 * that contains the value of `NAME`, followed by at most one newline. `names` are the settings that
 * can come from a file. Errors name the variable, never the content.
 */
export function readSecretFiles(
  env: Readonly<Record<string, string | undefined>>,
  names: ReadonlySet<string>,
  read: ReadText = readText,
): { readonly values: ReadonlyMap<string, string>; readonly faults: readonly string[] } {
  const values = new Map<string, string>();
  const faults: string[] = [];
  for (const name of names) {
    const path = env[`${name}_FILE`];
    if (path === undefined || path === '') continue;
    if (env[name]) {
      faults.push(`${name}_FILE: ${name} is set as well; set one of them.`);
      continue;
    }
    try {
      const text = secretIn(read(path));
      if (text === '') faults.push(`${name}_FILE: the file is empty.`);
      else values.set(name, text);
    } catch (error) {
      faults.push(`${name}_FILE: the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}).`);
    }
  }
  return { values, faults };
}
