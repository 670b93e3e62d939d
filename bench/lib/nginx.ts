import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { repository } from './places.ts';
import { type Running, start } from './processes.ts';

const program = '/usr/sbin/nginx';
const startMs = 5_000;

/** The addresses that nginx listens on and forwards to, as `host:port`. */
export interface NginxPlaces {
  readonly port: number;
  readonly upload: string;
  readonly read: string;
}

/** Whether this machine has nginx (Debian's package `nginx-light` suffices). */
export function hasNginx(): boolean {
  return existsSync(program);
}

/**
 * Starts nginx as the single address of separate processes, with the configuration from
 * docs/operating.md. Resolves when it accepts connections.
 */
export async function startNginx(folder: string, places: NginxPlaces): Promise<Running> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configuration(folder, places));
  const running = start(program, ['-p', folder, '-c', file, '-e', join(folder, 'error.log')]);
  let ended = false;
  void running.exited.finally(() => (ended = true)).catch(() => undefined);
  for (const until = performance.now() + startMs; !(await takesConnections(places.port)); await delay(20)) {
    if (!ended && performance.now() < until) continue;
    await running.stop();
    throw new Error(`nginx does not listen\n${running.output()}`);
  }
  return running;
}

function configuration(folder: string, { port, upload, read }: NginxPlaces): string {
  const documented = /```nginx\n(upstream plotline_upload .*?)```/s.exec(readFileSync(join(repository, 'docs/operating.md'), 'utf8'))?.[1];
  if (documented === undefined) throw new Error('docs/operating.md no longer has an nginx configuration');
  let http = documented;
  for (const [written, ours] of [
    [/(?<=upstream plotline_upload +\{ server )[^;]+/, upload],
    [/(?<=upstream plotline_read +\{ server )[^;]+/, read],
    [/(?<=listen )[^;]+/, `127.0.0.1:${port}`],
  ] as const) {
    if (!written.test(http)) throw new Error(`the nginx configuration in docs/operating.md has no ${written}`);
    http = http.replace(written, ours);
  }
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/temporary;`);
  return [
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    `daemon off; pid ${folder}/nginx.pid; events { worker_connections 4096; }`,
    `http { access_log off; ${temporary.join(' ')}`,
    http,
    '}',
  ].join('\n');
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (is: boolean) => (): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', end(true)).once('error', end(false));
  });
}
