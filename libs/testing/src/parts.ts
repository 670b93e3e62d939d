/** What a suite can need beside Node. `TEST_REQUIRE=postgres,chromium` turns a missing one into a failure. */
export const parts = ['postgres', 'redis', 's3', 'chromium', 'docker', 'tensorboard'] as const;

export type Part = (typeof parts)[number];

/** Found (with how it is reached, for people), or missing with the reason. */
export type PartState = { readonly found: string } | { readonly missing: string };

export type PartStates = Readonly<Record<Part, PartState>>;

/** The parts named in `TEST_REQUIRE`; throws on one that does not exist, so that a typing error is not a silent pass. */
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

/** Throws when a part that `TEST_REQUIRE` names is missing. */
export function checkRequired(states: PartStates, value: string | undefined): void {
  const faults = requiredParts(value).flatMap((part) => {
    const state = states[part];
    return 'missing' in state ? [`${part}: ${state.missing}`] : [];
  });
  if (faults.length > 0) throw new Error(`TEST_REQUIRE asks for parts that this machine does not have. ${faults.join('; ')}`);
}
