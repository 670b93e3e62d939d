import { createContext, useContext } from 'react';
import type { RunStyle, View } from '#charts';
import type { Api } from '../api/api.ts';
import type { ExperimentJson, RunJson, TagJson } from '../api/types.ts';
import { Store, useStore } from '../app/store.ts';
import type { FirstCharts } from '../chart/first-charts.ts';
import type { Compared } from '../compare/compared-run.ts';
import type { ComparingLoader } from '../compare/comparing-loader.ts';
import type { LiveState } from '../live/live-state.ts';

/** The pointer's position, to which all charts and the run list respond. */
export interface Hover {
  readonly run: string | null;
  /** Position on the x axis. */
  readonly x: number | null;
}

export const nowhere: Hover = { run: null, x: null };

/** The shared state of an experiment's page. */
export interface ExperimentWorld {
  readonly api: Api;
  readonly loader: ComparingLoader;
  readonly id: string;
  readonly view: Store<View>;
  readonly hover: Store<Hover>;
  readonly live: Store<LiveState>;
  /**
   * Charts that were delivered with the page as pictures, which are shown until their canvas
   * exists. `server`: the pictures are being created.
   */
  readonly firstCharts: FirstCharts | 'server';
}

export const ExperimentContext = createContext<ExperimentWorld | null>(null);

/** The experiment that contains this component. Throws if there is none. */
export function useWorld(): ExperimentWorld {
  const world = useContext(ExperimentContext);
  if (!world) throw new Error('this component must be rendered inside an experiment');
  return world;
}

/** The part of the view that `select` returns. */
export function useView<S>(select: (view: View) => S): S {
  return useStore(useWorld().view, select);
}

/** The content of the experiment, and the styles of its runs. */
export interface ExperimentContents {
  readonly experiment: ExperimentJson;
  /** Sorted by start time. Runs of compared experiments come after the page's own. */
  readonly runs: readonly RunJson[];
  readonly tags: readonly TagJson[];
  /** The compared experiments that are loaded. */
  readonly compared: readonly Compared[];
  /** The styles of runs and of run groups. */
  readonly styles: ReadonlyMap<string, RunStyle>;
  /** The group of each run; null if there are no groups. */
  readonly groups: ReadonlyMap<string, string> | null;
  /** Runs that pass the filter and the conditions. */
  readonly listed: ReadonlySet<string>;
  /** The listed runs that are drawn. */
  readonly shown: ReadonlySet<string>;
}

export const ContentsContext = createContext<ExperimentContents | null>(null);

/** The contents of the experiment that contains this component. Throws if there are none. */
export function useContents(): ExperimentContents {
  const contents = useContext(ContentsContext);
  if (!contents) throw new Error('this component must be rendered inside the contents of an experiment');
  return contents;
}
