import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { PageRenderer } from '#charts';
import { asParsed } from '../json.ts';
import { builtWeb } from './built-web.ts';

/** The renderer that `vite build --ssr` creates from `apps/web/src/server.tsx`. */
export type WebRenderer = PageRenderer<object>;

/** Loads the renderer; null if the service was built without its pages. */
export async function loadWebRenderer(): Promise<WebRenderer | null> {
  const file = builtWeb('server/server.js');
  if (!existsSync(file)) return null;
  const { renderer } = (await import(pathToFileURL(file).href)) as { renderer: WebRenderer };
  return forResponses(renderer);
}

/** Renders pages from the data of their responses, as the browser does after parsing it. */
function forResponses(renderer: WebRenderer): WebRenderer {
  const known = new WeakMap<object, object>();
  const parsed = (page: object): object => {
    const before = known.get(page) ?? asParsed(page);
    known.set(page, before);
    return before;
  };
  return {
    firstQuery: (page, search) => renderer.firstQuery(parsed(page), search),
    renderExperiment: (page, search, series) => renderer.renderExperiment(parsed(page), search, series),
    renderEmbed: (page, search, series) => renderer.renderEmbed(parsed(page), search, series),
    renderHome: (page, search) => renderer.renderHome(parsed(page), search),
    renderHeader: (page) => renderer.renderHeader(parsed(page)),
  };
}
