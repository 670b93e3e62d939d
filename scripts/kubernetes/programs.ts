import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const kubernetesVersion = 'v1.34.2';
/** Kubernetes' own go.mod replaces these modules with folders; this is their published version. */
const stagingVersion = 'v0.34.2';

/** A main package that starts a program from another module. */
interface GoProgram {
  readonly name: string;
  readonly modules: readonly string[];
  readonly main: string;
}

const programs: readonly GoProgram[] = [
  {
    name: 'kube-apiserver',
    modules: [`k8s.io/kubernetes@${kubernetesVersion}`],
    main: `package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() { os.Exit(cli.Run(app.NewAPIServerCommand())) }
`,
  },
  {
    name: 'etcd',
    modules: ['go.etcd.io/etcd/server/v3@v3.6.5'],
    main: `package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
`,
  },
];

const kustomize = 'sigs.k8s.io/kustomize/kustomize/v5@v5.7.1';

/** Definitions of the custom resources that components use, in their projects' modules. */
const definitions: readonly { readonly module: string; readonly files: readonly string[] }[] = [
  {
    module: 'sigs.k8s.io/gateway-api@v1.3.0',
    files: ['gateways', 'httproutes', 'grpcroutes'].map((name) => `config/crd/standard/gateway.networking.k8s.io_${name}.yaml`),
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    files: ['servicemonitors', 'prometheusrules'].map((name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`),
  },
  {
    module: 'github.com/external-secrets/external-secrets@v0.19.2',
    files: ['config/crds/bases/external-secrets.io_externalsecrets.yaml'],
  },
  { module: 'github.com/kedacore/keda/v2@v2.17.2', files: ['config/crd/bases/keda.sh_scaledobjects.yaml'] },
];

/** The programs that the test uses. */
export interface KubernetesPrograms {
  readonly apiServer: string;
  readonly etcd: string;
  readonly kustomize: string;
  /** Custom resource definitions as YAML. */
  readonly definitions: readonly string[];
}

/**
 * Builds the programs that are missing in `folder` from Go modules. This takes about 4 minutes on
 * two processors the first time. Throws if this fails.
 */
export async function buildPrograms(folder: string, log: (line: string) => void): Promise<KubernetesPrograms> {
  const kustomizeProgram = await buildKustomize(folder, log);
  for (const program of programs) {
    if (existsSync(join(folder, program.name))) continue;
    log(`building ${program.name}`);
    await build(folder, program);
  }
  return {
    apiServer: join(folder, 'kube-apiserver'),
    etcd: join(folder, 'etcd'),
    kustomize: kustomizeProgram,
    definitions: (await Promise.all(definitions.map(({ module, files }) => readFromModule(folder, module, files)))).flat(),
  };
}

/** Builds kustomize in `folder` unless it exists. Returns its path. Throws if this fails. */
export async function buildKustomize(folder: string, log: (line: string) => void): Promise<string> {
  const program = join(folder, 'kustomize');
  if (existsSync(program)) return program;
  await run('go', ['version']).catch((error: unknown) => {
    throw new Error('building kube-apiserver, etcd and kustomize needs Go', { cause: error });
  });
  await mkdir(folder, { recursive: true });
  log('building kustomize');
  await go(folder, ['install', kustomize], { GOBIN: folder });
  return program;
}

async function build(folder: string, { name, modules, main }: GoProgram): Promise<void> {
  const source = join(folder, `${name}-source`);
  await mkdir(source, { recursive: true });
  await writeFile(join(source, 'go.mod'), `module plotline.test/${name}\n\ngo 1.24\n`);
  await writeFile(join(source, 'main.go'), main);
  for (const module of modules) {
    for (const staging of await stagingModules(source, module))
      await go(source, ['mod', 'edit', `-replace=${staging}=${staging}@${stagingVersion}`]);
    await go(source, ['mod', 'edit', `-require=${module}`]);
  }
  await go(source, ['mod', 'tidy']);
  await go(source, ['build', '-o', join(folder, name), '.']);
}

/** Returns the modules that a module's go.mod replaces with folders of its repository. */
async function stagingModules(folder: string, module: string): Promise<string[]> {
  const { GoMod: path } = await download(folder, module);
  const text = await readFile(path, 'utf8');
  return [...text.matchAll(/^\s*(?:replace )?(k8s\.io\/\S+) => \.\/staging\//gm)].map(([, name]) => name!);
}

async function readFromModule(folder: string, module: string, files: readonly string[]): Promise<string[]> {
  const { Dir: dir } = await download(folder, module);
  return Promise.all(files.map((file) => readFile(join(dir, file), 'utf8')));
}

/** Downloads a module; returns the folder in which `go` keeps the module. */
async function download(folder: string, module: string): Promise<{ Dir: string; GoMod: string }> {
  return JSON.parse(await go(folder, ['mod', 'download', '-json', module])) as { Dir: string; GoMod: string };
}

async function go(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  try {
    const { stdout } = await run('go', [...args], { cwd, env: { ...process.env, ...env }, maxBuffer: 64 << 20, timeout: 3_600_000 });
    return stdout;
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    throw new Error(`go ${args.slice(0, 2).join(' ')} failed: ${stderr.trim().split('\n').slice(-3).join('; ')}`, { cause: error });
  }
}
