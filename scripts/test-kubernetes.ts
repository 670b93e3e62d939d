/**
 * `npm run test:kubernetes`: applies every object of k8s/ to a real kube-apiserver: each overlay,
 * and all components. The server must know each field, and Pod Security `restricted` must accept
 * each pod without a warning. It lints the objects with kube-linter, if that is installed. It
 * builds kube-apiserver, etcd and kustomize from Go modules into .cache/kubernetes, about 4 minutes
 * the first time. If that is impossible, it prints the reason and exits with 0.
 */
import { execFile } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ApiResponse, ApiServer, type KubernetesObject } from './kubernetes/api-server.ts';
import { buildOverlay, buildText, copyManifests, documentsOf, root } from './kubernetes/manifests.ts';
import { podsOfCronJobs } from './kubernetes/pod.ts';
import { buildPrograms, type KubernetesPrograms } from './kubernetes/programs.ts';

const run = promisify(execFile);

const namespace = 'plotline';

/** Components that the overlay `production` omits, by the name of a copy that has them. */
const copies = {
  'all-components': ['gateway-api', 'keda', 'probe'],
  'no-gateway': ['no-gateway'],
};
const overlays = ['dev', 'production', ...Object.keys(copies)];

interface Workload extends KubernetesObject {
  readonly spec: {
    readonly template: { readonly metadata: object; readonly spec: { readonly volumes?: readonly object[] } };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
}

/**
 * Returns the pod that a controller would create. Volume claims of a StatefulSet become volumes of
 * its pods.
 */
function podOf({ metadata: { name }, spec: { template, volumeClaimTemplates = [] } }: Workload): object {
  const claims = volumeClaimTemplates.map((claim) => ({ name: claim.metadata.name, emptyDir: {} }));
  const { volumes = [], ...spec } = template.spec;
  return { metadata: { ...template.metadata, name }, spec: { ...spec, volumes: [...volumes, ...claims] } };
}

/** Copies k8s/, including `production` with other components, as docs/kubernetes.md describes. */
async function copyWithOverlays(): Promise<string> {
  const folder = await copyManifests();
  for (const [name, components] of Object.entries(copies)) {
    await cp(join(folder, 'overlays/production'), join(folder, 'overlays', name), { recursive: true });
    const file = join(folder, 'overlays', name, 'kustomization.yaml');
    const added = components.map((component) => `  - ../../components/${component}\n`).join('');
    await writeFile(file, (await readFile(file, 'utf8')).replace(/^components:\n/m, `$&${added}`));
  }
  return folder;
}

const faults: string[] = [];

function judge(what: string, { status, body, warnings }: ApiResponse): void {
  if (status >= 300) faults.push(`${what}: ${status} ${body.message ?? ''}`);
  for (const warning of warnings) faults.push(`${what}: ${warning}`);
}

/**
 * Checks that the test can fail: the API server rejects an unknown field and a pod without
 * hardening.
 */
async function checkTheTest(server: ApiServer): Promise<void> {
  const misspelt = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'misspelt' }, dataa: { a: 'b' } };
  const bare = { metadata: { name: 'bare' }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  const responses = [await server.apply(misspelt, namespace, { dryRun: true }), await server.tryPod(bare, namespace)];
  for (const { status } of responses) if (status < 400) faults.push('the API server accepts what it must reject');
}

async function applyAll(server: ApiServer, objects: readonly KubernetesObject[], overlay: string): Promise<void> {
  for (const object of objects) {
    const name = `${overlay}: ${object.kind} ${object.metadata.name}`;
    if (object.kind !== 'Namespace') judge(`${name} (dry run)`, await server.apply(object, namespace, { dryRun: true }));
    judge(name, await server.apply(object, namespace));
    // A controller would create it.
    if (object.kind === 'Namespace') await server.apply(defaultAccount, namespace);
  }
  for (const object of objects) {
    if (!['Deployment', 'StatefulSet', 'Job'].includes(object.kind)) continue;
    judge(`${overlay}: pod of ${object.kind} ${object.metadata.name}`, await server.tryPod(podOf(object as Workload), namespace));
  }
  for (const { name, labels, spec } of podsOfCronJobs(objects))
    judge(`${overlay}: pod ${name}`, await server.tryPod({ metadata: { name, labels }, spec }, namespace));
}

const defaultAccount = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };

/**
 * Reports what kube-linter finds in an overlay. Exceptions are annotations with a reason in the
 * manifests.
 */
async function lintOverlay(linter: string, programs: KubernetesPrograms, folder: string, overlay: string): Promise<void> {
  const file = join(folder, `${overlay}.yaml`);
  await writeFile(file, await buildText(programs.kustomize, folder, overlay));
  try {
    await run(linter, ['lint', '--format', 'json', file], { maxBuffer: 64 << 20 });
  } catch (error) {
    const { stdout = '' } = error as { readonly stdout?: string };
    if (stdout === '') throw error;
    const { Reports: reports } = JSON.parse(stdout) as { readonly Reports: readonly LintReport[] };
    for (const { Check: check, Diagnostic: diagnostic, Object: object } of reports)
      faults.push(`${overlay}: kube-linter: ${object.K8sObject.Name}: ${diagnostic.Message} (${check})`);
  }
}

/** A finding of kube-linter. */
interface LintReport {
  readonly Check: string;
  readonly Diagnostic: { readonly Message: string };
  readonly Object: { readonly K8sObject: { readonly Name: string } };
}

/** Jobs are immutable, so each overlay has its own server. */
async function testOverlay(programs: KubernetesPrograms, folder: string, overlay: string): Promise<number> {
  const objects = await buildOverlay(programs.kustomize, folder, overlay);
  const server = await ApiServer.start(programs);
  try {
    for (const definition of programs.definitions.flatMap(documentsOf)) judge('definition', await server.apply(definition, namespace));
    await applyAll(server, objects, overlay);
    await checkTheTest(server);
  } finally {
    await server.stop();
  }
  return objects.length;
}

/** kube-linter, if it is installed. */
async function findLinter(): Promise<string | null> {
  return run('kube-linter', ['version']).then(
    () => 'kube-linter',
    () => null,
  );
}

const programs = await buildPrograms(join(root, '.cache/kubernetes'), (line) => console.log(line)).catch((error: Error) => {
  console.log(`skipped: ${error.message}`);
  return null;
});
if (programs) {
  const folder = await copyWithOverlays();
  try {
    for (const overlay of overlays) console.log(`${overlay}: ${await testOverlay(programs, folder, overlay)} objects`);
    const linter = await findLinter();
    if (linter) for (const overlay of overlays) await lintOverlay(linter, programs, folder, overlay);
    console.log(
      linter ? `linted with kube-linter ${(await run(linter, ['version'])).stdout.trim()}` : 'not linted: kube-linter is not in PATH',
    );
  } finally {
    await rm(folder, { recursive: true });
  }
  for (const fault of faults) console.log(fault);
  console.log(faults.length === 0 ? 'all objects and pods are accepted' : `${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
