import { type Fields, oneOf } from './field.ts';

/** The kinds of data on a page, shown one at a time. */
export const tabs = [
  'scalars',
  'runs',
  'histograms',
  'images',
  'audio',
  'text',
  'pr_curves',
  'meshes',
  'hparams',
  'graphs',
  'system',
  'logs',
  'other',
] as const;
export type Tab = (typeof tabs)[number];

/** The kind of data. */
export interface TabView {
  readonly tab: Tab;
}

export const tabFields: Fields<TabView> = { tab: oneOf('tab', tabs) };
