import { nameFilter } from './name-filter.ts';

/**
 * A chart with several tags: those listed, or all that match a filter; or one of a formula over
 * tags.
 */
export type Panel = { readonly tags: readonly string[] } | { readonly match: string } | { readonly formula: string };

/** Maximum panels of a view, and tags that a panel draws. Guesses: more cannot be distinguished. */
export const mostPanels = 20;
export const mostPanelTags = 50;
const mostMatchLength = 500;
export const mostFormulaLength = 500;

/** The tags that a panel draws, in the order of `all` where it has a filter. */
export function panelTags(panel: Panel, all: readonly string[]): string[] {
  if ('formula' in panel) return [];
  if ('match' in panel) return all.filter(nameFilter(panel.match).matches).slice(0, mostPanelTags);
  const known = new Set(all);
  return panel.tags.filter((tag) => known.has(tag));
}

/** A panel in the address; also its key, since no two of a view are equal. */
export function panelText(panel: Panel): string {
  if ('formula' in panel) return JSON.stringify({ formula: panel.formula });
  return JSON.stringify('match' in panel ? { match: panel.match } : { tags: panel.tags });
}

/**
 * Parses panels in a URL: `{"tags":["a","b"]}`, `{"match":"pattern"}` or `{"formula":"a - b"}`.
 * Ignores anything else.
 */
export function readPanels(texts: readonly string[]): Panel[] {
  const panels = new Map<string, Panel>();
  for (const text of texts) {
    const panel = readPanel(text);
    if (panel && panels.size < mostPanels) panels.set(panelText(panel), panel);
  }
  return [...panels.values()];
}

function readPanel(text: string): Panel | null {
  try {
    const one: unknown = JSON.parse(text);
    if (typeof one !== 'object' || one === null) return null;
    if ('match' in one && typeof one.match === 'string' && one.match !== '' && one.match.length <= mostMatchLength)
      return { match: one.match };
    if ('formula' in one && typeof one.formula === 'string' && one.formula.trim() !== '' && one.formula.length <= mostFormulaLength)
      return { formula: one.formula };
    if (!('tags' in one) || !Array.isArray(one.tags)) return null;
    const tags = [...new Set(one.tags.filter((tag) => typeof tag === 'string'))].slice(0, mostPanelTags);
    return tags.length > 0 ? { tags } : null;
  } catch {
    return null;
  }
}
