import { useState } from 'react';
import { problemText } from '../api/problem.ts';
import { shownParts } from '../compare/shown-parts.ts';
import { useContents, useWorld } from '../experiment/experiment-context.ts';
import { type PointsForm, savePoints } from './exact-points.ts';

/**
 * Saves every point of `tags` (called on demand) in all shown runs as one file with this `name`.
 * `state`: progress or an error message; null if there is none.
 */
export function usePointsFile(tags: () => readonly string[], name: string) {
  const { api, id } = useWorld();
  const contents = useContents();
  const [state, setState] = useState<string | null>(null);
  const save = async (type: PointsForm): Promise<void> => {
    setState('Reading all points …');
    try {
      await savePoints(api, shownParts(contents, id), tags(), name, type);
      setState(null);
    } catch (error) {
      setState(problemText(error));
    }
  };
  return { state, save };
}
