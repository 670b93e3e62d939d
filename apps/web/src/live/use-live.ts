import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { ExperimentJson } from '../api/types.ts';
import { loadPart } from '../app/later.ts';
import type { ComparedParts } from '../compare/compared-run.ts';
import type { ExperimentWorld } from '../experiment/experiment-context.ts';
import type { Following } from './follow.ts';

/**
 * Keeps the page of an experiment up to date by the stream of its events, and what it is compared with by asking. While nobody sees the page nothing is asked for.
 * What does that is loaded once the page stands. `compared`: the experiments beside it that are loaded.
 */
export function useLive(world: ExperimentWorld, experiment: ExperimentJson | undefined, compared: readonly ComparedParts[]): void {
  const client = useQueryClient();
  /** Null: it was not wanted any more, or could not be loaded. */
  const following = useRef<Promise<Following | null> | null>(null);
  /** Where the page began. */
  const first = useRef<number | null>(null);
  if (experiment && first.current === null) first.current = Number(experiment.frontier.epoch);
  const ready = experiment !== undefined;
  useEffect(() => {
    if (!ready) return;
    let wanted = true;
    const made = loadPart(() => import('./follow.ts')).then(
      ({ follow }) => (wanted ? follow(world, client, first.current ?? -1) : null),
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
  }, [client, world, ready]);
  useEffect(() => void following.current?.then((one) => one?.compare(compared)), [world, ready, compared]);
}
