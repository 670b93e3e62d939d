import { useQuery } from '@tanstack/react-query';
import { homeOf } from '../../compare/compared-run.ts';
import { useContents, useWorld } from '../../experiment/experiment-context.ts';
import { useIsNear } from '../near.tsx';
import type { PackedTensor } from './matrix.ts';

/** Tags of one run with tensors as values. */
export interface TensorTags {
  readonly run: string;
  readonly tags: readonly string[];
  /** Empty if there is none. */
  readonly plugin: string;
}

/** The tensors of a tag at some steps of a run, in ascending order. */
export interface SteppedTensors {
  readonly steps: readonly (number | string)[];
  readonly tensors: readonly PackedTensor[];
  /** How many steps were logged. */
  readonly total: number;
}

/** Maximum steps to load, and maximum size of all their tensors in base64. */
const maxSteps = 50;
const maxBytes = 16 * 1024 * 1024;

interface TensorsResponse {
  readonly series: readonly {
    readonly tag: string;
    readonly source_points: number | string;
    readonly columns: { readonly step: readonly (number | string)[]; readonly value: readonly PackedTensor[] };
  }[];
}

/**
 * Loads the last tensor of each tag, in the order of the tags. Then loads tensors at other, evenly
 * spaced steps, up to a total size.
 */
export function useSteppedTensors({ run, tags, plugin }: TensorTags) {
  const { id, api } = useWorld();
  const { compared } = useContents();
  const home = homeOf(run, compared, id);
  const isNear = useIsNear();
  const load = async (points: number, signal: AbortSignal): Promise<SteppedTensors[]> => {
    const sampling = points === 1 ? 'tail' : 'even';
    const body = { tags, runs: [home.run], ...(plugin !== '' && { plugin }), unlisted: true, packed: true, points, sampling };
    const { series } = await api.query<TensorsResponse>(`/experiments/${home.id}/tensors/query`, body, signal);
    return tags.map((tag) => {
      const found = series.find((one) => one.tag === tag && one.columns.step.length > 0);
      return { steps: found?.columns.step ?? [], tensors: found?.columns.value ?? [], total: Number(found?.source_points ?? 0) };
    });
  };
  const key = ['values', id, 'packed', plugin, tags.join('\n'), home];
  const last = useQuery({ queryKey: [...key, 1], queryFn: ({ signal }) => load(1, signal), enabled: isNear });
  const bytes = (last.data ?? []).flatMap(({ tensors }) => tensors).reduce((sum, { data }) => sum + data.base64.length, 0);
  const max = Math.max(0, ...(last.data ?? []).map(({ total }) => total));
  const points = Math.min(maxSteps, max, Math.floor(maxBytes / Math.max(1, bytes)));
  const more = useQuery({ queryKey: [...key, points], queryFn: ({ signal }) => load(points, signal), enabled: isNear && points > 1 });
  return {
    found: more.data ?? last.data,
    error: last.error ?? more.error,
    retry: () => void (last.isError ? last.refetch() : more.refetch()),
  };
}
