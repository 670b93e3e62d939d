/**
 * Which folder may import which. The table is the architecture: data only moves to the right, bytes
 * → records → points → chunks → rows → series. Everything else is forbidden; `npm run lint:imports`
 * checks it.
 */
const may = {
  model: [],
  protocols: [],
  records: ['model', 'protocols'], // model: only the limits
  columns: ['model', 'records'], // ranges of event files as columns
  points: ['model', 'protocols', 'records'],
  parquet: [], // tables as Parquet files
  tables: ['model', 'parquet'], // long tables of scalars as files
  progress: ['model'],
  chunks: ['model'],
  charts: [], // from API responses to lines, scales and images; for page and server
  config: ['model'],
  telemetry: ['model'],
  'embedded-postgres': [], // processes and files, not the content of the database
  admission: ['telemetry'], // fair shares of connections, bytes, threads
  // progress: batches are written in the transaction that they count
  store: ['model', 'admission', 'chunks', 'config', 'telemetry', 'progress'],
  blobs: ['model', 'config', 'telemetry'],
  // raw event files: segments in the ledger, large ones as objects
  originals: ['model', 'records', 'columns', 'blobs', 'store', 'telemetry'],
  jobs: ['model', 'admission', 'config', 'telemetry', 'store'],
  auth: ['model', 'admission', 'config', 'store'],
  experiments: ['model', 'store', 'jobs', 'auth'],
  // members, invitations, quotas
  workspaces: ['model', 'admission', 'config', 'store', 'auth', 'experiments'],
  citations: ['model'], // content digests, and forms of a citation
  series: ['model', 'admission', 'store', 'progress', 'chunks', 'parquet'], // chunks: decodes their bodies
  snapshots: ['model', 'blobs', 'parquet'], // parquet: Snappy
  // results of export jobs, stored as snapshots
  exports: ['model', 'records', 'blobs', 'store', 'originals', 'series', 'snapshots', 'tables', 'points', 'protocols'],
  summaries: ['model'], // short answers from API responses, and MCP tools
  // what all HTTP apps share: guard, problems, bodies, request ids
  http: ['model', 'admission', 'auth', 'experiments', 'workspaces', 'store', 'config', 'telemetry'],
  // the same for gRPC; http checks permissions
  grpc: ['model', 'admission', 'protocols', 'config', 'auth', 'experiments', 'workspaces', 'store', 'http', 'telemetry'],
  // starts and stops a process of the service
  service: ['model', 'config', 'telemetry', 'store', 'auth', 'workspaces', 'http', 'grpc', 'blobs', 'jobs'],
};

const anyLib = Object.keys(may);

const appsMay = {
  upload: anyLib,
  ingest: anyLib,
  read: anyLib,
  // config: all programs read the environment by the same rules
  cli: ['model', 'protocols', 'records', 'columns', 'points', 'chunks', 'parquet', 'tables', 'citations', 'config', 'summaries'],
  standalone: anyLib,
  admin: ['model', 'config', 'store', 'auth', 'experiments', 'http', 'blobs', 'originals', 'service', 'embedded-postgres'],
  migrate: ['config', 'telemetry', 'store', 'auth', 'http', 'service'],
};

/** Libraries without effects: no framework, files, sockets, processes or clock. */
const pure = ['model', 'protocols', 'records', 'columns', 'points', 'chunks', 'parquet', 'progress', 'charts'];

/** Node and npm modules that pure libraries may use: computation only. */
const computation = '^(node:)?(zlib|buffer|util)$';
const pureModules = { records: ['@node-rs/crc32'], parquet: ['hyparquet-writer', 'hyparquet'] };

/** Packages that only these folders may import, so that replacing one changes one folder. */
const onlyIn = {
  'kysely|pg|pg-copy-streams': ['libs/store/'],
  '@aws-sdk/[^/]+': ['libs/blobs/'],
  'bullmq|ioredis': ['libs/jobs/'],
  'passport[^/]*|@nestjs/passport|jsonwebtoken|openid-client': ['libs/auth/'],
  'embedded-postgres': ['libs/embedded-postgres/'],
  'pino|prom-client|@opentelemetry/[^/]+': ['libs/telemetry/'],
  '@nestjs/microservices|protobufjs': ['libs/grpc/'],
  '@grpc/[^/]+': ['libs/grpc/', 'apps/cli/'], // the command line forwards messages without reading them
  'hyparquet(-writer)?': ['libs/parquet/'],
  '@modelcontextprotocol/[^/]+': ['libs/summaries/', 'apps/read/', 'apps/cli/'],
  'apache-arrow': ['apps/read/', 'apps/cli/', 'libs/series/', 'libs/tables/'],
};

