import { type FSWatcher, watch } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/**
 * Returns the part that a change to a file affects (`path` is relative to the root). Vite watches
 * the pages itself.
 */
export function kindOf(path: string): 'service' | 'web' | 'nothing' {
  if (!/^(apps|libs)\/.+\.tsx?$/.test(path) || /\.(spec|d)\.tsx?$/.test(path)) return 'nothing';
  return path.startsWith('apps/web/') ? 'web' : 'service';
}

/** Calls `onChange` with the paths, relative to the root, that changed in quick succession. */
export function watchSources(root: string, onChange: (paths: string[]) => void): { close(): void } {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const watchers = ['apps', 'libs'].map((folder): FSWatcher =>
    watch(join(root, folder), { recursive: true }, (_, name) => {
      const path = `${folder}/${name}`;
      if (name === null || kindOf(path) !== 'service') return;
      changed.add(path);
      clearTimeout(timer);
      // An editor may write a file in several steps.
      timer = setTimeout(() => {
        onChange([...changed]);
        changed.clear();
      }, 50);
    }),
  );
  return {
    close: () => {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}

/** The result of compiling files. */
export interface Compiled {
  /** Files whose output changed. */
  readonly changed: readonly string[];
  readonly faults: readonly string[];
}

/** Compiles each of these files into dist/ on its own: checks syntax, but not types. */
export async function compile(root: string, paths: readonly string[]): Promise<Compiled> {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const changed: string[] = [];
  const faults: string[] = [];
  for (const path of paths) {
    const source = await readFile(join(root, path), 'utf8').catch(() => null);
    // The file was deleted; modules that import it fail on their own.
    if (source === null) continue;
    const { outputText, diagnostics = [] } = ts.transpileModule(source, {
      // A single file does not show that the package uses ES modules.
      compilerOptions: {
        ...options,
        module: ts.ModuleKind.ESNext,
        moduleResolution: ts.ModuleResolutionKind.Bundler,
        noEmit: false,
        incremental: false,
        sourceMap: false,
        inlineSourceMap: true,
      },
      fileName: join(root, path),
      reportDiagnostics: true,
    });
    if (diagnostics.length > 0) {
      faults.push(...diagnostics.map((one) => `${path}: ${ts.flattenDiagnosticMessageText(one.messageText, ' ')}`));
      continue;
    }
    const target = join(root, 'dist', path.replace(/\.tsx?$/, '.js'));
    if ((await readFile(target, 'utf8').catch(() => null)) === outputText) continue;
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, outputText);
    changed.push(path);
  }
  return { changed, faults };
}
