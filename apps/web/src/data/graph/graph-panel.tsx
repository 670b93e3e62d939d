import { useMemo, useState } from 'react';
import { MainArea } from '../../app/main-area.tsx';
import { toggled } from '#charts';
import { problemText } from '../../api/problem.ts';
import { changeView } from '../../experiment/change-view.ts';
import { useView, useWorld } from '../../experiment/experiment-context.ts';
import { FoundOperations } from './found-operations.tsx';
import { GraphDetails } from './graph-details.tsx';
import { GraphDrawing } from './graph-drawing.tsx';
import { type GraphChoice, readGraphChoice, writeGraphChoice } from './graph-choice.ts';
import { GraphToolbar } from './graph-toolbar.tsx';
import { scopesAbove } from './hierarchy.ts';
import { isGraph, keyOf, useCosts, useGraph, useGraphSources } from './load-graph.ts';

/** The graph of a model, with expandable scopes, loops, branches, devices and costs. */
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
  const set = (change: Partial<GraphChoice>): void => changeView(view, { graph: writeGraphChoice({ ...choice, ...change }) });
  const reveal = (name: string): void => {
    if (graph.data) changeView(view, { open: [...new Set([...openList, ...scopesAbove(graph.data.root, name)])] });
    setSelected(name);
  };
  const failed = sources.error ?? graph.error;
  const known = costs.data && costs.data.size > 0 ? costs.data : (graph.data?.costs ?? new Map());
  return (
    <>
      <GraphToolbar
        search={search}
        onSearch={setSearch}
        graphs={graphs}
        graph={chosen}
        measured={measured}
        measure={measure}
        color={choice.color}
        hasCosts={known.size > 0}
        onChoose={set}
        onCollapse={openList.length > 0 ? () => changeView(view, { open: [] }) : null}
      />
      <MainArea className="graph" aria-busy={sources.isPending || graph.isFetching}>
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
                <FoundOperations graph={graph.data} search={search} onSelect={reveal} />
              ) : (
                <GraphDetails graph={graph.data} costs={known} color={choice.color} selected={selected} onSelect={reveal} />
              )}
            </div>
          </>
        )}
      </MainArea>
    </>
  );
}
