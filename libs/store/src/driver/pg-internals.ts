/**
 * Everything that we use beyond the documented interface of node-postgres. Its types lack these
 * properties. `pg-internals.medium.spec.ts` fails if a new version changes any of them.
 */
import type { Socket } from 'node:net';
import type pg from 'pg';

interface Internals {
  readonly connection: { readonly stream: Socket };
  /** Null until the connection is open. */
  readonly processID: number | null;
  /** False while a statement runs. */
  readonly readyForQuery?: boolean;
  /** Whether a statement is sent before the previous statement has ended. */
  pipeline: boolean;
}

function internalsOf(client: pg.ClientBase): Internals {
  return client as pg.ClientBase & Internals;
}

/** Takes a connection from a pool. */
export type Connect = () => Promise<pg.PoolClient>;

/**
 * Changes how a pool lends connections: `wrap` gets the pool's own function. Without callbacks,
 * which the query builder does not use.
 */
export function wrapConnect(pool: pg.Pool, wrap: (connect: Connect) => Connect): void {
  pool.connect = wrap(pool.connect.bind(pool) as Connect) as typeof pool.connect;
}

/** A connection's socket. The constructor creates it before connecting. */
export function socketOf(client: pg.ClientBase): Socket {
  return internalsOf(client).connection.stream;
}

/** The process id of a connection's backend. Null until the connection is open. */
export function backendPid(client: pg.ClientBase): number | null {
  return internalsOf(client).processID || null;
}

/** Whether a statement is running on this connection, i.e. the server owes a response. */
export function isRunning(client: pg.ClientBase): boolean {
  return internalsOf(client).readyForQuery === false;
}

/** Bytes transferred over a socket in both directions. */
export function movedBytes(socket: Socket): number {
  return socket.bytesRead + socket.bytesWritten - socket.writableLength;
}

/**
 * Runs `send`, and passes everything that it sends on this connection to the operating system in
 * one write.
 */
export function together<T>(client: pg.ClientBase, send: () => T): T {
  const socket = socketOf(client);
  socket.cork();
  try {
    return send();
  } finally {
    socket.uncork();
  }
}

/**
 * Turns pipelining off while `send` runs, because a pipelined connection rejects COPY. Nothing else
 * may use the connection during this time.
 */
export async function withoutPipeline<T>(client: pg.ClientBase, send: () => Promise<T>): Promise<T> {
  const internals = internalsOf(client);
  const { pipeline } = internals;
  internals.pipeline = false;
  try {
    return await send();
  } finally {
    internals.pipeline = pipeline;
  }
}
