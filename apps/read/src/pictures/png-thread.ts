import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import type { PngReply, PngRequest } from './png-renderer.ts';
import { readWoff } from './woff.ts';

/** The thread that renders our pictures to pixels, so that other requests do not wait. */
const require = createRequire(import.meta.url);
await initWasm(await readFile(require.resolve('@resvg/resvg-wasm/index_bg.wasm')));
const fontBuffers = await Promise.all(
  ['400', '600'].map(async (weight) =>
    readWoff(await readFile(require.resolve(`@fontsource/inter/files/inter-latin-${weight}-normal.woff`))),
  ),
);

parentPort!.on('message', ({ svg, scale }: PngRequest) => {
  let reply: PngReply;
  try {
    const resvg = new Resvg(svg, { font: { fontBuffers, defaultFontFamily: 'Inter' }, fitTo: { mode: 'zoom', value: scale } });
    const image = resvg.render();
    reply = { png: image.asPng() };
    image.free();
    resvg.free();
  } catch (error) {
    reply = { error: String(error) };
  }
  parentPort!.postMessage(reply);
});
