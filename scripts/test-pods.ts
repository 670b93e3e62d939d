/**
 * `npm run test:pods`: runs the pods of the overlay `dev` as containers of a Docker engine, without
 * Kubernetes, but with the users, restrictions, environment, volumes, memory limits, probes and
 * times from the manifests. Uploads a log with the image's CLI, verifies it and reads a chart back.
 * Needs root, Docker, the images of the overlay (`docker build -t plotline:local .`; without a
 * registry, test/docker/stand-ins/make.sh), Go for kustomize, and ports 6100 and 6101. It does not
 * test scheduling, Services other than by name, Ingress, network policies or autoscaling.
 */
import assert from 'node:assert/strict';
import { createServer, connect, type Server } from 'node:net';
import { appendFile, chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeEventFile } from '#testing';
import type { KubernetesObject } from './kubernetes/api-server.ts';
import { docker, Kubelet, output } from './kubernetes/kubelet.ts';
import { buildOverlay, copyManifests, root } from './kubernetes/manifests.ts';
import { type Pod, podsOf, podsOfCronJobs, type Service, Settings } from './kubernetes/pod.ts';
import { buildKustomize } from './kubernetes/programs.ts';

const readyMs = 300_000;
const origin = 'http://localhost:6100'; // PLOTLINE_PUBLIC_URL of the overlay
const points = 10_000;
const valueAt = (step: number): number => Math.fround(Math.sin(step / 100));

const say = (line: string): void => console.log(`${(performance.now() / 1_000).toFixed(1)} s: ${line}`);

/** Restrictions that the kernel must enforce for a pod, from its manifest. */
function restrictionsIn({ spec: { securityContext, containers } }: Pod): Record<string, string> {
  const [container] = containers;
  const { securityContext: own } = container!;
  return {
    user: String(securityContext?.runAsUser),
    group: String(securityContext?.runAsGroup),
    // A user other than root has no effective capabilities, even if the manifest adds capabilities
    // for programs with file capabilities.
    capabilities: '0000000000000000',
    noNewPrivileges: own?.allowPrivilegeEscalation === false ? '1' : '0',
    seccomp: '2',
    root: own?.readOnlyRootFilesystem === true ? 'ro' : 'rw',
  };
}

async function checkRestrictions(kubelet: Kubelet, pod: Pod): Promise<void> {
  const enforced = { pod: pod.name, ...(await kubelet.restrictions(pod.name)) };
  assert.deepEqual(enforced, { pod: pod.name, ...restrictionsIn(pod) });
}

/** Forwards a port like `kubectl port-forward`. */
async function forward(port: number, address: string, to: number): Promise<Server> {
  const server = createServer((client) => {
    const target = connect(to, address);
    for (const [from, into] of [
      [client, target],
      [target, client],
    ] as const)
      from.pipe(into).on('error', () => from.destroy());
  });
  server.listen(port, 'localhost');
  await once(server, 'listening');
  return server;
}

async function checkImages(objects: readonly KubernetesObject[]): Promise<void> {
  const images = new Set(
    podsOf(objects).flatMap(({ spec }) => [...spec.containers, ...(spec.initContainers ?? [])].map(({ image }) => image)),
  );
  for (const image of images) await docker('image', 'inspect', '--format', '{{.Id}}', image);
}

/** Runs a CLI command in a container. Returns its output. */
function cli(token: string, logs: string, ...args: string[]): Promise<string> {
  const mounts = ['--tmpfs=/tmp', `--mount=type=bind,source=${logs},destination=/logs,readonly`];
  const env = { PLOTLINE_SERVER: origin, PLOTLINE_TOKEN: token, HOME: '/tmp' };
  const keys = Object.keys(env).map((key) => `--env=${key}`);
  return output('docker', ['run', '--rm', '--network=host', '--read-only', ...mounts, ...keys, 'plotline:local', 'cli', ...args], env);
}

