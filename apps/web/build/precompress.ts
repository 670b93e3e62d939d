import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const text = /\.(js|css|svg)$/;

/** Writes `file.br` and `file.gz` beside each text file of the build, with maximum compression. */
export function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    async writeBundle({ dir }) {
      const files = (await readdir(dir!)).filter((name) => text.test(name));
      await Promise.all(
        files.map(async (name) => {
          const file = join(dir!, name);
          const bytes = await readFile(file);
          const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
          await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, { params }));
          await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
        }),
      );
    },
  };
}
