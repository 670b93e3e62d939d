import { sha256 } from '../logs/point-hash.ts';
import type { StockViewer } from './stock-viewer.ts';

/*
 * Everything that stock TensorBoard's pages request, as its own API returns it (protocol reference
 * D).
 */

/** The text above the data in a tag's card. */
interface About {
  readonly displayName: string;
  readonly description: string;
  readonly samples?: number;
}

/** Numbers, or strings for numbers that JSON lacks. */
type JsonNumber = number | string;

/** A series: its description and its points as returned. */
export interface ShownSeries {
  readonly about: About | null;
  /** For each point, the step, the wall time, then the value. */
  readonly points: readonly (readonly [step: number, wallTime: JsonNumber, value: unknown])[];
}

/** By plugin, then run, then tag. */
export interface Shown {
  readonly runs: readonly string[];
  /** Dashboards with data. */
  readonly enabled: readonly string[];
  readonly plugins: ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, ShownSeries>>>;
  /** Text series for which TensorBoard's own server fails (run and tag). */
  readonly faults: readonly string[];
  readonly hparams: unknown;
  readonly layout: unknown;
}

type Tags = Record<string, Record<string, About>>;

/** Series that are requested concurrently. */
const atOnce = 6;

/** Flags with which stock TensorBoard shows every point. */
export const everyPoint = [
  '--samples_per_plugin',
  ['scalars', 'histograms', 'distributions', 'images', 'audio', 'text', 'pr_curves', 'mesh', 'graphs']
    .map((plugin) => `${plugin}=1000000`)
    .join(','),
];

/** Requests everything from a viewer. */
export async function everything(viewer: StockViewer): Promise<Shown> {
  const plugins = new Map<string, Map<string, Map<string, ShownSeries>>>();
  const put = (plugin: string, run: string, tag: string, series: ShownSeries): void => {
    const runs = plugins.get(plugin) ?? new Map<string, Map<string, ShownSeries>>();
    plugins.set(plugin, runs);
    const tags = runs.get(run) ?? new Map<string, ShownSeries>();
    runs.set(run, tags);
    tags.set(tag, series);
  };
  const work: (() => Promise<void>)[] = [];
  const faults: string[] = [];
  const ask = <T>(plugin: string, route: string, parameters: Record<string, string>): Promise<T | null> =>
    viewer.json<T>(`plugin/${plugin}/${route}?${new URLSearchParams(parameters).toString()}`);
  const each = async (plugin: string, read: (run: string, tag: string, about: About) => Promise<ShownSeries['points']>): Promise<void> => {
    for (const [run, tags] of Object.entries((await viewer.json<Tags>(`plugin/${plugin}/tags`)) ?? {})) {
      for (const [tag, about] of Object.entries(tags))
        work.push(async () => put(plugin, run, tag, { about, points: await read(run, tag, about) }));
    }
  };
  const triples = async (plugin: string, run: string, tag: string): Promise<ShownSeries['points']> =>
    ((await ask<[JsonNumber, number, unknown][]>(plugin, plugin, { run, tag })) ?? []).map(([wallTime, step, value]) => [
      step,
      wallTime,
      value,
    ]);

  await each('scalars', (run, tag) => triples('scalars', run, tag));
  await each('histograms', (run, tag) => triples('histograms', run, tag));
  await each('distributions', (run, tag) => triples('distributions', run, tag));
  await each('images', (run, tag, about) => media(viewer, 'images', run, tag, about));
  await each('audio', (run, tag, about) => media(viewer, 'audio', run, tag, about));
  for (const [run, tags] of Object.entries((await viewer.json<Record<string, string[]>>('plugin/text/tags')) ?? {})) {
    for (const tag of tags) {
      work.push(async () => {
        const address = `plugin/text/text?${new URLSearchParams({ run, tag }).toString()}`;
        if ((await viewer.status(address)) === 500) {
          faults.push(`${run} ${tag}`);
          return;
        }
        const texts = (await viewer.json<{ step: number; wall_time: JsonNumber; text: string }[]>(address)) ?? [];
        put('text', run, tag, { about: null, points: texts.map(({ step, wall_time, text }) => [step, wall_time, text]) });
      });
    }
  }
  for (const [run, tags] of Object.entries((await viewer.json<Tags>('plugin/pr_curves/tags')) ?? {})) {
    for (const [tag, about] of Object.entries(tags)) {
      work.push(async () => {
        const curves =
          (await ask<Record<string, { step: number; wall_time: JsonNumber }[]>>('pr_curves', 'pr_curves', { run, tag }))?.[run] ?? [];
        put('pr_curves', run, tag, { about, points: curves.map(({ step, wall_time, ...rest }) => [step, wall_time, rest]) });
      });
    }
  }
  const graphs = (await viewer.json<Record<string, GraphInfo>>('plugin/graphs/info')) ?? {};
  for (const [run, info] of Object.entries(graphs)) {
    work.push(
      ...graphParts(info).map(({ tag, route, parameters, name }) => async () => {
        const bytes = await viewer.bytes(`plugin/graphs/${route}?${new URLSearchParams({ run, ...parameters }).toString()}`);
        put('graphs', run, `${tag} ${name}`, { about: null, points: [[0, 0, bytes && sha256(bytes)]] });
      }),
    );
  }
  for (let at = 0; at < work.length; at += atOnce) await Promise.all(work.slice(at, at + atOnce).map((one) => one()));

  const listing = (await viewer.json<Record<string, { enabled: boolean }>>('plugins_listing'))!;
  return {
    runs: (await viewer.json<string[]>('runs'))!.toSorted(),
    enabled: Object.entries(listing)
      .filter(([, { enabled }]) => enabled)
      .map(([name]) => name)
      .toSorted(),
    plugins,
    faults: faults.toSorted(),
    hparams: await viewer.post('plugin/hparams/session_groups', sessionGroups),
    layout: await viewer.json('plugin/custom_scalars/layout'),
  };
}

