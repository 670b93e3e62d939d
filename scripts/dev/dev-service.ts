import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';

export interface DevServiceOptions {
  readonly root: string;
  readonly dataDir: string;
  /** Administrator URL of the Postgres server that keeps running. */
  readonly databaseUrl: string;
  /** URL of the service for the browser. */
  readonly publicUrl: string;
  readonly say: (line: string) => void;
}

/** Grace period before SIGKILL; a kill does not lose acknowledged data. */
const stopMs = 300;

/** The service of `npm run dev`: a process of the build that can be restarted. */
export class DevService {
  readonly #options: DevServiceOptions;
  #child: ChildProcess | null = null;
  #port = 0;
  /** One start or stop at a time. */
  #last: Promise<void> = Promise.resolve();

  constructor(options: DevServiceOptions) {
    this.#options = options;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    this.#port ||= await freePort();
    await this.#inTurn(() => this.#launch());
  }

  /** Resolves when the new process responds, or has exited with an error. */
  async restart(): Promise<void> {
    await this.#inTurn(async () => {
      await this.#end();
      await this.#launch();
    });
  }

  async stop(): Promise<void> {
    await this.#inTurn(() => this.#end());
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #launch(): Promise<void> {
    const { root, dataDir, databaseUrl, publicUrl, say } = this.#options;
    const child = spawn(process.execPath, ['--enable-source-maps', join(root, 'dist/apps/standalone/src/main.js')], {
      env: {
        ...process.env,
        PLOTLINE_DATA_DIR: dataDir,
        PLOTLINE_DATABASE_URL: databaseUrl,
        PLOTLINE_PORT: String(this.#port),
        PLOTLINE_PUBLIC_URL: publicUrl,
        // The link appears in this script's output.
        PLOTLINE_PRINT_SIGN_IN_LINK: process.env.PLOTLINE_PRINT_SIGN_IN_LINK ?? (process.stdout.isTTY ? 'always' : 'never'),
        PLOTLINE_LOG_FORMAT: process.env.PLOTLINE_LOG_FORMAT ?? 'text',
        NODE_COMPILE_CACHE: join(root, '.cache/compiled'),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    await new Promise<void>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (piece: string) => {
        for (const line of piece.split('\n')) if (/^(Sign in|To sign in)/.test(line)) say(line);
        if (piece.includes('Plotline is at')) resolve();
      });
      // The process has printed the reason; the next change starts another process.
      child.once('exit', () => resolve());
    });
  }

  async #end(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const graceTimer = setTimeout(() => child.kill('SIGKILL'), stopMs);
    await ended;
    clearTimeout(graceTimer);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was assigned');
  return address.port;
}
