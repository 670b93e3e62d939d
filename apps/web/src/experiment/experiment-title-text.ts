import { visibleText } from '#charts';
import type { ExperimentJson } from '../api/types.ts';

/** The title of an experiment: its name, or its id if the name is empty. */
export function titleOf({ name, id }: Pick<ExperimentJson, 'name' | 'id'>): string {
  return name.trim() === '' ? `Experiment ${id}` : visibleText(name);
}
