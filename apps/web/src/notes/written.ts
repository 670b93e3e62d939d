/** What people write about an experiment or a run. */
export interface Written {
  /** Runs have no name of this kind, and no description. */
  readonly name?: string;
  readonly description?: string;
  readonly labels: readonly string[];
  readonly notes: string;
}

/** The fields that are not as they were: what somebody else writes into the others meanwhile stays. */
export function changesOf(before: Written, after: Written): Partial<Written> {
  const fields = ['name', 'description', 'labels', 'notes'] as const;
  const changed = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  return Object.fromEntries(changed.map((field) => [field, after[field]]));
}
