import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { PageRenderer } from '#charts';
import { builtWeb } from './built-web.ts';

/** The renderer that `vite build --ssr` creates from `apps/web/src/server.tsx`. */
export type WebRenderer = PageRenderer<object>;

/** Loads the renderer; null if the service was built without its pages. */
export async function loadWebRenderer(): Promise<WebRenderer | null> {
  const file = builtWeb('server/server.js');
  if (!existsSync(file)) return null;
  const { renderer } = (await import(pathToFileURL(file).href)) as { renderer: WebRenderer };
  return renderer;
}
