/**
 * Who may import whom. The table is the architecture: a value only moves to the right, bytes → records → points → chunks → rows → series.
 * Whatever is not in a list is forbidden; `npm run lint:imports` checks it.
 */
const may = {
  model: [],
  protocols: [],
  records: ['model', 'protocols'], // model: only the limits, which stand in one place for all
  columns: ['model', 'records'], // ranges of event files, packed by column
  points: ['model', 'protocols', 'records'],
  parquet: [], // tables as Parquet files
  tables: ['model', 'parquet'], // long tables of scalars as files, for the command line and for exports
  progress: ['model'],
  chunks: ['model'],
  charts: [], // from answers of the read API to lines, scales and pictures; the page and the server draw by it
  config: ['model'],
  telemetry: ['model'],
  'embedded-postgres': [], // knows processes and files, not what is in the database
  admission: ['telemetry'], // who may use how much of what all share: connections, bytes, threads
  store: ['model', 'admission', 'chunks', 'config', 'telemetry', 'progress'], // progress: what an acknowledgement and an ingest say is written where they are
  blobs: ['model', 'config', 'telemetry'],
  originals: ['model', 'records', 'columns', 'blobs', 'store', 'telemetry'], // the raw event files: segments in the ledger, large ones as objects
  jobs: ['model', 'admission', 'config', 'telemetry', 'store'],
  auth: ['model', 'admission', 'config', 'store'],
  experiments: ['model', 'store', 'jobs', 'auth'],
  workspaces: ['model', 'admission', 'config', 'store', 'auth', 'experiments'], // people, their ways in, and what it may use, of one workspace
  citations: ['model'], // what makes a snapshot citable: its content digest, and forms of the citation
  series: ['model', 'admission', 'store', 'progress', 'chunks', 'parquet'], // chunks: raw points are decoded from their bodies
  snapshots: ['model', 'blobs', 'parquet'], // parquet: Snappy
  exports: ['model', 'records', 'blobs', 'store', 'originals', 'series', 'snapshots', 'tables', 'points', 'protocols'], // what the service writes for exports, stored as snapshots
  summaries: ['model'], // short exact answers from responses of the read API, and their MCP tools
  http: ['model', 'admission', 'auth', 'experiments', 'workspaces', 'store', 'config', 'telemetry'], // the guarded edge that the apps share: problems, bodies, request ids
  grpc: ['model', 'admission', 'protocols', 'config', 'auth', 'experiments', 'workspaces', 'store', 'http', 'telemetry'], // the same edge for gRPC: permission is asked in http
  service: ['model', 'config', 'telemetry', 'store', 'auth', 'workspaces', 'http', 'grpc', 'blobs', 'jobs'], // how a process of the service is started and stopped
};

const anyLib = Object.keys(may);

const appsMay = {
  upload: anyLib,
  ingest: anyLib,
  read: anyLib,
  // config: the environment is read by the same rules everywhere
  cli: ['model', 'protocols', 'records', 'columns', 'points', 'chunks', 'parquet', 'tables', 'citations', 'config', 'summaries'],
  standalone: anyLib,
  admin: ['model', 'config', 'store', 'blobs', 'originals', 'service', 'embedded-postgres'],
  migrate: ['config', 'telemetry', 'store', 'auth', 'http', 'service'],
};

/** Libraries without effects: no framework, no files, sockets or processes, no time of day. */
const pure = ['model', 'protocols', 'records', 'columns', 'points', 'chunks', 'parquet', 'progress', 'charts'];

/** What pure libraries may use of Node and of npm: computation only. */
const computation = '^(node:)?(zlib|buffer|util)$';
const pureModules = { records: ['@node-rs/crc32'], parquet: ['hyparquet-writer', 'hyparquet'] };

/** Packages that one library alone may know, so that they can be replaced there. */
const onlyIn = {
  'kysely|pg|pg-copy-streams': ['libs/store/'],
  '@aws-sdk/[^/]+': ['libs/blobs/'],
  'bullmq|ioredis': ['libs/jobs/'],
  'passport[^/]*|@nestjs/passport|jsonwebtoken|openid-client': ['libs/auth/'],
  'embedded-postgres': ['libs/embedded-postgres/'],
  'pino|prom-client|@opentelemetry/[^/]+': ['libs/telemetry/'],
  '@nestjs/microservices|protobufjs': ['libs/grpc/'],
  '@grpc/[^/]+': ['libs/grpc/', 'apps/cli/'], // the command line passes messages on, and reads none
  'hyparquet(-writer)?': ['libs/parquet/'],
  '@modelcontextprotocol/[^/]+': ['libs/summaries/', 'apps/read/', 'apps/cli/'],
  'apache-arrow': ['apps/read/', 'apps/cli/', 'libs/series/', 'libs/tables/'],
};

/** Code that never runs in production: it may open every testing door and use any package. */
const tests = String.raw`(\.spec\.ts$|^test/|^bench/|^scripts/|/testing/|^libs/testing/|^vitest\.config\.ts$)`;
/** Doors of their own: drawing as SVG, so that it is no part of the first script of a page; MCP, so that commands start without its SDK; secrets, so that threads load no schemas of settings. */
const moreDoors = { charts: '|svg', config: '|secrets', summaries: '|mcp' };
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
  comment: `libs/${lib} is entered by its index.ts (tests also by testing/index.ts)`,
  severity: 'error',
  from: { pathNot: `^libs/${lib}/` },
  to: { path: `^libs/${lib}/`, pathNot: door(lib) },
}));

const packageRules = Object.entries(onlyIn).map(([packages, places]) => ({
  name: `only-in-${places[0].split('/')[1]}`,
  comment: `${packages.replaceAll('|', ', ')}: known to ${places.join(', ')} only`,
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
      comment: 'A new library or app gets a line in the table first',
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
      comment: 'records, points, chunks and their like compute; what opens files or sockets is handed in as bytes',
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
      comment: 'Nest earns its place at the edges; the core and the command line are plain calls (start-up time of the CLI)',
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
      from: { path: '^(libs|apps/(?!web/))', pathNot: [tests, '/vite\\.config\\.ts$'] }, // what the pages need is bundled into them, and not installed
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
