import { type Fields, names, text } from './field.ts';

/** The open graphs, other data and logs. */
export interface GraphAndLogsView {
  /** The options of the graph, in their own syntax, see apps/web. */
  readonly graph: string;
  /** Expanded scopes of the graph. */
  readonly open: readonly string[];
  /** The id of the log that is shown; empty for the latest one of the visible runs. */
  readonly log: string;
}

export const graphAndLogsFields: Fields<GraphAndLogsView> = {
  graph: text('graph'),
  open: names('open'),
  log: text('log'),
};
