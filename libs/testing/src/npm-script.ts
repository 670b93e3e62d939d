import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

/** package.json scripts that run one program from the build. */
export type ProgramScript = 'start' | 'start:upload' | 'start:ingest' | 'start:read' | 'migrate' | 'admin' | 'plotline';

/**
 * Node arguments, including flags, that run a program from the build like `npm run <script>`, but
 * in any folder and without a parent npm process. `build` can be the folder of another built
 * version.
 */
export function nodeArgumentsOf(script: ProgramScript, build = root): string[] {
  const { scripts } = JSON.parse(readFileSync(join(build, 'package.json'), 'utf8')) as { scripts: Record<ProgramScript, string> };
  const [node, ...args] = scripts[script].split(' ');
  const program = args.pop();
  if (node !== 'node' || !program?.startsWith('dist/'))
    throw new Error(`the script ${script} does not run exactly one program of the build: ${scripts[script]}`);
  return [...args, join(build, program)];
}
