import { formatCount, visibleText } from '#charts';
import { type GraphChoice, type GraphColor, graphColors } from './graph-choice.ts';
import { type GraphSource, keyOf } from './load-graph.ts';

const colorNames: Readonly<Record<GraphColor, string>> = {
  role: 'Type',
  device: 'Device',
  time: 'Time',
  memory: 'Memory',
};

interface ToolbarProps {
  readonly search: string;
  readonly onSearch: (search: string) => void;
  /** The available and the selected options. */
  readonly graphs: readonly GraphSource[];
  readonly graph: GraphSource | null;
  readonly measured: readonly GraphSource[];
  readonly measure: GraphSource | null;
  readonly color: GraphColor;
  readonly hasCosts: boolean;
  readonly onChoose: (change: Partial<GraphChoice>) => void;
  /** Null if nothing is expanded. */
  readonly onCollapse: (() => void) | null;
}

/** The search field of a graph, and the drawing's options. */
export function GraphToolbar(props: ToolbarProps) {
  const { search, onSearch, graphs, graph, measured, measure, color, hasCosts, onChoose, onCollapse } = props;
  return (
    <section className="toolbar" aria-label="The graph">
      <input
        type="search"
        className="text-field tags"
        placeholder="Find an operation"
        aria-label="Find an operation by name or type"
        value={search}
        onChange={({ target }) => onSearch(target.value)}
      />
      {graphs.length > 1 && (
        <label className="choice">
          Graph
          <select value={graph ? keyOf(graph) : ''} onChange={({ target }) => onChoose({ source: target.value })}>
            {graphs.map((one) => (
              <option key={keyOf(one)} value={keyOf(one)}>
                {nameOf(one)}
              </option>
            ))}
          </select>
        </label>
      )}
      {measured.length > 1 && (
        <label className="choice">
          Costs from
          <select value={measure ? keyOf(measure) : ''} onChange={({ target }) => onChoose({ costs: target.value })}>
            {measured.map((one) => (
              <option key={keyOf(one)} value={keyOf(one)}>
                {visibleText(one.tag)}
              </option>
            ))}
          </select>
        </label>
      )}
      <label className="choice">
        Color by
        <select value={color} onChange={({ target }) => onChoose({ color: target.value as GraphColor })}>
          {graphColors
            .filter((one) => hasCosts || (one !== 'time' && one !== 'memory'))
            .map((one) => (
              <option key={one} value={one}>
                {colorNames[one]}
              </option>
            ))}
        </select>
      </label>
      {onCollapse && (
        <button type="button" className="quiet" onClick={onCollapse}>
          Collapse all
        </button>
      )}
    </section>
  );
}

function nameOf({ run, tag, step, plugin }: GraphSource): string {
  const what = plugin === 'graph_keras_model' ? 'Keras model' : plugin === 'graphs' ? 'graph' : visibleText(tag);
  return `${run === '.' ? 'log directory' : visibleText(run)}: ${what}${Number(step) === 0 ? '' : `, step ${formatCount(step)}`}`;
}
