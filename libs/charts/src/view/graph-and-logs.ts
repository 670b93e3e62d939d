import { type Fields, names, text } from './field.ts';

/** What is open among graphs, other data and logs. */
export interface GraphAndLogsView {
  /** The options of the graph, in their own syntax, see apps/web. */
  readonly graph: string;
  /** Expanded scopes of the graph. */
  readonly open: readonly string[];
  /** The id of the log that is shown; empty: the latest one of the shown runs. */
  readonly log: string;
}

export const graphAndLogsFields: Fields<GraphAndLogsView> = {
  graph: text('graph'),
  open: names('open'),
  log: text('log'),
};
