import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { ExperimentJson } from '../api/types.ts';
import { loadPart } from '../app/later.ts';
import type { ComparedParts } from '../compare/compared-run.ts';
import type { ExperimentWorld } from '../experiment/experiment-context.ts';
import type { Following, LiveForm } from './follow.ts';

/**
 * Keeps an experiment's page up to date, by default through its event stream, and compared
 * experiments by polling. Requests nothing while the page is hidden. The code for this is loaded after the page is
 * rendered. `compared`: the compared experiments that are loaded.
 */
export function useLive(
  world: ExperimentWorld,
  experiment: ExperimentJson | undefined,
  compared: readonly ComparedParts[],
  form: LiveForm = 'stream',
): void {
  const client = useQueryClient();
  /** Resolves to null if following is no longer needed or could not be loaded. */
  const following = useRef<Promise<Following | null> | null>(null);
  /** The epoch with which the page was opened. */
  const first = useRef<number | null>(null);
  if (experiment && first.current === null) first.current = Number(experiment.frontier.epoch);
  const ready = experiment !== undefined && !world.api.isStored;
  useEffect(() => {
    if (!ready) return;
    let wanted = true;
    const made = loadPart(() => import('./follow.ts')).then(
      ({ follow }) => (wanted ? follow(world, client, { shownEpoch: first.current ?? -1, form }) : null),
      () => {
        world.live.set({ ...world.live.value, missing: true });
        return null;
      },
    );
    following.current = made;
    return () => {
      wanted = false;
      void made.then((one) => one?.end());
    };
  }, [client, world, ready, form]);
  useEffect(() => void following.current?.then((one) => one?.compare(compared)), [world, ready, form, compared]);
}
