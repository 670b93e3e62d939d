/**
 * The modules to mutate and the unit tests that must detect the mutants, by their names for `npm
 * run test:mutants`.
 */
export const modules = {
  records: { mutate: ['libs/records/src/*.ts'], tests: ['libs/records/src/*.spec.ts'] },
  points: { mutate: ['libs/points/src/*.ts'], tests: ['libs/points/src/*.spec.ts'] },
  chunks: { mutate: ['libs/chunks/src/*.ts'], tests: ['libs/chunks/src/*.spec.ts'] },
  progress: { mutate: ['libs/progress/src/*.ts'], tests: ['libs/progress/src/*.spec.ts'] },
  'plan-appends': { mutate: ['apps/upload/src/files/plan-appends.ts'], tests: ['apps/upload/src/files/plan-appends.spec.ts'] },
  permissions: {
    mutate: ['libs/experiments/src/permissions.ts'],
    tests: ['libs/experiments/src/permissions.spec.ts', 'libs/experiments/src/security-doc.spec.ts'],
  },
};

/** The modules in `MUTANTS`, separated by commas; all if it is not set. */
export function chosenModules() {
  const names = process.env.MUTANTS?.split(',') ?? Object.keys(modules);
  return names.map((name) => {
    const module = modules[name];
    if (!module) throw new Error(`Unknown module ${name}; use ${Object.keys(modules).join(', ')}`);
    return module;
  });
}