/** Code that never runs in production: may import every testing door and package. */
const tests = String.raw`(\.spec\.ts$|^test/|^bench/|^scripts/|/testing/|^libs/testing/|^vitest\.config\.ts$)`;
/**
 * Additional doors: SVG drawing, which is not part of a page's first script; MCP, because commands
 * start without its SDK; secrets, because threads load no schemas of settings;
 * stale-build, because scripts load no Vitest.
 */
const moreDoors = { charts: '|svg', config: '|secrets', summaries: '|mcp', testing: '|stale-build' };
const door = (lib) => `^libs/${lib}/src/(index|testing/index${moreDoors[lib] ?? ''})\\.ts$`;

const libRules = Object.entries(may).map(([lib, allowed]) => ({
  name: `lib-${lib}`,
  comment: `libs/${lib} may import ${allowed.length > 0 ? allowed.join(', ') : 'no other library'}`,
  severity: 'error',
  from: { path: `^libs/${lib}/`, pathNot: tests },
  to: { path: '^(libs|apps|bench|scripts|test)/', pathNot: [lib, ...allowed].map((name) => `^libs/${name}/`) },
}));

const appRules = Object.entries(appsMay).map(([app, allowed]) => ({
  name: `app-${app}`,
  comment: `apps/${app} may import its own files and the libraries of its list${app === 'standalone' ? ', and the modules of the other apps' : ''}`,
  severity: 'error',
  from: { path: `^apps/${app}/`, pathNot: tests },
  to: {
    path: '^(libs|apps|bench|scripts|test)/',
    pathNot: [
      `^apps/${app}/`,
      ...allowed.map((name) => `^libs/${name}/`),
      ...(app === 'standalone' ? ['^apps/(upload|ingest|read)/src/[^/]+\\.module\\.ts$'] : []),
    ],
  },
}));

const doorRules = anyLib.concat('testing').map((lib) => ({
  name: `door-${lib}`,
  comment: `libs/${lib} is imported by its index.ts (in tests also by testing/index.ts)`,
  severity: 'error',
  from: { pathNot: `^libs/${lib}/` },
  to: { path: `^libs/${lib}/`, pathNot: door(lib) },
}));

const packageRules = Object.entries(onlyIn).map(([packages, places]) => ({
  name: `only-in-${places[0].split('/')[1]}`,
  comment: `${packages.replaceAll('|', ', ')}: only ${places.join(', ')} may import them`,
  severity: 'error',
  from: { path: '^(libs|apps)/', pathNot: [tests, ...places.map((place) => `^${place}`)] },
  to: { path: `(^|/)node_modules/(@types/)?(${packages})/` },
}));

export default {
  forbidden: [
    ...libRules,
    ...appRules,
    ...doorRules,
    ...packageRules,
    {
      name: 'listed',
      comment: 'Add a new library or app to the table first',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: [`^libs/(${anyLib.join('|')}|testing)/`, `^apps/(${Object.keys(appsMay).join('|')}|web)/`] },
      to: {},
    },
    {
      name: 'testing-code-stays-in-tests',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: tests },
      to: { path: '^(libs/testing/|libs/[^/]+/src/testing/)|\\.spec\\.ts$' },
    },
    {
      name: 'pure-without-effects',
      comment: 'Pure libraries compute: their callers open files and sockets, and pass bytes',
      severity: 'error',
      from: { path: `^libs/(${pure.join('|')})/`, pathNot: tests },
      to: { dependencyTypes: ['core'], pathNot: computation },
    },
    ...pure.map((lib) => ({
      name: `pure-${lib}-without-packages`,
      severity: 'error',
      from: { path: `^libs/${lib}/`, pathNot: tests },
      to: { path: '(^|/)node_modules/', pathNot: (pureModules[lib] ?? ['@types/node']).map((name) => `(^|/)node_modules/${name}/`) },
    })),
    {
      name: 'no-nest-in-the-core',
      comment: 'Nest is for the edges: the core and the command line use plain calls, also because the CLI must start fast',
      severity: 'error',
      from: {
        path: `^(libs/(${pure.join('|')}|embedded-postgres|experiments|workspaces|series|snapshots|originals)|apps/cli)/`,
        pathNot: tests,
      },
      to: { path: '(^|/)node_modules/(@nestjs|reflect-metadata|rxjs|express)/' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-development-packages-in-production',
      severity: 'error',
      from: { path: '^(libs|apps/(?!web/))', pathNot: [tests, '/vite\\.config\\.ts$'] }, // packages of the page are bundled, not installed
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
        pathNot: '(^|/)node_modules/@types/',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['source', 'import', 'node', 'default', 'types'] },
  },
};