async function uploadAndRead(token: string, logs: string): Promise<void> {
  const receipt = JSON.parse(await cli(token, logs, 'upload', '--logdir', '/logs', '--one-shot', '--json')) as {
    experiment_id: string;
    points: number;
  };
  assert.equal(receipt.points, points);
  await cli(token, logs, 'verify', receipt.experiment_id, '--logdir', '/logs');
  const authorization = `Bearer ${token}`;
  const read = async (path: string, body?: object): Promise<Response> => {
    const response = await fetch(
      origin + path,
      body
        ? { method: 'POST', body: JSON.stringify(body), headers: { authorization, 'content-type': 'application/json' } }
        : { headers: { authorization } },
    );
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const asked = { runs: ['train'], tags: ['loss'], sampling: 'raw', page_size: points };
  const result = await read(`/api/v1/experiments/${receipt.experiment_id}/scalars/query`, asked);
  const { series } = (await result.json()) as { series: { columns: { step: (number | string)[]; value: (number | string)[] } }[] };
  const expected = Array.from({ length: points }, (_, step) => [step, valueAt(step)]);
  const [{ columns }] = series as [(typeof series)[number]];
  assert.deepEqual(
    columns.step.map((step, i) => [Number(step), Number(columns.value[i])]),
    expected,
  );
  const picture = Buffer.from(await (await read(`/e/${receipt.experiment_id}/loss.png`)).bytes());
  assert.equal(picture.subarray(0, 8).toString('hex'), '89504e470d0a1a0a'); // PNG
  say(`${points} points were uploaded, verified and read back; their chart has ${picture.length} bytes`);
}

/** Starts all pods together, as a cluster does, and waits until they are ready. */
async function start(kubelet: Kubelet, pods: readonly Pod[]): Promise<void> {
  await Promise.all(pods.map((pod) => kubelet.run(pod)));
  say(`${pods.length} pods were started`);
  const settle = async (pod: Pod): Promise<void> => {
    const isJob = pod.kind === 'Job';
    await (isJob ? kubelet.succeeded(pod.name, readyMs) : kubelet.ready(pod.name, readyMs));
    say(`${pod.name} ${isJob ? 'succeeded' : 'is ready'} (restarts: ${await kubelet.restarts(pod.name)})`);
    if (!isJob) await checkRestrictions(kubelet, pod);
  };
  await Promise.all(pods.map(settle));
  say('the kernel restricts every process as its manifest says');
}

/** Creates the operator's pod as described in docs/kubernetes.md, and checks the objects in it. */
async function checkObjects(kubelet: Kubelet, pod: Pod): Promise<void> {
  await kubelet.run(pod);
  await checkRestrictions(kubelet, pod);
  const report = JSON.parse(await kubelet.exec(pod.name, 'plotline', 'admin', 'check', '--checksums')) as {
    workspaces: number;
    checked: Record<string, number>;
    faults: object[];
  };
  assert.deepEqual([report.workspaces, report.faults], [1, []]);
  assert.ok(Object.values(report.checked).some((count) => count > 0));
  say(`admin check in ${pod.name}: ${JSON.stringify(report.checked)}`);
}

/** Builds the overlay's objects with the first owner's token. */
async function build(token: string): Promise<KubernetesObject[]> {
  const manifests = await copyManifests();
  try {
    await appendFile(join(manifests, 'overlays/dev/secrets.env'), `owner-token=${token}\n`);
    return await buildOverlay(await buildKustomize(join(root, '.cache/kubernetes'), say), manifests, 'dev');
  } finally {
    await rm(manifests, { recursive: true });
  }
}

async function makeLogs(folder: string): Promise<void> {
  await mkdir(join(folder, 'train'), { recursive: true });
  const events = Array.from({ length: points }, (_, step) => ({ step, wallTime: 1_700_000_000 + step, scalars: { loss: valueAt(step) } }));
  await writeFile(join(folder, 'train/events.out.tfevents.1'), writeEventFile(events));
}

/** Runs everything, then stops everything. Returns the faults. */
async function run(work: string, objects: readonly KubernetesObject[], token: string): Promise<readonly string[]> {
  const services = objects.filter(({ kind }) => kind === 'Service') as Service[];
  const name = `plotline-pods-${randomBytes(3).toString('hex')}`;
  const kubelet = await Kubelet.start(name, join(work, 'volumes'), new Settings(objects), services);
  const servers: Server[] = [];
  try {
    await start(kubelet, podsOf(objects));
    servers.push(await forward(6100, kubelet.address('plotline-gateway-0'), 6100));
    servers.push(await forward(6101, kubelet.address('objects-0'), 7070));
    await makeLogs(join(work, 'logs'));
    await uploadAndRead(token, join(work, 'logs'));
    const [operator, ...others] = podsOfCronJobs(objects);
    assert.deepEqual([operator?.name, others], ['plotline-admin-0', []]);
    await checkObjects(kubelet, operator!);
  } finally {
    for (const server of servers) server.close();
    await kubelet.stop();
  }
  return kubelet.faults;
}

const token = (await docker('run', '--rm', 'plotline:local', 'migrate', '--generate-token')).split('\n').at(-1)!;
const objects = await build(token);
await checkImages(objects);
const work = await mkdtemp(join(tmpdir(), 'plotline-pods-'));
await chmod(work, 0o755);
try {
  const faults = await run(work, objects, token);
  for (const fault of faults) say(fault);
  say(faults.length === 0 ? 'all pods ran as their manifests say' : `${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await rm(work, { recursive: true });
}
