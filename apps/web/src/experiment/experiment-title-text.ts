import { visibleText } from '#charts';
import type { ExperimentJson } from '../api/types.ts';

/** The title of an experiment; if its name is empty, its id. */
export function titleOf({ name, id }: Pick<ExperimentJson, 'name' | 'id'>): string {
  return name.trim() === '' ? `Experiment ${id}` : visibleText(name);
}
