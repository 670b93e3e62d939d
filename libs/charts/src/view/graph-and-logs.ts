import { type Fields, names, text } from './field.ts';

/** Options for graphs and logs. */
export interface GraphAndLogsView {
  /** The graph's options, in their own syntax (see apps/web). */
  readonly graph: string;
  /** Expanded scopes of the graph. */
  readonly open: readonly string[];
  /** The id of the log to show; empty for the visible runs' latest log. */
  readonly log: string;
}

export const graphAndLogsFields: Fields<GraphAndLogsView> = {
  graph: text('graph'),
  open: names('open'),
  log: text('log'),
};
