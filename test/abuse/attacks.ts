import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { request as httpRequest, type ClientRequest } from 'node:http';
import { connect } from 'node:net';

/** A route or a gRPC method, with an address that can be called. */
export interface Target {
  /** `RPC`: a gRPC method. */
  readonly method: string;
  readonly path: string;
  /** A field of the body that the route reads. */
  readonly field?: string;
  /** The method's maximum message size, in bytes. */
  readonly bytes?: number;
}

/** The target of an attack, and its credentials. */
export interface Victim {
  readonly port: number;
  readonly grpcPort: number;
  /** The attacker's own address. */
  readonly from: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** An attack under way. */
export interface Attack {
  /** Closes all open connections. */
  stop(): void;
}

/** `times`: connections or calls for each target. */
type Kind = (victim: Victim, targets: readonly Target[], times: number) => Attack;

const filled = (one: string, bytes: number): string => Array.from({ length: Math.floor(bytes / (one.length + 1)) }, () => one).join(',');
const MiB = 1024 * 1024;

/** Bodies of the maximum size in the most expensive shapes, and a body that is too large. */
const shapes: readonly ((field: string) => string)[] = [
  (field) => `{"${field}":[${filled('1', 4 * MiB)}]}`,
  (field) => `{"${field}":[${filled('"x"', 24_000 * 4)}]}`,
  (field) => `{"${field}":[${filled('1', 250_000)}]}`,
  (field) => `{"${field}":[${filled('1234567890123456789', 250_000)}]}`,
  (field) => `{${filled(`"${field}":1`, 250_000)}}`,
  (field) => `{"${field}":"${'x'.repeat(250_000)}"}`,
  (field) => `{"${field}":[${Array.from({ length: 9_000 }, (_, i) => `"tag-${i}-${'x'.repeat(15)}"`).join(',')}]}`,
  (field) => `{"${field}":${'['.repeat(125_000)}${']'.repeat(125_000)}}`,
];
/** The body of a query that reads everything; other routes reject it or read no body. */
const small = ({ path }: Target): Buffer => Buffer.from(path.endsWith('/scalars/query') ? '{"sampling":"raw","page_size":100000}' : '{}');
const bodies = new Map<string, readonly Buffer[]>();

function bodiesOf({ field = 'runs' }: Target): readonly Buffer[] {
  const known = bodies.get(field) ?? shapes.map((shape) => Buffer.from(shape(field)));
  bodies.set(field, known);
  return known;
}

const takesBody = ({ method }: Target): boolean => method === 'POST' || method === 'PATCH' || method === 'PUT';
const isCall = ({ method }: Target): boolean => method === 'RPC';
const isRoute = (target: Target): boolean => !isCall(target);

function send(victim: Victim, { method, path }: Target, body: Buffer | null): ClientRequest {
  const headers = { ...victim.headers, ...(body && { 'content-type': 'application/json', 'content-length': body.length }) };
  const request = httpRequest({ host: '127.0.0.1', localAddress: victim.from, port: victim.port, method, path, headers, agent: false });
  request.on('error', () => undefined);
  request.on('response', (response) => response.on('error', () => undefined).resume());
  request.end(body ?? undefined);
  return request;
}

/** Repeats `one` for each target, `times` at a time, until it is stopped. */
function repeatedly(
  targets: readonly Target[],
  times: number,
  one: (target: Target, round: number) => { once(event: 'close', then: () => void): unknown; destroy(): unknown },
): Attack {
  let stopped = false;
  let round = 0;
  const open = new Set<{ destroy(): unknown }>();
  const again = (target: Target): void => {
    if (stopped) return;
    const request = one(target, round++);
    open.add(request);
    request.once('close', () => {
      open.delete(request);
      setImmediate(() => again(target));
    });
  };
  for (const target of targets) for (let i = 0; i < times; i++) again(target);
  return {
    stop: () => {
      stopped = true;
      for (const request of open) request.destroy();
    },
  };
}

/** Opens connections that write something, read nothing, and write `drip` every half second. */
function sockets(
  victim: Victim,
  targets: readonly Target[],
  times: number,
  headOf: (target: Target) => string,
  drip: string | null,
): Attack {
  const open = targets.flatMap((target) =>
    Array.from({ length: times }, () => {
      const socket = connect({ host: '127.0.0.1', port: victim.port, localAddress: victim.from });
      socket.on('error', () => undefined).pause();
      socket.write(headOf(target));
      return socket;
    }),
  );
  const timer = setInterval(() => {
    if (drip !== null) for (const socket of open) socket.write(drip);
  }, 500);
  return {
    stop: () => {
      clearInterval(timer);
      for (const socket of open) socket.destroy();
    },
  };
}

const headOf = (victim: Victim, { method, path }: Target, more: string): string =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${victim.port}\r\n${Object.entries(victim.headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}${more}\r\n`;

/** HTTP/2 connections to the gRPC port, which are opened again when the service ends them. */
class Sessions {
  readonly #victim: Victim;
  readonly #sessions: ClientHttp2Session[];
  #stopped = false;

  constructor(victim: Victim, count: number) {
    this.#victim = victim;
    this.#sessions = Array.from({ length: count }, (_, i) => this.#open(i));
  }

  get count(): number {
    return this.#sessions.length;
  }

  #open(index: number): ClientHttp2Session {
    const { grpcPort: port, from: localAddress } = this.#victim;
    const session = connectHttp2(`http://127.0.0.1:${port}`, {
      createConnection: () => connect({ host: '127.0.0.1', port, localAddress }),
    });
    session.on('error', () => undefined);
    session.once('close', () => {
      if (!this.#stopped) setTimeout(() => (this.#sessions[index] = this.#open(index)), 20);
    });
    return session;
  }

  /** Returns a call on one of the connections; null while the connection is closed. */
  call(index: number, path: string) {
    const session = this.#sessions[index % this.#sessions.length]!;
    if (session.closed || session.destroyed) return null;
    const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', ...this.#victim.headers };
    return session.request(headers).on('error', () => undefined);
  }

  stop(): void {
    this.#stopped = true;
    for (const session of this.#sessions) session.destroy();
  }
}

