import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  bytesOf,
  type Container,
  expand,
  type Pod,
  portOf,
  type Probe,
  restrictionsOf,
  type Service,
  type Settings,
  type Volume,
} from './pod.ts';

const run = promisify(execFile);

/** Returns the output of a program. If the program fails, throws an error with its output. */
export async function output(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  try {
    const { stdout } = await run(program, [...args], { env: { ...process.env, ...env }, maxBuffer: 64 << 20 });
    return stdout.trim();
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.slice(0, 2).join(' ')} failed: ${stdout}${stderr}`.trim(), { cause: error });
  }
}

export const docker = (...args: string[]): Promise<string> => output('docker', args);

/** A pod with a started container. */
interface Running {
  readonly pod: Pod;
  readonly container: Container;
  /** The name of the Docker container. */
  readonly name: string;
  readonly address: string;
  /** How often the container had been restarted when the pod became ready; null before that. */
  restartsWhenReady: number | null;
}

/**
 * Runs pods as containers of a Docker engine like a kubelet: with init containers, environment,
 * volumes, users and restrictions, probes, restarts and termination. Names of Services resolve to
 * the pods that they select. There is no scheduler, and each pod has one container. Needs root,
 * because volumes belong to other users.
 */
export class Kubelet {
  /**
   * Deviations of the cluster from the intent of the manifests: failed liveness probes, restarts of
   * ready pods, pods that had to be killed.
   */
  readonly faults: string[] = [];
  readonly #network: string;
  readonly #folder: string;
  readonly #settings: Settings;
  readonly #services: readonly Service[];
  readonly #running: Running[] = [];
  readonly #mounted: string[] = [];
  readonly #starting: Promise<void>[] = [];
  readonly #ends = new AbortController();
  readonly #watching: Promise<void>[] = [];

  private constructor(network: string, folder: string, settings: Settings, services: readonly Service[]) {
    this.#network = network;
    this.#folder = folder;
    this.#settings = settings;
    this.#services = services;
  }

  /**
   * `name` is the name of the network, and the prefix of all containers. Volumes are created in
   * `folder`.
   */
  static async start(name: string, folder: string, settings: Settings, services: readonly Service[]): Promise<Kubelet> {
    await docker('network', 'create', name);
    return new Kubelet(name, folder, settings, services);
  }

  /** Starts a pod; its container may fail and restart until others are ready. */
  run(pod: Pod): Promise<void> {
    const started = this.#run(pod);
    this.#starting.push(started);
    return started;
  }

  async #run(pod: Pod): Promise<void> {
    const { containers, initContainers = [] } = pod.spec;
    if (containers.length !== 1) throw new Error(`pod ${pod.name} has ${containers.length} containers; only one can be run`);
    const volumes = await this.#makeVolumes(pod);
    const address = await this.#startSandbox(pod);
    for (const container of initContainers) await this.#start(pod, container, volumes, `${pod.name}-${container.name}`, ['--rm']);
    const restart = { Always: 'always', OnFailure: 'on-failure:10', Never: 'no' }[pod.spec.restartPolicy ?? 'Always'];
    const name = await this.#start(pod, containers[0]!, volumes, pod.name, ['--detach', `--restart=${restart}`]);
    this.#running.push({ pod, container: containers[0]!, name, address, restartsWhenReady: null });
  }

  /**
   * Starts an idle container that owns the network of the pod, so that its address survives
   * restarts. Returns the address.
   */
  async #startSandbox(pod: Pod): Promise<string> {
    const name = `${this.#network}-${pod.name}-sandbox`;
    const aliases = this.#namesOf(pod).map((alias) => `--network-alias=${alias}`);
    const { image } = pod.spec.containers[0]!;
    await docker('run', '--detach', `--name=${name}`, `--network=${this.#network}`, ...aliases, '--entrypoint=sleep', image, 'infinity');
    return docker('inspect', '--format', '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}', name);
  }

  async #start(pod: Pod, container: Container, volumes: Volumes, as: string, flags: readonly string[]): Promise<string> {
    const name = `${this.#network}-${as}`;
    const environment = this.#settings.environmentOf(container);
    const words = (texts: readonly string[] = []): string[] => texts.map((text) => expand(text, environment));
    const [program, ...first] = words(container.command);
    const mounts = await Promise.all((container.volumeMounts ?? []).map((mount) => volumes.mountOf(mount)));
    const args = [
      'run',
      ...flags,
      `--name=${name}`,
      `--network=container:${this.#network}-${pod.name}-sandbox`,
      ...restrictionsOf(pod.spec, container),
      ...Object.keys(environment).map((key) => `--env=${key}`), // their values are not in the list of processes
      ...mounts,
      ...(program === undefined ? [] : [`--entrypoint=${program}`]),
      container.image,
      ...first,
      ...words(container.args),
    ];
    await output('docker', args, environment);
    return name;
  }

  /** Returns the Services that select a pod and have the same ports as the pod. */
  #namesOf({ labels, spec }: Pod): string[] {
    const selects = ({ spec: { selector } }: Service): boolean => Object.entries(selector).every(([key, value]) => labels[key] === value);
    const isDirect = ({ spec: { ports } }: Service): boolean =>
      ports.every(({ port, targetPort }) => portOf(spec.containers[0]!, targetPort) === port);
    return this.#services.filter((service) => selects(service) && isDirect(service)).map(({ metadata }) => metadata.name);
  }

  async #makeVolumes({ name, spec: { volumes = [], securityContext } }: Pod): Promise<Volumes> {
    const made = new Volumes(join(this.#folder, name), this.#mounted);
    for (const volume of volumes) await made.make(volume, securityContext?.fsGroup, this.#settings);
    return made;
  }

  /** Resolves when a Job has succeeded. */
  async succeeded(name: string, timeoutMs: number): Promise<void> {
    const { name: container } = this.#of(name);
    const until = performance.now() + timeoutMs;
    while (performance.now() < until) {
      const state = await docker('inspect', '--format', '{{.State.Status}} {{.State.ExitCode}}', container);
      if (state === 'exited 0') return;
      if (state.startsWith('exited')) break;
      await this.#pause(200);
    }
    throw new Error(`${name} did not succeed\n${await this.logs(name)}`);
  }

  /**
   * Resolves when the probes report that a pod is ready; from then on, its liveness probe runs.
   * Throws when a kubelet would restart it.
   */
  async ready(name: string, timeoutMs: number): Promise<void> {
    const one = this.#of(name);
    const { startupProbe, readinessProbe, livenessProbe } = one.container;
    const until = performance.now() + timeoutMs;
    if (startupProbe) await this.#passes(one, startupProbe, until, startupProbe.failureThreshold ?? 3);
    if (readinessProbe) await this.#passes(one, readinessProbe, until, Infinity);
    one.restartsWhenReady = await this.restarts(name);
    if (livenessProbe) this.#watching.push(this.#watch(one, livenessProbe));
  }

  /** Only failures since the container's last restart count. */
  async #passes(one: Running, probe: Probe, until: number, failures: number): Promise<void> {
    const { name } = one.pod;
    for (let failed = 1, restarts = 0; !(await this.#probe(one, probe)); failed++) {
      const before = restarts;
      restarts = await this.restarts(name);
      if (restarts > before) failed = 1;
      if (failed >= failures || performance.now() > until)
        throw new Error(`${name} failed its probe ${failed} times\n${await this.logs(name)}`);
      await this.#pause((probe.periodSeconds ?? 10) * 1_000);
    }
  }

  /** Throws once the kubelet stops. */
  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#ends.signal });
  }

  async #watch(one: Running, probe: Probe): Promise<void> {
    const { signal } = this.#ends;
    for (let failed = 0; !signal.aborted;) {
      failed = (await this.#probe(one, probe)) ? 0 : failed + 1;
      if (failed === (probe.failureThreshold ?? 3)) this.faults.push(`${one.pod.name} failed its liveness probe`);
      await sleep((probe.periodSeconds ?? 10) * 1_000, undefined, { signal }).catch(() => undefined);
    }
  }

  async #probe(one: Running, { httpGet, tcpSocket, exec, timeoutSeconds = 1 }: Probe): Promise<boolean> {
    const signal = AbortSignal.timeout(timeoutSeconds * 1_000);
    if (exec) return run('docker', ['exec', one.name, ...exec.command], { signal }).then(isTrue, isFalse);
    const { address } = one;
    if (httpGet) {
      const url = `http://${address}:${portOf(one.container, httpGet.port)}${httpGet.path}`;
      return fetch(url, { signal, redirect: 'manual' }).then(({ status }) => status >= 200 && status < 400, isFalse);
    }
    if (!tcpSocket) throw new Error(`${one.pod.name} has a probe of an unknown kind`);
    return new Promise((resolve) => {
      const socket = connect({ host: address, port: portOf(one.container, tcpSocket.port), signal });
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
  }

  /** Returns the address of a pod. */
  address(name: string): string {
    return this.#of(name).address;
  }

  /** Returns the last lines of a pod's output. */
  async logs(name: string): Promise<string> {
    const { stdout, stderr } = await run('docker', ['logs', '--tail', '30', this.#of(name).name]);
    return stdout + stderr;
  }

  /** How often a pod's container was restarted. */
  async restarts(name: string): Promise<number> {
    return Number(await docker('inspect', '--format', '{{.RestartCount}}', this.#of(name).name));
  }

  /**
   * Returns the restrictions of a pod's process as the kernel enforces them: user, group,
   * capabilities, whether it may gain privileges, system call filter (2 means a filter), and
   * whether its root is read-only.
   */
  async restrictions(name: string): Promise<Record<string, string>> {
    const pid = await docker('inspect', '--format', '{{.State.Pid}}', this.#of(name).name);
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const mounts = await readFile(`/proc/${pid}/mounts`, 'utf8');
    const field = (key: string): string => new RegExp(`^${key}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? '';
    return {
      user: field('Uid'),
      group: field('Gid'),
      capabilities: field('CapEff'),
      noNewPrivileges: field('NoNewPrivs'),
      seccomp: field('Seccomp'),
      root: /^\S+ \/ \S+ (r[ow])/m.exec(mounts)?.[1] ?? '',
    };
  }

  #of(name: string): Running {
    const found = this.#running.find(({ pod }) => pod.name === name);
    if (!found) throw new Error(`no pod ${name} was started`);
    return found;
  }

  /** Runs a command in a pod's container, like `kubectl exec`. Returns its output. */
  exec(name: string, ...command: string[]): Promise<string> {
    return docker('exec', this.#of(name).name, ...command);
  }

  /**
   * Terminates all pods like a kubelet, the dependencies last, and removes everything, including
   * the remains of pods that failed to start.
   */
  async stop(): Promise<void> {
    this.#ends.abort();
    await Promise.allSettled(this.#starting);
    await Promise.all(this.#watching);
    const isOwn = ({ pod }: Running): boolean => pod.kind === 'Deployment';
    try {
      await Promise.all(this.#running.filter(isOwn).map((one) => this.#end(one)));
      await Promise.all(this.#running.filter((one) => !isOwn(one)).map((one) => this.#end(one)));
    } finally {
      await this.#remove();
    }
  }

  async #remove(): Promise<void> {
    for (const name of (await docker('ps', '--all', '--quiet', `--filter=name=^${this.#network}-`)).split('\n').filter(Boolean))
      await docker('rm', '--force', '--volumes', name);
    for (const folder of this.#mounted.reverse()) await output('umount', [folder]);
    await docker('network', 'rm', this.#network);
  }

  async #end({ pod, container, name, restartsWhenReady }: Running): Promise<void> {
    const restarts = await this.restarts(pod.name);
    if (restartsWhenReady !== null && restarts > restartsWhenReady)
      this.faults.push(`restarts of ${pod.name} after it was ready: ${restarts - restartsWhenReady}`);
    const grace = pod.spec.terminationGracePeriodSeconds ?? 30;
    const asleep = pod.kind === 'Job' ? 0 : (container.lifecycle?.preStop?.sleep?.seconds ?? 0);
    await sleep(asleep * 1_000);
    await docker('stop', `--time=${grace - asleep}`, name);
    // SIGKILL terminates the operator's waiting pod, which has no work to finish.
    if (pod.kind !== 'CronJob' && (await docker('inspect', '--format', '{{.State.ExitCode}}', name)) === '137')
      this.faults.push(`${pod.name} did not stop within ${grace} seconds, or was killed`);
    await docker('rm', '--volumes', name);
  }
}

/** A pod's volumes, as folders on this machine. */
class Volumes {
  readonly #folder: string;
  readonly #mounted: string[];

  constructor(folder: string, mounted: string[]) {
    this.#folder = folder;
    this.#mounted = mounted;
  }

  /**
   * A volume belongs to root and the pod's `fsGroup`, and only an `emptyDir` is writable for
   * everyone.
   */
  async make(volume: Volume, fsGroup: number | undefined, settings: Settings): Promise<void> {
    const folder = join(this.#folder, volume.name);
    await mkdir(folder, { recursive: true });
    const texts = volume.configMap
      ? settings.of('ConfigMap', volume.configMap.name)
      : volume.secret
        ? settings.of('Secret', volume.secret.secretName)
        : null;
    if (!texts && !volume.emptyDir && !volume.claim) throw new Error(`volume ${volume.name} is of an unknown kind`);
    if (volume.emptyDir?.sizeLimit !== undefined) {
      await output('mount', ['-t', 'tmpfs', '-o', `size=${bytesOf(volume.emptyDir.sizeLimit)}`, 'tmpfs', folder]);
      this.#mounted.push(folder);
    }
    for (const [name, text] of Object.entries(texts ?? {})) await writeFile(join(folder, name), text, { mode: 0o644 });
    if (fsGroup !== undefined) await chown(folder, 0, fsGroup);
    const setGroup = fsGroup === undefined ? 0 : 0o2000;
    await chmod(folder, (volume.emptyDir ? 0o777 : volume.claim ? 0o775 : 0o755) | setGroup);
  }

  /**
   * Returns the `--mount` option for `docker run`. Creates a `subPath` as a folder with the
   * volume's mode.
   */
  async mountOf({ name, mountPath, subPath, readOnly = false }: NonNullable<Container['volumeMounts']>[number]): Promise<string> {
    const volume = join(this.#folder, name);
    const source = subPath === undefined ? volume : join(volume, subPath);
    if (subPath !== undefined) {
      await mkdir(source, { recursive: true });
      await chmod(source, (await stat(volume)).mode & 0o7777);
    }
    return `--mount=type=bind,source=${source},destination=${mountPath}${readOnly ? ',readonly' : ''}`;
  }
}

const isTrue = (): boolean => true;
const isFalse = (): boolean => false;