/** Sessions of all states, without ordering. */
const sessionGroups = {
  allowedStatuses: ['STATUS_UNKNOWN', 'STATUS_SUCCESS', 'STATUS_FAILURE', 'STATUS_RUNNING'],
  startIndex: 0,
  sliceSize: 1_000_000,
  colParams: [],
};

interface Medium {
  readonly step: number;
  readonly wall_time: JsonNumber;
  readonly query: string;
  readonly contentType?: string;
}

/** Returns every sample of every step: the hash of its bytes, and its description. */
async function media(
  viewer: StockViewer,
  plugin: 'images' | 'audio',
  run: string,
  tag: string,
  { samples = 0 }: About,
): Promise<ShownSeries['points']> {
  const points: [number, JsonNumber, unknown][] = [];
  for (let sample = 0; sample < samples; sample++) {
    const query = new URLSearchParams({ run, tag, sample: String(sample) }).toString();
    for (const medium of (await viewer.json<Medium[]>(`plugin/${plugin}/${plugin}?${query}`)) ?? []) {
      const route = plugin === 'images' ? 'individualImage' : 'individualAudio';
      const bytes = await viewer.bytes(`plugin/${plugin}/${route}?${medium.query}`);
      points.push([medium.step, medium.wall_time, [sample, bytes && sha256(bytes), medium.contentType ?? null]]);
    }
  }
  return points;
}

interface GraphInfo {
  readonly run_graph: boolean;
  readonly tags: Record<
    string,
    { readonly tag: string; readonly conceptual_graph: boolean; readonly op_graph: boolean; readonly profile: boolean }
  >;
}

interface GraphPart {
  readonly tag: string;
  readonly name: string;
  readonly route: 'graph' | 'run_metadata';
  readonly parameters: Record<string, string>;
}

/**
 * The same limits as in the page's graph requests; the uploader limits large attributes in the same
 * way (protocol reference B.3).
 */
const limited = { limit_attr_size: '1024', large_attrs_key: '_too_large_attrs' };

function graphParts({ run_graph, tags }: GraphInfo): GraphPart[] {
  const parts: GraphPart[] = run_graph
    ? [{ tag: '', name: 'run graph', route: 'graph', parameters: { ...limited, conceptual: 'false' } }]
    : [];
  for (const { tag, conceptual_graph, op_graph, profile } of Object.values(tags)) {
    if (conceptual_graph)
      parts.push({ tag, name: 'conceptual graph', route: 'graph', parameters: { ...limited, tag, conceptual: 'true' } });
    if (op_graph) parts.push({ tag, name: 'op graph', route: 'graph', parameters: { ...limited, tag, conceptual: 'false' } });
    if (profile) parts.push({ tag, name: 'profile', route: 'run_metadata', parameters: { tag } });
  }
  return parts;
}