const frame = (message: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
};
/**
 * Messages of the maximum size that the method reads: empty items of its first or second field, or
 * one long string.
 */
const messageShapes: readonly ((bytes: number) => Buffer)[] = [
  (bytes) => Buffer.alloc(bytes & ~1, Buffer.from([0x0a, 0])),
  (bytes) => Buffer.alloc(bytes & ~1, Buffer.from([0x12, 0])),
  (bytes) =>
    Buffer.concat([
      Buffer.from([
        0x0a,
        ((bytes - 8) & 127) | 128,
        (((bytes - 8) >> 7) & 127) | 128,
        (((bytes - 8) >> 14) & 127) | 128,
        (bytes - 8) >> 21,
      ]),
      Buffer.alloc(bytes - 8, 'x'),
    ]),
];

/**
 * Repeats calls on a few connections. `body`: the message of each call; `reads`: whether the
 * response is read.
 */
function calls(
  victim: Victim,
  targets: readonly Target[],
  times: number,
  body: (target: Target, round: number) => Buffer,
  reads = true,
): Attack {
  const sessions = new Sessions(victim, Math.max(2, times));
  let stopped = false;
  let round = 0;
  const again = (target: Target, index: number): void => {
    if (stopped) return;
    const call = sessions.call(index, target.path);
    if (call === null) return void setTimeout(() => again(target, index), 50);
    if (reads) call.resume();
    call.once('close', () => setImmediate(() => again(target, index)));
    call.end(body(target, round++));
  };
  for (const target of targets.filter(isCall)) for (let i = 0; i < times; i++) again(target, i);
  return {
    stop: () => {
      stopped = true;
      sessions.stop();
    },
  };
}

