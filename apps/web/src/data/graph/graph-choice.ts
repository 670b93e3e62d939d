/** Properties that the graph's colors can show. */
export const graphColors = ['role', 'device', 'time', 'memory'] as const;
export type GraphColor = (typeof graphColors)[number];

/** The selected graph and its options. The URL contains them as text. */
export interface GraphChoice {
  readonly source: string;
  readonly costs: string;
  readonly color: GraphColor;
}

/**
 * Parses the text of {@link writeGraphChoice}. Any other text selects the first graph, colored by
 * role.
 */
export function readGraphChoice(text: string): GraphChoice {
  const parameters = new URLSearchParams(text);
  return {
    source: parameters.get('of') ?? '',
    costs: parameters.get('costs') ?? '',
    color: graphColors.find((one) => one === parameters.get('color')) ?? 'role',
  };
}

/** The choice as text; empty for the default. */
export function writeGraphChoice({ source, costs, color }: GraphChoice): string {
  const parameters = new URLSearchParams();
  if (source !== '') parameters.set('of', source);
  if (costs !== '') parameters.set('costs', costs);
  if (color !== 'role') parameters.set('color', color);
  return parameters.toString();
}
