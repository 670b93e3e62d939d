import { existsSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError, exitCodes } from '../exit.ts';

/** The package's root, from the source tree or from the build (dist/apps/cli/src/export). */
const root = ['../../../../', '../../../../../']
  .map((up) => new URL(up, import.meta.url))
  .find((folder) => existsSync(new URL('package.json', folder)))!;
/** The folder with the built script and styles of bundles. */
const code = fileURLToPath(new URL('dist/web/bundle', root));

/** Writes the data files of a bundle. */
export class BundleWriter {
  readonly #outdir: string;
  #parts = 0;
  #blobs = 0;
  bytes = 0;

  constructor(outdir: string) {
    this.#outdir = outdir;
  }

  /** Returns the name of the part. */
  async part(kind: string, content: object): Promise<string> {
    const name = `${kind}-${this.#parts++}`;
    await this.#script(name, content);
    return name;
  }

  index(content: object): Promise<void> {
    return this.#script('index', content);
  }

  /** Returns the path of the file, relative to the page. */
  async blob(extension: string, bytes: Uint8Array): Promise<string> {
    const path = `blobs/${this.#blobs++}.${extension}`;
    await mkdir(join(this.#outdir, 'blobs'), { recursive: true });
    await writeFile(join(this.#outdir, path), bytes);
    this.bytes += bytes.length;
    return path;
  }

  /**
   * Writes the code and the page itself. Called last, because an interrupted bundle must not open.
   */
  async page(name: string): Promise<void> {
    if (!existsSync(join(code, 'page.js')))
      throw new CliError(exitCodes.failed, `${code} does not contain the page for bundles. Run npm run build:web.`, { code: 'not-built' });
    await cp(code, this.#outdir, { recursive: true });
    await writeFile(join(this.#outdir, 'index.html'), indexHtml(name));
  }

  /**
   * Writes a script with JSON text, because in an object literal, a configuration key `__proto__`
   * would not become a property.
   */
  async #script(name: string, content: object): Promise<void> {
    const text = `plotlinePart(${JSON.stringify(name)}, JSON.parse(${JSON.stringify(JSON.stringify(content))}));\n`;
    await mkdir(join(this.#outdir, 'data'), { recursive: true });
    await writeFile(join(this.#outdir, 'data', `${name}.js`), text);
    this.bytes += Buffer.byteLength(text);
  }
}

function indexHtml(name: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escapeHtml(name === '' ? 'Experiment' : name)} · Plotline</title>
    <link rel="stylesheet" href="style.css" />
    <script src="page.js" defer></script>
  </head>
  <body>
    <div id="page"></div>
    <noscript>This page needs JavaScript.</noscript>
  </body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
