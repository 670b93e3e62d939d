/** What colours say in the graph. */
export const graphColors = ['role', 'device', 'time', 'memory'] as const;
export type GraphColor = (typeof graphColors)[number];

/** Which graph is looked at, and how; as text in the address. */
export interface GraphChoice {
  readonly source: string;
  readonly costs: string;
  readonly color: GraphColor;
}

/** Reads what {@link writeGraphChoice} wrote; anything else is the first graph, by role. */
export function readGraphChoice(text: string): GraphChoice {
  const parameters = new URLSearchParams(text);
  return {
    source: parameters.get('of') ?? '',
    costs: parameters.get('costs') ?? '',
    color: graphColors.find((one) => one === parameters.get('color')) ?? 'role',
  };
}

/** The choice as text; empty when it is as usual. */
export function writeGraphChoice({ source, costs, color }: GraphChoice): string {
  const parameters = new URLSearchParams();
  if (source !== '') parameters.set('of', source);
  if (costs !== '') parameters.set('costs', costs);
  if (color !== 'role') parameters.set('color', color);
  return parameters.toString();
}
