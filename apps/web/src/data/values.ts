import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { partsWanted } from '../compare/shown-parts.ts';
import { useContents, useWorld } from '../experiment/experiment-context.ts';
import { runsWanted } from '../experiment/wanted.ts';
import { useIsNear } from './near.tsx';

/**
 * A tensor as the read API writes it, in C order. Numbers that JSON cannot represent are strings
 * that `Number` parses. Bytes that are not text are base64.
 */
export interface TensorJson {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: readonly (number | string | boolean | { readonly base64: string })[];
}

/** The points of one run, each with a tensor, in ascending order of steps. */
export interface TensorSeries {
  readonly run: string;
  readonly tag: string;
  readonly source_points: number | string;
  readonly columns: {
    readonly step: readonly (number | string)[];
    readonly wall_time: readonly (number | string)[];
    readonly value: readonly TensorJson[];
  };
}

export interface BlobJson {
  readonly key: string;
  readonly index: number;
  readonly bytes: number;
  readonly content_type: string;
}

/** The points of one run, each with blobs, in ascending order of steps. */
export interface BlobSeries {
  readonly run: string;
  readonly tag: string;
  readonly source_points: number | string;
  readonly points: readonly { readonly step: number | string; readonly wall_time: number | string; readonly blobs: readonly BlobJson[] }[];
}

/** A request for one tag of one plugin, and the number of points per run. */
export interface ValuesRequest {
  readonly tag: string;
  readonly plugin: string;
  readonly points: number;
}

/** Loads the tensors of the shown runs. */
export function useTensors(request: ValuesRequest) {
  return useValues<TensorSeries>('tensors', request);
}

/** Loads the blobs of the shown runs: their URLs, not their bytes. */
export function useBlobs(request: ValuesRequest) {
  return useValues<BlobSeries>('blob-sequences', request);
}

/** The result of a request. */
interface Values<T> {
  readonly series: readonly T[];
  /** Whether nothing has arrived yet. */
  readonly pending: boolean;
  readonly error: Error | null;
  retry(): void;
}

function useValues<T extends { readonly run: string }>(
  kind: 'tensors' | 'blob-sequences',
  { tag, plugin, points }: ValuesRequest,
): Values<T> {
  const { id, api } = useWorld();
  const { shown, runs, styles, compared } = useContents();
  const chosen = runsWanted(shown, runs.length);
  const parts = partsWanted(id, compared, chosen);
  const query = useQuery({
    queryKey: ['values', id, kind, plugin, tag, parts, points],
    queryFn: async ({ signal }) => {
      const responses = await Promise.all(
        parts.map(async (part) => {
          const body = { tags: [tag], plugin, points, ...(part.runs && { runs: part.runs }) };
          const { series } = await api.query<{ series: T[] }>(`/experiments/${part.id}/${kind}/query`, body, signal);
          return part.prefix === '' ? series : series.map((one) => ({ ...one, run: part.prefix + one.run }));
        }),
      );
      return responses.flat();
    },
    enabled: useIsNear(),
    placeholderData: keepPreviousData,
  });
  const order = [...styles.keys()];
  const series = (query.data ?? []).filter(({ run }) => shown.has(run)).sort((a, b) => order.indexOf(a.run) - order.indexOf(b.run));
  return { series, pending: query.data === undefined && !query.isError, error: query.error, retry: () => void query.refetch() };
}

/**
 * The index of the point to show at `step`: the last point that is not after that step, otherwise
 * the first point. If `step` is null, returns the index of the last point. Returns -1 if there are
 * no points.
 */
export function indexAt(steps: readonly (number | string)[], step: number | null): number {
  if (step === null) return steps.length - 1;
  let found = 0;
  for (let i = 0; i < steps.length && Number(steps[i]) <= step; i++) found = i;
  return steps.length === 0 ? -1 : found;
}
