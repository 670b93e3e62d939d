import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

/** Scripts of package.json that are one program of the build. */
export type ProgramScript = 'start' | 'start:upload' | 'start:ingest' | 'start:read' | 'migrate' | 'plotline';

/**
 * What Node is to be called with, so that a program of the build runs as `npm run <script>` runs it, flags of Node and all, but in any folder and without a
 * process of npm above it.
 */
export function nodeArgumentsOf(script: ProgramScript): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<ProgramScript, string> };
  const [node, ...args] = scripts[script].split(' ');
  const program = args.pop();
  if (node !== 'node' || !program?.startsWith('dist/'))
    throw new Error(`the script ${script} is not one program of the build: ${scripts[script]}`);
  return [...args, join(root, program)];
}
