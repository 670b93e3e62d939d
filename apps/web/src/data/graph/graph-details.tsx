import { Fragment } from 'react';
import { countText, formatCount, formatShort, visibleText } from '#charts';
import { colorIndex } from './graph-colors.ts';
import type { GraphColor } from './graph-choice.ts';
import type { LoadedGraph } from './load-graph.ts';
import type { OpCost } from './run-metadata.ts';

interface GraphDetailsProps {
  readonly graph: LoadedGraph;
  readonly costs: ReadonlyMap<string, OpCost>;
  readonly color: GraphColor;
  readonly selected: string | null;
  readonly onSelect: (name: string) => void;
}

const maxNames = 30;

/**
 * Details of the selected operation or scope. If nothing is selected, the legend of colors and
 * shapes.
 */
export function GraphDetails({ graph, costs, color, selected, onSelect }: GraphDetailsProps) {
  const node = selected === null ? undefined : graph.nodes.get(selected);
  if (!node) return <Legend graph={graph} costs={costs} color={color} />;
  const outputs = [...graph.nodes.values()].filter(({ inputs }) => inputs.some(({ name }) => name === node.name)).map(({ name }) => name);
  const cost = costs.get(node.name);
  const frame = graph.frames.get(node.name);
  return (
    <section aria-label="Operation" className="operation">
      <h2>{visibleText(node.name.split('/').at(-1)!)}</h2>
      <p className="dim">{visibleText(node.name)}</p>
      <dl>
        <dt>Type</dt>
        <dd>{visibleText(node.op)}</dd>
        {node.device !== '' && (
          <>
            <dt>Device</dt>
            <dd>{visibleText(node.device)}</dd>
          </>
        )}
        {frame !== undefined && (
          <>
            <dt>Loop</dt>
            <dd>{visibleText(frame)}</dd>
          </>
        )}
        {cost && (
          <>
            <dt>Time</dt>
            <dd>{timeText(cost.microseconds)}</dd>
            <dt>Memory</dt>
            <dd>{formatShort(cost.bytes)}B</dd>
            <dt>Ran on</dt>
            <dd>{visibleText(cost.device)}</dd>
          </>
        )}
        {[...node.attributes].slice(0, 40).map(([name, value]) => (
          <Fragment key={name}>
            <dt>{visibleText(name)}</dt>
            <dd>{visibleText(value)}</dd>
          </Fragment>
        ))}
      </dl>
      <Names title="Inputs" names={node.inputs.map(({ name }) => name)} graph={graph} onSelect={onSelect} />
      <Names title="Outputs" names={outputs} graph={graph} onSelect={onSelect} />
    </section>
  );
}

interface NamesProps {
  readonly title: string;
  readonly names: readonly string[];
  readonly graph: LoadedGraph;
  readonly onSelect: (name: string) => void;
}

function Names({ title, names, graph, onSelect }: NamesProps) {
  if (names.length === 0) return null;
  return (
    <>
      <h3>
        {title} <span className="dim">{formatCount(names.length)}</span>
      </h3>
      <ul className="found">
        {names.slice(0, maxNames).map((name, i) => (
          <li key={i}>
            {graph.nodes.has(name) ? (
              <button type="button" className="quiet" onClick={() => onSelect(name)}>
                {visibleText(name)}
              </button>
            ) : (
              visibleText(name)
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function Legend({ graph, costs, color }: Pick<GraphDetailsProps, 'graph' | 'costs' | 'color'>) {
  const devices =
    color === 'device'
      ? [...new Set([...graph.nodes.values()].map(({ name, device }) => costs.get(name)?.device ?? device))]
          .filter((one) => one !== '')
          .sort()
      : [];
  return (
    <section aria-label="Legend" className="legend">
      <p className="dim">
        {countText(graph.nodes.size, 'operation')}. Click a scope to open it, or an operation to show its details. Drag to move, scroll or
        pinch to zoom.
      </p>
      {color === 'device' &&
        (devices.length === 0 ? (
          <p className="dim">No operation in this graph specifies a device.</p>
        ) : (
          <ul>
            {devices.map((device) => (
              <li key={device}>
                <i className={`swatch c${colorIndex(device)}`} /> {visibleText(device)}
              </li>
            ))}
          </ul>
        ))}
      {(color === 'time' || color === 'memory') && <p className="dim">A stronger color means more {color} in a run of the graph.</p>}
      <ul>
        <li>
          <svg viewBox="0 0 32 16" className="sign part state" aria-hidden="true">
            <path className="shape" d="M1 4a15 3 0 0 1 30 0v8a15 3 0 0 1 -30 0zM1 4a15 3 0 0 0 30 0" />
          </svg>
          state: variables, queues, tables
        </li>
        <li>
          <svg viewBox="0 0 32 16" className="sign part switch" aria-hidden="true">
            <path className="shape" d="M16 1l15 7l-15 7l-15 -7z" />
          </svg>
          Switch: one of two branches
        </li>
        <li>
          <svg viewBox="0 0 32 16" className="sign part merge" aria-hidden="true">
            <path className="shape" d="M1 1h30l-9 14h-12z" />
          </svg>
          Merge
        </li>
        <li>
          <svg viewBox="0 0 32 16" className="sign part loop" aria-hidden="true">
            <rect className="shape" x="1" y="1" width="30" height="14" rx="3" />
          </svg>
          Loop (dashed: next iteration)
        </li>
        <li>
          <svg viewBox="0 0 32 16" className="sign" aria-hidden="true">
            <path className="edge control" d="M1 8h30" />
          </svg>
          Control dependency
        </li>
      </ul>
    </section>
  );
}

function timeText(microseconds: number): string {
  if (microseconds < 1000) return `${microseconds} µs`;
  return microseconds < 1e6 ? `${(microseconds / 1000).toFixed(2)} ms` : `${(microseconds / 1e6).toFixed(2)} s`;
}
