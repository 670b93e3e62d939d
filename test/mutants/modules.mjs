/** What is mutated, and the unit tests that are to notice. By the name that `npm run test:mutants` takes. */
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

/** The modules that `MUTANTS` names, with commas between; all of them if it is not set. */
export function chosenModules() {
  const names = process.env.MUTANTS?.split(',') ?? Object.keys(modules);
  return names.map((name) => {
    const module = modules[name];
    if (!module) throw new Error(`There is no ${name} here: ${Object.keys(modules).join(', ')}`);
    return module;
  });
}
