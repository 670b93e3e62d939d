import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubernetesPrograms } from './programs.ts';

const host = '127.0.0.1';
const token = 'admin-of-the-test';
const maxStartMs = 120_000;

/** An API object. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** An API response. */
export interface ApiResponse {
  readonly status: number;
  readonly body: { readonly message?: string; readonly [key: string]: unknown };
  readonly warnings: readonly string[];
}

/** A real kube-apiserver with its own etcd, without controllers, a scheduler or nodes. */
export class ApiServer {
  readonly #folder: string;
  readonly #children: ChildProcess[] = [];
  readonly #resources = new Map<string, { readonly path: string; readonly namespaced: boolean }>();
  #port = 0;
  #certificate = '';

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Starts etcd and the API server; resolves when the API is ready. */
  static async start(programs: KubernetesPrograms): Promise<ApiServer> {
    const server = new ApiServer(await mkdtemp(join(tmpdir(), 'plotline-kubernetes-')));
    try {
      await server.#start(programs);
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  async #start({ apiServer, etcd }: KubernetesPrograms): Promise<void> {
    const [clients, peers, port] = [await freePort(), await freePort(), await freePort()];
    this.#port = port;
    const at = (file: string): string => join(this.#folder, file);
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await writeFile(at('accounts.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
    await writeFile(at('accounts.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
    await writeFile(at('tokens'), `${token},admin,1,"system:masters"\n`, { mode: 0o600 });
    this.#spawn('etcd', etcd, [
      `--data-dir=${at('etcd')}`,
      `--listen-client-urls=http://${host}:${clients}`,
      `--advertise-client-urls=http://${host}:${clients}`,
      `--listen-peer-urls=http://${host}:${peers}`,
      `--initial-advertise-peer-urls=http://${host}:${peers}`,
      `--initial-cluster=default=http://${host}:${peers}`,
      '--unsafe-no-fsync',
    ]);
    this.#spawn('kube-apiserver', apiServer, [
      `--etcd-servers=http://${host}:${clients}`,
      `--bind-address=${host}`,
      `--secure-port=${port}`,
      `--cert-dir=${at('certificates')}`,
      `--service-account-key-file=${at('accounts.pub')}`,
      `--service-account-signing-key-file=${at('accounts.key')}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--token-auth-file=${at('tokens')}`,
      '--authorization-mode=RBAC',
      '--service-cluster-ip-range=10.96.0.0/16',
    ]);
    for (const since = performance.now(); ; await sleep(500)) {
      const ready = await this.#isReady();
      if (ready) return;
      const ended = this.#children.find(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
      if (!ended && performance.now() - since < maxStartMs) continue;
      const output = await readFile(at('kube-apiserver.log'), 'utf8').catch(() => '');
      throw new Error(`the API server did not start:\n${output.split('\n').slice(-8).join('\n')}`);
    }
  }

  async #isReady(): Promise<boolean> {
    try {
      this.#certificate = await readFile(join(this.#folder, 'certificates/apiserver.crt'), 'utf8');
      return (await this.#send('GET', '/readyz')).status === 200;
    } catch {
      return false;
    }
  }

  /**
   * Creates or changes an object by server-side apply; a field that the API does not know is an
   * error.
   */
  async apply(object: KubernetesObject, namespace: string, { dryRun = false } = {}): Promise<ApiResponse> {
    const path = await this.#pathOf(object, object.metadata.namespace ?? namespace);
    const query = `fieldManager=plotline-test&force=true&fieldValidation=Strict${dryRun ? '&dryRun=All' : ''}`;
    return this.#send('PATCH', `${path}/${object.metadata.name}?${query}`, object, 'application/apply-patch+yaml');
  }

  /** Checks whether a pod could be created, without creating it. */
  tryPod(pod: object, namespace: string): Promise<ApiResponse> {
    return this.#send('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All&fieldValidation=Strict`, pod, 'application/json');
  }

  async #pathOf({ apiVersion, kind }: KubernetesObject, namespace: string): Promise<string> {
    const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    // The API of a new custom resource definition appears with a delay.
    for (let tries = 0; !this.#resources.has(`${apiVersion} ${kind}`) && tries < 60; tries++) {
      const { status, body } = await this.#send('GET', group);
      for (const { name, kind: found, namespaced } of status === 200 ? (body['resources'] as ApiResource[]) : [])
        if (!name.includes('/')) this.#resources.set(`${apiVersion} ${found}`, { path: name, namespaced });
      if (!this.#resources.has(`${apiVersion} ${kind}`)) await sleep(500);
    }
    const resource = this.#resources.get(`${apiVersion} ${kind}`);
    if (!resource) throw new Error(`the API server knows no ${kind} of ${apiVersion}`);
    return `${group}${resource.namespaced ? `/namespaces/${namespace}` : ''}/${resource.path}`;
  }

  #send(method: string, path: string, body?: object, type = 'application/json'): Promise<ApiResponse> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type };
    return new Promise((resolve, reject) => {
      const sent = request(
        { host, port: this.#port, path, method, headers, ca: this.#certificate, checkServerIdentity: () => undefined },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
          response.once('error', reject).once('end', () => {
            const isJson = response.headers['content-type']?.includes('json') ?? false;
            const { warning = [] } = response.headersDistinct;
            resolve({
              status: response.statusCode!,
              body: isJson ? (JSON.parse(text) as ApiResponse['body']) : { message: text },
              warnings: warning,
            });
          });
        },
      );
      sent.once('error', reject);
      sent.end(body && JSON.stringify(body));
    });
  }

  #spawn(name: string, program: string, args: readonly string[]): void {
    const child = spawn(program, [...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    // A process that failed to start has no exit code, and the API server never responds.
    child.on('error', () => undefined);
    const log = createWriteStream(join(this.#folder, `${name}.log`));
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    this.#children.push(child);
  }

  async stop(): Promise<void> {
    for (const child of this.#children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) continue;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}

interface ApiResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
