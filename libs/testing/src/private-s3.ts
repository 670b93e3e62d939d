import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, removeLeftBehind } from './left-behind.ts';
import { createBucket, type S3Access, type TestBucket } from './s3-bucket.ts';
import { findVersitygw } from './versitygw.ts';

/**
 * An S3 server for one test. The test can kill and freeze it, and damage its objects. Its address
 * does not change.
 */
export interface PrivateS3 extends S3Access {
  readonly port: number;
  /** Current PID. Null while the server is down. */
  readonly pid: number | null;
  /** Where objects are stored as plain files: `<folder>/<bucket>/<tenant>/<key>`. */
  readonly folder: string;
  /** Creates a bucket. */
  createBucket(): Promise<TestBucket>;
  /** Sends SIGKILL. Stored data remains. Resolves when the process has ended. */
  kill(): Promise<void>;
  /** Restarts the server after {@link kill}. Resolves when it responds. */
  start(): Promise<void>;
  /** Stops the server and removes its folder. */
  stop(): Promise<void>;
}

const folderPrefix = 'plotline-test-s3-';
const accessKeyId = 'plotline-test';
const secretAccessKey = 'plotline-test-secret';
const region = 'us-east-1';
const maxStartMs = 15_000;

/**
 * Starts a versitygw for a folder, on a free port on 127.0.0.1. `folder` is where objects are
 * stored, e.g. a small file system. The folder is not removed.
 */
export async function startS3(options: { readonly folder?: string } = {}): Promise<PrivateS3> {
  const binary = await findVersitygw();
  await removeLeftBehind(folderPrefix, 'versitygw');
  const port = await freePort();
  // The folder's name contains its owner's pid, so that a later run recognizes an abandoned folder.
  const home = await mkdtemp(join(tmpdir(), `${folderPrefix}${process.pid}-`));
  const server = new LocalS3(binary, port, home, options.folder ?? join(home, 'objects'));
  try {
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

class LocalS3 implements PrivateS3 {
  readonly port: number;
  readonly folder: string;
  readonly accessKeyId = accessKeyId;
  readonly secretAccessKey = secretAccessKey;
  readonly region = region;
  readonly #binary: string;
  readonly #home: string;
  #sidecar = false;
  #process: ChildProcess | null = null;

  constructor(binary: string, port: number, home: string, folder: string) {
    this.#binary = binary;
    this.port = port;
    this.#home = home;
    this.folder = folder;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  createBucket(): Promise<TestBucket> {
    return createBucket(this);
  }

  async start(): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    await mkdir(join(this.#home, 'accounts'), { recursive: true });
    const output = await this.#launch();
    if (output === null) return;
    // Metadata is kept in extended attributes, or beside the objects if the file system does not
    // support them.
    if (this.#sidecar || !output.includes('xattr')) throw new Error(`versitygw did not start: ${output}`);
    this.#sidecar = true;
    const retryOutput = await this.#launch();
    if (retryOutput !== null) throw new Error(`versitygw did not start: ${retryOutput}`);
  }

  /** Returns null once the server responds, or the process's output if the process ended first. */
  async #launch(): Promise<string | null> {
    const sidecar = join(this.#home, 'metadata');
    if (this.#sidecar) await mkdir(sidecar, { recursive: true });
    const general = [
      '--port',
      `127.0.0.1:${this.port}`,
      '--region',
      region,
      '--health',
      '/health',
      '--keep-alive',
      '--quiet',
      '--iam-dir',
      join(this.#home, 'accounts'),
    ];
    const child = spawn(this.#binary, [...general, 'posix', ...(this.#sidecar ? ['--sidecar', sidecar] : []), this.folder], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ROOT_ACCESS_KEY_ID: accessKeyId, ROOT_SECRET_ACCESS_KEY: secretAccessKey },
    });
    this.#process = child;
    const said: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        said.push(text);
        if (said.length > 20) said.shift();
      });
    }
    let ended: string | null = null;
    child.once('error', (error) => (ended = error.message));
    child.once('close', (code) => (ended ??= `ended with ${code}. ${said.join('').trim()}`));
    await once(child, 'spawn').catch(() => undefined); // The listener above handles it.
    await writeFile(join(this.#home, 'pid'), String(child.pid ?? 0));
    const until = performance.now() + maxStartMs;
    while (ended === null && performance.now() < until) {
      const response = await fetch(`${this.endpoint}/health`).catch(() => null);
      await response?.body?.cancel();
      if (response?.ok) return null;
      await sleep(20);
    }
    const reason = ended ?? `no response within ${maxStartMs} ms`;
    await this.kill();
    return reason;
  }

  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (!child || child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#home, { recursive: true, force: true });
  }
}
