import { nameFilter } from './name-filter.ts';

/** Which value of each heat map cell determines its color. */
export const heatValues = ['max', 'min', 'last'] as const;
export type HeatValue = (typeof heatValues)[number];

/** The color scale of a heat map. */
export const heatScales = ['linear', 'log'] as const;
export type HeatScale = (typeof heatScales)[number];

/** A panel as a heat map of one run, with a row for each tag and a column for each step. */
export interface HeatMap {
  readonly scale: HeatScale;
  readonly value: HeatValue;
  /** A run of the page's own experiment; null for the first shown run. */
  readonly run: string | null;
}

export const plainHeatMap: HeatMap = { scale: 'linear', value: 'max', run: null };

/**
 * A chart of several tags (the listed ones, or all that match a filter), or of a formula over tags.
 * `heatMap`: draws a heat map instead of lines.
 */
export type Panel =
  | { readonly tags: readonly string[]; readonly heatMap?: HeatMap }
  | { readonly match: string; readonly heatMap?: HeatMap }
  | { readonly formula: string };

/**
 * Maximum number of panels per view, and of tags per panel. Guesses: more cannot be distinguished.
 */
export const maxPanels = 20;
export const maxPanelTags = 50;
const maxMatchLength = 500;
export const maxFormulaLength = 500;
/** Minimum number of tags in a heat map. */
export const minHeatMapTags = 3;

/** The tags that a panel draws, in the order of `all` if it has a filter. */
export function panelTags(panel: Panel, all: readonly string[]): string[] {
  if ('formula' in panel) return [];
  if ('match' in panel) return all.filter(nameFilter(panel.match).matches).slice(0, maxPanelTags);
  const known = new Set(all);
  return panel.tags.filter((tag) => known.has(tag));
}

/** The key of a panel, unique within a view. */
export function panelText(panel: Panel): string {
  if ('formula' in panel) return JSON.stringify({ formula: panel.formula });
  return JSON.stringify('match' in panel ? { match: panel.match } : { tags: panel.tags });
}

/** A panel in the address. */
export function panelAddress(panel: Panel): string {
  if ('formula' in panel || !panel.heatMap) return panelText(panel);
  const { scale, value, run } = panel.heatMap;
  const heatMap = {
    ...(scale !== plainHeatMap.scale && { scale }),
    ...(value !== plainHeatMap.value && { value }),
    ...(run !== null && { run }),
  };
  return JSON.stringify('match' in panel ? { match: panel.match, heatMap } : { tags: panel.tags, heatMap });
}

/**
 * Parses panels in a URL: `{"tags":["a","b"]}`, `{"match":"pattern"}` or `{"formula":"a - b"}`;
 * with `"heatMap":{}`, the first two become heat maps. Ignores anything else.
 */
export function readPanels(texts: readonly string[]): Panel[] {
  const panels = new Map<string, Panel>();
  for (const text of texts) {
    const panel = readPanel(text);
    if (panel && panels.size < maxPanels) panels.set(panelText(panel), panel);
  }
  return [...panels.values()];
}

function readPanel(text: string): Panel | null {
  try {
    const one: unknown = JSON.parse(text);
    if (typeof one !== 'object' || one === null) return null;
    if ('match' in one && typeof one.match === 'string' && one.match !== '' && one.match.length <= maxMatchLength)
      return { match: one.match, ...readHeatMap(one) };
    if ('formula' in one && typeof one.formula === 'string' && one.formula.trim() !== '' && one.formula.length <= maxFormulaLength)
      return { formula: one.formula };
    if (!('tags' in one) || !Array.isArray(one.tags)) return null;
    const tags = [...new Set(one.tags.filter((tag) => typeof tag === 'string'))].slice(0, maxPanelTags);
    return tags.length > 0 ? { tags, ...readHeatMap(one) } : null;
  } catch {
    return null;
  }
}

function readHeatMap(panel: object): { readonly heatMap?: HeatMap } {
  if (!('heatMap' in panel) || typeof panel.heatMap !== 'object' || panel.heatMap === null) return {};
  const chosen: { readonly scale?: unknown; readonly value?: unknown; readonly run?: unknown } = panel.heatMap;
  return {
    heatMap: {
      scale: heatScales.find((one) => one === chosen.scale) ?? plainHeatMap.scale,
      value: heatValues.find((one) => one === chosen.value) ?? plainHeatMap.value,
      // Links keep panels, but not the names of other experiments' runs, which contain `//`
      run: typeof chosen.run === 'string' && !chosen.run.includes('//') ? chosen.run : null,
    },
  };
}
