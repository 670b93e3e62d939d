import { request as httpRequest } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';

/** One route of the service, as the interface document lists it, with an address that can be called. */
export interface Target {
  readonly method: string;
  readonly path: string;
}

/** Where an attack goes, and with which credentials. */
export interface Victim {
  readonly port: number;
  readonly grpcPort: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** An attack under way. */
export interface Attack {
  /** Ends what is still open. */
  stop(): void;
}

type Kind = (victim: Victim, targets: readonly Target[], times: number) => Attack;

/** As large as a JSON body may be. */
const largest = Buffer.from(`{"runs":[${'1,'.repeat((4 * 1024 * 1024 - 32) / 2)}1]}`);
/** A query that reads all there is. */
const small = Buffer.from('{}');

const takesBody = ({ method }: Target): boolean => method === 'POST' || method === 'PATCH' || method === 'PUT';

function send(victim: Victim, { method, path }: Target, body: Buffer | null, onAnswer: 'read' | 'leave') {
  const headers = { ...victim.headers, ...(body && { 'content-type': 'application/json', 'content-length': body.length }) };
  const request = httpRequest({ host: '127.0.0.1', port: victim.port, method, path, headers, agent: false });
  request.on('error', () => undefined);
  if (onAnswer === 'read') request.on('response', (response) => response.on('error', () => undefined).resume());
  else request.on('response', (response) => response.on('error', () => undefined).pause());
  request.end(body ?? undefined);
  return request;
}

/** Sends each target so many times, again and again until it is stopped. */
function repeatedly(victim: Victim, targets: readonly Target[], times: number, bodyOf: (target: Target) => Buffer | null): Attack {
  let stopped = false;
  const open = new Set<ReturnType<typeof send>>();
  const one = (target: Target): void => {
    if (stopped) return;
    const request = send(victim, target, bodyOf(target), 'read');
    open.add(request);
    request.once('close', () => {
      open.delete(request);
      setImmediate(() => one(target));
    });
  };
  for (const target of targets) for (let i = 0; i < times; i++) one(target);
  return {
    stop: () => {
      stopped = true;
      for (const request of open) request.destroy();
    },
  };
}

/** Connections that write something and then do as `then` says. */
function sockets(
  victim: Victim,
  targets: readonly Target[],
  times: number,
  headOf: (target: Target) => string,
  thenWrite: string | null,
): Attack {
  const open = targets.flatMap((target) =>
    Array.from({ length: times }, () => {
      const socket = connect(victim.port, '127.0.0.1');
      socket.on('error', () => undefined).pause();
      socket.write(headOf(target));
      return socket;
    }),
  );
  const drip = setInterval(() => {
    if (thenWrite !== null) for (const socket of open) socket.write(thenWrite);
  }, 500);
  return {
    stop: () => {
      clearInterval(drip);
      for (const socket of open) socket.destroy();
    },
  };
}

const headOf = (victim: Victim, { method, path }: Target, more: string): string =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${victim.port}\r\n${Object.entries(victim.headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}${more}\r\n`;

/** What a hostile caller does, by name. All of them on every target. */
export const attacks: Readonly<Record<string, Kind>> = {
  'largest body': (victim, targets, times) => repeatedly(victim, targets.filter(takesBody), Math.ceil(times / 2), () => largest),
  parallel: (victim, targets, times) => repeatedly(victim, targets, times, (target) => (takesBody(target) ? small : null)),
  'slow reader': (victim, targets, times) =>
    sockets(
      victim,
      targets,
      times,
      (target) => headOf(victim, target, takesBody(target) ? 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}' : ''),
      null,
    ),
  'slow writer': (victim, targets, times) =>
    sockets(
      victim,
      targets.filter(takesBody),
      times,
      (target) => headOf(victim, target, 'Content-Type: application/json\r\nContent-Length: 4000000\r\n'),
      ' ',
    ),
  cancelled: (victim, targets, times) => {
    let stopped = false;
    const timer = setInterval(() => {
      for (const target of targets)
        for (let i = 0; i < times && !stopped; i++) {
          const request = send(victim, target, takesBody(target) ? small : null, 'leave');
          setTimeout(() => request.destroy(), 20);
        }
    }, 200);
    return {
      stop: () => {
        stopped = true;
        clearInterval(timer);
      },
    };
  },
};

/** gRPC calls that are begun and never sent: each waits for a first message. */
export function idleCalls(victim: Victim, methods: readonly string[], times: number): Attack {
  const session = connectHttp2(`http://127.0.0.1:${victim.grpcPort}`);
  session.on('error', () => undefined);
  for (const path of methods) {
    for (let i = 0; i < times; i++) {
      const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', ...victim.headers };
      session.request(headers).on('error', () => undefined);
    }
  }
  return { stop: () => session.destroy() };
}