const everyFew = (ms: number, work: () => void): Attack => {
  const timer = setInterval(work, ms);
  return { stop: () => clearInterval(timer) };
};

/** The attacks by name. Every attack runs on every target. */
export const attacks: Readonly<Record<string, Kind>> = {
  'largest bodies': (victim, targets, times) =>
    repeatedly(targets.filter(isRoute).filter(takesBody), Math.ceil(times / 2), (target, round) => {
      const of = bodiesOf(target);
      return send(victim, target, of[round % of.length]!);
    }),
  parallel: (victim, targets, times) =>
    repeatedly(targets.filter(isRoute), times, (target) => send(victim, target, takesBody(target) ? small(target) : null)),
  'slow readers': (victim, targets, times) =>
    sockets(
      victim,
      targets.filter(isRoute),
      times,
      (target) =>
        headOf(
          victim,
          target,
          takesBody(target)
            ? `Content-Type: application/json\r\nContent-Length: ${small(target).length}\r\n\r\n${small(target).toString()}`
            : '',
        ).repeat(4),
      null,
    ),
  'slow writers': (victim, targets, times) =>
    sockets(
      victim,
      targets.filter(isRoute).filter(takesBody),
      times,
      (target) => headOf(victim, target, 'Content-Type: application/json\r\nContent-Length: 200000\r\n'),
      ' ',
    ),
  cancelled: (victim, targets, times) =>
    everyFew(250, () => {
      for (const target of targets.filter(isRoute))
        for (let i = 0; i < times; i++) {
          const request = send(victim, target, takesBody(target) ? small(target) : null);
          setTimeout(() => request.destroy(), 30);
        }
    }),
  'idle streams': (victim, targets, times) => {
    const streams = targets.filter(({ path }) => path.endsWith('/events'));
    return sockets(victim, streams, 60 * times, (target) => headOf(victim, target, 'Accept: text/event-stream\r\n'), null);
  },
  'gRPC: largest messages': (victim, targets, times) =>
    calls(victim, targets, Math.ceil(times / 2), ({ bytes = 60_000 }, round) =>
      frame(messageShapes[round % messageShapes.length]!(bytes - 16)),
    ),
  'gRPC: parallel': (victim, targets, times) => calls(victim, targets, times, () => frame(Buffer.alloc(0))),
  'gRPC: slow readers': (victim, targets, times) => calls(victim, targets, times, () => frame(Buffer.alloc(0)), false),
  'gRPC: slow writers': (victim, targets, times) => {
    const sessions = new Sessions(victim, times);
    const open = targets.filter(isCall).flatMap(({ path }) => Array.from({ length: times }, (_, i) => sessions.call(i, path)));
    for (const call of open) call?.resume().write(frame(Buffer.alloc(60_000)).subarray(0, 100));
    const drip = everyFew(500, () => {
      for (const call of open) if (call && !call.destroyed && call.writable) call.write(Buffer.alloc(10));
    });
    return {
      stop: () => {
        drip.stop();
        sessions.stop();
      },
    };
  },
  'gRPC: cancelled': (victim, targets, times) => {
    const sessions = new Sessions(victim, times);
    const timer = everyFew(50, () => {
      for (const { path } of targets.filter(isCall))
        for (let i = 0; i < times; i++) {
          const call = sessions.call(i, path);
          call?.resume().close(8); // CANCEL
        }
    });
    return {
      stop: () => {
        timer.stop();
        sessions.stop();
      },
    };
  },
  'gRPC: idle streams': (victim, targets, times) => {
    const sessions = new Sessions(victim, times);
    for (const { path } of targets.filter(isCall)) for (let i = 0; i < 3 * times; i++) sessions.call(i, path)?.resume();
    return { stop: () => sessions.stop() };
  },
};
