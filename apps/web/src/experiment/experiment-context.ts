import { createContext, useContext } from 'react';
import type { RunStyle, View } from '#charts';
import type { Api } from '../api/api.ts';
import type { ExperimentJson, RunJson, TagJson } from '../api/types.ts';
import { Store, useStore } from '../app/store.ts';
import type { FirstCharts } from '../chart/first-charts.ts';
import type { Compared } from '../compare/compared-run.ts';
import type { ComparingLoader } from '../compare/comparing-loader.ts';
import type { LiveState } from '../live/live-state.ts';

/** Where somebody points: every chart and the list of runs answer. */
export interface Hover {
  readonly run: string | null;
  /** Place along the x axis. */
  readonly x: number | null;
}

export const nowhere: Hover = { run: null, x: null };

/** What the parts of an experiment's page share. */
export interface ExperimentWorld {
  readonly api: Api;
  readonly loader: ComparingLoader;
  readonly id: string;
  readonly view: Store<View>;
  readonly hover: Store<Hover>;
  readonly live: Store<LiveState>;
  /** Charts that came with the page as pictures: shown until the canvas is there. On the server, the pictures are only being made. */
  readonly firstCharts: FirstCharts | 'server';
}

export const ExperimentContext = createContext<ExperimentWorld | null>(null);

/** The experiment around this component. Throws without one. */
export function useWorld(): ExperimentWorld {
  const world = useContext(ExperimentContext);
  if (!world) throw new Error('there is no experiment around this component');
  return world;
}

/** A part of the view. */
export function useView<S>(select: (view: View) => S): S {
  return useStore(useWorld().view, select);
}

/** What the experiment has, and how its runs look. */
export interface ExperimentContents {
  readonly experiment: ExperimentJson;
  /** In the order of their beginning; those of compared experiments behind the page's own. */
  readonly runs: readonly RunJson[];
  readonly tags: readonly TagJson[];
  /** The experiments beside this one, as far as they are loaded. */
  readonly compared: readonly Compared[];
  /** Of runs, and of groups of runs. */
  readonly styles: ReadonlyMap<string, RunStyle>;
  /** The group of each run; null: there are none. */
  readonly groups: ReadonlyMap<string, string> | null;
  /** Those that pass filter and conditions. */
  readonly listed: ReadonlySet<string>;
  /** Those of them that are drawn. */
  readonly shown: ReadonlySet<string>;
}

export const ContentsContext = createContext<ExperimentContents | null>(null);

/** The contents of the experiment around this component. Throws without any. */
export function useContents(): ExperimentContents {
  const contents = useContext(ContentsContext);
  if (!contents) throw new Error('there are no contents around this component');
  return contents;
}
