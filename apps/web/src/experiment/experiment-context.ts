import { createContext, useContext } from 'react';
import type { RunStyle, View } from '#charts';
import type { Api } from '../api/api.ts';
import type { ExperimentJson, RunJson, TagJson } from '../api/types.ts';
import { Store, useStore } from '../app/store.ts';
import type { FirstCharts } from '../chart/first-charts.ts';
import type { Compared } from '../compare/compared-run.ts';
import type { ComparingLoader } from '../compare/comparing-loader.ts';
import type { LiveState } from '../live/live-state.ts';

/** The pointer's position: all charts and the list of runs respond to it. */
export interface Hover {
  readonly run: string | null;
  /** Position along the x axis. */
  readonly x: number | null;
}

export const nowhere: Hover = { run: null, x: null };

/** Shared state of an experiment's page. */
export interface ExperimentWorld {
  readonly api: Api;
  readonly loader: ComparingLoader;
  readonly id: string;
  readonly view: Store<View>;
  readonly hover: Store<Hover>;
  readonly live: Store<LiveState>;
  /**
   * Charts delivered with the page as pictures: shown until the canvas exists. On the server, the
   * pictures are just being created.
   */
  readonly firstCharts: FirstCharts | 'server';
}

export const ExperimentContext = createContext<ExperimentWorld | null>(null);

/** The experiment around this component. Throws without one. */
export function useWorld(): ExperimentWorld {
  const world = useContext(ExperimentContext);
  if (!world) throw new Error('this component must be rendered inside an experiment');
  return world;
}

/** A part of the view. */
export function useView<S>(select: (view: View) => S): S {
  return useStore(useWorld().view, select);
}

/** The content of the experiment, and the styles of its runs. */
export interface ExperimentContents {
  readonly experiment: ExperimentJson;
  /** Sorted by start; runs of compared experiments come after the page's own. */
  readonly runs: readonly RunJson[];
  readonly tags: readonly TagJson[];
  /** The compared experiments, as far as they are loaded. */
  readonly compared: readonly Compared[];
  /** The styles of runs and of groups of runs. */
  readonly styles: ReadonlyMap<string, RunStyle>;
  /** The group of each run; null if there are no groups. */
  readonly groups: ReadonlyMap<string, string> | null;
  /** Runs that pass filter and conditions. */
  readonly listed: ReadonlySet<string>;
  /** The runs of these that are drawn. */
  readonly shown: ReadonlySet<string>;
}

export const ContentsContext = createContext<ExperimentContents | null>(null);

/** The contents of the experiment around this component. Throws without any. */
export function useContents(): ExperimentContents {
  const contents = useContext(ContentsContext);
  if (!contents) throw new Error('this component must be rendered inside the contents of an experiment');
  return contents;
}
