/**
 * `npm run test:kubernetes`: applies every object of k8s/ to a real kube-apiserver: each overlay,
 * and all components. The server must know each field, and Pod Security `restricted` must accept
 * each pod without a warning. Builds kube-apiserver, etcd and kustomize from Go modules into
 * .cache/kubernetes, about 4 minutes the first time. If that is impossible, it prints the reason
 * and exits with 0.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiResponse, ApiServer, type KubernetesObject } from './kubernetes/api-server.ts';
import { buildOverlay, copyManifests, documentsOf, root } from './kubernetes/manifests.ts';
import { podsOfCronJobs } from './kubernetes/pod.ts';
import { buildPrograms, type KubernetesPrograms } from './kubernetes/programs.ts';

const namespace = 'plotline';

/** The overlays, and further ones with the components that they omit. */
const overlays = ['dev', 'production', 'all-components', 'no-gateway'];
const allComponents = `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [../production]
components: [../../components/gateway-api, ../../components/keda, ../../components/probe]
`;
const noGateway = `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [../production]
components: [../../components/no-gateway]
`;

interface Workload extends KubernetesObject {
  readonly spec: {
    readonly template: { readonly metadata: object; readonly spec: { readonly volumes?: readonly object[] } };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
}

/**
 * The pod that a controller would create. Volume claims of a StatefulSet become volumes of its
 * pods.
 */
function podOf({ metadata: { name }, spec: { template, volumeClaimTemplates = [] } }: Workload): object {
  const claims = volumeClaimTemplates.map((claim) => ({ name: claim.metadata.name, emptyDir: {} }));
  const { volumes = [], ...spec } = template.spec;
  return { metadata: { ...template.metadata, name }, spec: { ...spec, volumes: [...volumes, ...claims] } };
}

/** Copies k8s/ and adds the overlays of this test. */
async function copyWithOverlays(): Promise<string> {
  const folder = await copyManifests();
  for (const [name, text] of Object.entries({ 'all-components': allComponents, 'no-gateway': noGateway })) {
    await mkdir(join(folder, 'overlays', name));
    await writeFile(join(folder, 'overlays', name, 'kustomization.yaml'), text);
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

const programs = await buildPrograms(join(root, '.cache/kubernetes'), (line) => console.log(line)).catch((error: Error) => {
  console.log(`skipped: ${error.message}`);
  return null;
});
if (programs) {
  const folder = await copyWithOverlays();
  try {
    for (const overlay of overlays) console.log(`${overlay}: ${await testOverlay(programs, folder, overlay)} objects`);
  } finally {
    await rm(folder, { recursive: true });
  }
  for (const fault of faults) console.log(fault);
  console.log(faults.length === 0 ? 'all objects and pods are accepted' : `${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
