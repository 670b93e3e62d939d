import { cardsFields, type CardsView } from './view/cards.ts';
import { chartsFields, type ChartsView } from './view/charts.ts';
import { choiceFields, type ChoiceView } from './view/choice.ts';
import type { Field, Fields } from './view/field.ts';
import { graphAndLogsFields, type GraphAndLogsView } from './view/graph-and-logs.ts';
import { linesFields, type LinesView } from './view/lines.ts';
import { mediaFields, type MediaView } from './view/media.ts';
import { pageFields, type PageView } from './view/page.ts';
import { runListFields, type RunListView } from './view/run-list.ts';
import { runPlotsFields, type RunPlotsView } from './view/run-plots.ts';
import { runsTableFields, type RunsTableView } from './view/runs-table.ts';
import { tabFields, type TabView } from './view/tab.ts';

/** Which parts of an experiment are shown, and how. The URL contains the whole view. */
export interface View
  extends
    TabView,
    LinesView,
    ChoiceView,
    ChartsView,
    MediaView,
    GraphAndLogsView,
    RunListView,
    CardsView,
    PageView,
    RunsTableView,
    RunPlotsView {}

/** In parameter order. In another order, the same view would have another address. */
const fields: Fields<View> = {
  ...tabFields,
  ...linesFields,
  ...choiceFields,
  ...chartsFields,
  ...mediaFields,
  ...graphAndLogsFields,
  ...runListFields,
  ...cardsFields,
  ...pageFields,
  ...runsTableFields,
  ...runPlotsFields,
};
const entries = Object.entries(fields) as [keyof View, Field<unknown>][];

/** The view of a URL without parameters. */
export const plainView: View = viewOf(({ plain }) => plain);

/**
 * Parses URL parameters; ignores unknown and invalid ones. Uses TensorBoard's names where they
 * exist.
 */
export function parseView(parameters: URLSearchParams): View {
  return viewOf(({ read }) => read(parameters));
}

/** The parameters of the view: only those that differ from {@link plainView}. */
export function viewParameters(view: View): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, { write }] of entries) write(view[name], parameters);
  return parameters;
}

function viewOf(valueOf: (field: Field<unknown>) => unknown): View {
  return Object.fromEntries(entries.map(([name, field]) => [name, valueOf(field)])) as unknown as View;
}
