/** The editable texts of an experiment or a run. */
export interface Written {
  /** Runs have no name of this kind, and no description. */
  readonly name?: string;
  readonly description?: string;
  readonly labels: readonly string[];
  readonly notes: string;
}

/** Only the changed fields, so that concurrent changes to other fields are kept. */
export function changesOf(before: Written, after: Written): Partial<Written> {
  const fields = ['name', 'description', 'labels', 'notes'] as const;
  const changed = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  return Object.fromEntries(changed.map((field) => [field, after[field]]));
}
