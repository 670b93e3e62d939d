import { useQuery } from '@tanstack/react-query';
import { partsWanted } from '../../compare/shown-parts.ts';
import { useContents, useWorld } from '../../experiment/experiment-context.ts';
import type { BlobSeries } from '../values.ts';
import { tabOf } from '../tabs.ts';
import { framesOf } from './frames.ts';
import { parseGraphDef } from './graph-def.ts';
import { buildHierarchy, type Scope } from './hierarchy.ts';
import { parseKerasModel } from './keras-model.ts';
import type { OpNode } from './op-node.ts';
import { type OpCost, parseRunMetadata } from './run-metadata.ts';

/** A logged graph, or its costs. */
export interface GraphSource {
  readonly run: string;
  readonly tag: string;
  readonly plugin: string;
  readonly step: number | string;
  readonly blob: string;
  readonly bytes: number;
}

/** Whether the source is a graph that can be drawn. Otherwise, it contains only costs. */
export function isGraph({ plugin }: GraphSource): boolean {
  return plugin !== 'graph_tagged_run_metadata' && plugin !== 'graph_run_metadata';
}

/** The identifier of a source in the URL. */
export function keyOf({ run, tag, step }: GraphSource): string {
  return JSON.stringify([run, tag, step]);
}

/** All graphs and run metadata of an experiment. */
export function useGraphSources() {
  const { id, api } = useWorld();
  const { tags, runs, compared } = useContents();
  const wanted = tags.filter((tag) => tabOf(tag) === 'graphs');
  const plugins = new Map(wanted.map(({ tag, plugin }) => [tag, plugin]));
  return useQuery({
    queryKey: ['values', id, 'graphs', [...plugins.keys()], runs.length, compared],
    queryFn: async ({ signal }) => {
      const body = { tags: [...plugins.keys()], points: 20 };
      const responses = await Promise.all(
        partsWanted(id, compared, null).map(async (part) => {
          const { series } = await api.query<{ series: BlobSeries[] }>(`/experiments/${part.id}/blob-sequences/query`, body, signal);
          return series.map((one) => ({ ...one, run: part.prefix + one.run }));
        }),
      );
      return responses
        .flat()
        .flatMap(({ run, tag, points }) =>
          points.flatMap(({ step, blobs: [blob] }): GraphSource[] =>
            blob ? [{ run, tag, plugin: plugins.get(tag) ?? '', step, blob: blob.key, bytes: blob.bytes }] : [],
          ),
        );
    },
  });
}

/** A graph, ready to be laid out. */
export interface LoadedGraph {
  readonly root: Scope;
  readonly nodes: ReadonlyMap<string, OpNode>;
  readonly frames: ReadonlyMap<string, string>;
  readonly costs: ReadonlyMap<string, OpCost>;
}

/** Maximum size of a graph to load, in bytes. */
const maxBytes = 64 * 2 ** 20;

/** A graph, parsed and divided into scopes. Throws if it is too large. */
export function useGraph(source: GraphSource | null) {
  const { api } = useWorld();
  return useQuery({
    queryKey: ['graph', source?.blob],
    queryFn: async ({ signal }): Promise<LoadedGraph> => {
      const { plugin, blob, bytes: size } = source!;
      if (size > maxBytes) throw new Error(`This graph is too large to draw: ${Math.round(size / 2 ** 20)} MiB.`);
      const bytes = await api.bytes(`/blobs/${blob}`, signal);
      const costs = plugin.startsWith('graph_run_metadata') ? parseRunMetadata(bytes).costs : new Map<string, OpCost>();
      const nodes = nodesOf(plugin, bytes);
      return { root: buildHierarchy(nodes), nodes: new Map(nodes.map((node) => [node.name, node])), frames: framesOf(nodes), costs };
    },
    enabled: source !== null,
    gcTime: 30_000,
  });
}

/** The costs of the operations in a run of the graph. */
export function useCosts(source: GraphSource | null) {
  const { api } = useWorld();
  return useQuery({
    queryKey: ['costs', source?.blob],
    queryFn: async ({ signal }) => parseRunMetadata(await api.bytes(`/blobs/${source!.blob}`, signal)).costs,
    enabled: source !== null,
  });
}

function nodesOf(plugin: string, bytes: Uint8Array): readonly OpNode[] {
  if (plugin === 'graph_keras_model') return parseKerasModel(new TextDecoder().decode(bytes));
  if (plugin === 'graph_run_metadata_graph') return parseRunMetadata(bytes).nodes;
  return parseGraphDef(bytes);
}
