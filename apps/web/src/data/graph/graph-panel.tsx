import { useMemo, useState } from 'react';
import { countText, formatCount, toggled, visibleText } from '#charts';
import { problemText } from '../../api/problem.ts';
import { changeView } from '../../experiment/change-view.ts';
import { useView, useWorld } from '../../experiment/experiment-context.ts';
import { GraphDetails } from './graph-details.tsx';
import { GraphDrawing } from './graph-drawing.tsx';
import { type GraphColor, graphColors, readGraphChoice, writeGraphChoice } from './graph-choice.ts';
import { scopesAbove } from './hierarchy.ts';
import { type GraphSource, isGraph, useCosts, useGraph, useGraphSources } from './load-graph.ts';

const colorNames: Readonly<Record<GraphColor, string>> = {
  role: 'Type',
  device: 'Device',
  time: 'Time',
  memory: 'Memory',
};

/** The graph of a model: expandable scopes, loops and branches, devices and costs. */
export default function GraphPanel() {
  const { view } = useWorld();
  const text = useView(({ graph }) => graph);
  const openList = useView(({ open }) => open);
  const sources = useGraphSources();
  const choice = readGraphChoice(text);
  const graphs = (sources.data ?? []).filter(isGraph);
  const chosen = graphs.find((one) => keyOf(one) === choice.source) ?? graphs[0] ?? null;
  const measured = (sources.data ?? []).filter((one) => !isGraph(one) && one.run === chosen?.run);
  const measure = measured.find((one) => keyOf(one) === choice.costs) ?? measured[0] ?? null;
  const graph = useGraph(chosen);
  const costs = useCosts(measure);
  const [selected, setSelected] = useState<string | null>(null);
  const [search, setSearch] = useState('');
  const open = useMemo(() => new Set(openList), [openList]);
  const set = (change: Partial<typeof choice>): void => changeView(view, { graph: writeGraphChoice({ ...choice, ...change }) });
  const reveal = (name: string): void => {
    if (graph.data) changeView(view, { open: [...new Set([...openList, ...scopesAbove(graph.data.root, name)])] });
    setSelected(name);
  };
  const found = useMemo(() => {
    if (search.trim() === '' || !graph.data) return [];
    const wanted = search.trim().toLowerCase();
    return [...graph.data.nodes.values()].filter(({ name, op }) => name.toLowerCase().includes(wanted) || op.toLowerCase() === wanted);
  }, [search, graph.data]);
  const failed = sources.error ?? graph.error;
  const known = costs.data && costs.data.size > 0 ? costs.data : (graph.data?.costs ?? new Map());
  return (
    <>
      <section className="toolbar" aria-label="The graph">
        <input
          type="search"
          className="text-field tags"
          placeholder="Find an operation"
          aria-label="Find an operation by name or type"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
        {graphs.length > 1 && (
          <label className="choice">
            Graph
            <select value={chosen ? keyOf(chosen) : ''} onChange={({ target }) => set({ source: target.value })}>
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
            <select value={measure ? keyOf(measure) : ''} onChange={({ target }) => set({ costs: target.value })}>
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
          <select value={choice.color} onChange={({ target }) => set({ color: target.value as GraphColor })}>
            {graphColors
              .filter((color) => known.size > 0 || (color !== 'time' && color !== 'memory'))
              .map((color) => (
                <option key={color} value={color}>
                  {colorNames[color]}
                </option>
              ))}
          </select>
        </label>
        {openList.length > 0 && (
          <button type="button" className="quiet" onClick={() => changeView(view, { open: [] })}>
            Collapse all
          </button>
        )}
      </section>
      <main className="graph" aria-busy={sources.isPending || graph.isFetching}>
        {failed && <p className="empty">{failed instanceof Error && failed.name === 'Error' ? failed.message : problemText(failed)}</p>}
        {sources.data && !chosen && (
          <p className="empty">{sources.data.length === 0 ? 'No graph was logged.' : 'No graph was logged, only run metadata.'}</p>
        )}
        {graph.data && graph.data.nodes.size === 0 && <p className="empty">This graph has no readable operations.</p>}
        {graph.data && graph.data.nodes.size > 0 && (
          <>
            <GraphDrawing
              key={chosen!.blob}
              graph={graph.data}
              open={open}
              color={choice.color}
              costs={known}
              selected={selected}
              onSelect={setSelected}
              onToggle={(path) => changeView(view, { open: toggled(openList, path) })}
            />
            <div className="graph-side" tabIndex={0} role="region" aria-label="About the graph">
              {search.trim() !== '' ? (
                <section aria-label="Found">
                  <p className="dim">
                    {formatCount(found.length)} of {countText(graph.data.nodes.size, 'operation')}
                  </p>
                  <ul className="found">
                    {found.slice(0, 100).map(({ name, op }) => (
                      <li key={name}>
                        <button type="button" className="quiet" onClick={() => reveal(name)}>
                          {visibleText(name)} <span className="dim">{visibleText(op)}</span>
                        </button>
                      </li>
                    ))}
                  </ul>
                </section>
              ) : (
                <GraphDetails graph={graph.data} costs={known} color={choice.color} selected={selected} onSelect={reveal} />
              )}
            </div>
          </>
        )}
      </main>
    </>
  );
}

function keyOf({ run, tag, step }: GraphSource): string {
  return JSON.stringify([run, tag, step]);
}

function nameOf({ run, tag, step, plugin }: GraphSource): string {
  const what = plugin === 'graph_keras_model' ? 'Keras model' : plugin === 'graphs' ? 'graph' : visibleText(tag);
  return `${run === '.' ? 'log directory' : visibleText(run)}: ${what}${Number(step) === 0 ? '' : `, step ${formatCount(step)}`}`;
}
