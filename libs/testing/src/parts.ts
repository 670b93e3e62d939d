/**
 * Parts that a suite may need besides Node. `TEST_REQUIRE=postgres,chromium` turns a missing part
 * into a failure.
 */
export const parts = [
  'postgres',
  'redis',
  's3',
  'chromium',
  'docker',
  'tensorboard',
  'rsync',
  'rclone',
  's3transfer',
  'tables',
  'trackers',
  'prometheus',
  'citus',
  /** Postgres without Citus, for the plans of a single server. */
  'plain-postgres',
] as const;

export type Part = (typeof parts)[number];

/** Found (with its address to display), or missing (with the reason). */
export type PartState = { readonly found: string } | { readonly missing: string };

export type PartStates = Readonly<Record<Part, PartState>>;

/**
 * The parts in `TEST_REQUIRE`. Throws for an unknown part, so that a typo does not pass silently.
 */
export function requiredParts(value: string | undefined): readonly Part[] {
  const names = (value ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names.map((name) => {
    const part = parts.find((candidate) => candidate === name);
    if (!part) throw new Error(`TEST_REQUIRE names an unknown part, ${name}. Parts are ${parts.join(', ')}.`);
    return part;
  });
}

/** Throws if a part in `TEST_REQUIRE` is missing. */
export function checkRequired(states: PartStates, value: string | undefined): void {
  const faults = requiredParts(value).flatMap((part) => {
    const state = states[part];
    return 'missing' in state ? [`${part}: ${state.missing}`] : [];
  });
  if (faults.length > 0) throw new Error(`TEST_REQUIRE names parts that this machine does not have. ${faults.join('; ')}`);
}
