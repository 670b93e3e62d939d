import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { builtWeb } from './built-web.ts';

/** A file of the pages, in each encoding. */
export interface WebFile {
  readonly type: string;
  readonly plain: Buffer;
  /** Null if compression does not help. */
  readonly br: Buffer | null;
  readonly gzip: Buffer | null;
}

/** The files that a page loads, by name. */
export interface WebEntry {
  readonly script: string;
  readonly styles: readonly string[];
  /** Modules that the script imports at startup: preloaded with it. */
  readonly imports: readonly string[];
  /** The font of most text. */
  readonly fonts: readonly string[];
  readonly icon: string;
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/** A chunk in Vite's manifest. */
interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
}

/**
 * The built pages (`apps/web`, `dist/web/client`), all in memory: about a megabyte. Without them,
 * the service serves only the pages without scripts.
 */
export class WebFiles {
  readonly #files: ReadonlyMap<string, WebFile>;
  readonly entry: WebEntry | null;

  private constructor(files: ReadonlyMap<string, WebFile>, entry: WebEntry | null) {
    this.#files = files;
    this.entry = entry;
  }

  /** Reads the built pages. `folder` defaults to the folder of this build. */
  static async load(folder = builtWeb('client')): Promise<WebFiles> {
    if (!existsSync(join(folder, 'manifest.json'))) return new WebFiles(new Map(), null);
    const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Record<string, Chunk>;
    const names = await readdir(folder);
    const files = new Map<string, WebFile>();
    for (const name of names) {
      const type = types[name.slice(name.lastIndexOf('.') + 1)];
      if (!type) continue;
      const read = async (ending: string): Promise<Buffer | null> =>
        names.includes(name + ending) ? readFile(join(folder, name + ending)) : null;
      files.set(name, { type, plain: await readFile(join(folder, name)), br: await read('.br'), gzip: await read('.gz') });
    }
    return new WebFiles(files, entryOf(manifest, names));
  }

  find(name: string): WebFile | undefined {
    return this.#files.get(name);
  }
}

/** The transitive imports of a chunk: they are preloaded together, not one after another. */
function importsOf(chunk: Chunk, manifest: Readonly<Record<string, Chunk>>, found = new Set<Chunk>()): readonly Chunk[] {
  for (const one of (chunk.imports ?? []).map((key) => manifest[key]!)) {
    if (found.has(one)) continue;
    found.add(one);
    importsOf(one, manifest, found);
  }
  return [...found];
}

function entryOf(manifest: Readonly<Record<string, Chunk>>, names: readonly string[]): WebEntry {
  const entry = Object.values(manifest).find(({ isEntry }) => isEntry);
  if (!entry) throw new Error('the manifest of the pages has no entry: build them again');
  const imports = importsOf(entry, manifest);
  return {
    script: entry.file,
    styles: [entry, ...imports].flatMap(({ css }) => css ?? []),
    imports: imports.map(({ file }) => file),
    icon: names.find((name) => /^icon-.*\.svg$/.test(name)) ?? '',
    fonts: names.filter((name) => /^inter-latin-wght-normal-.*\.woff2$/.test(name)),
  };
}
