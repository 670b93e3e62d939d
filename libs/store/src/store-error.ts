import { Problem } from '#model';
import { shutOut } from './shut-out.ts';

/** SQLSTATE 53100: the server's disk is full. */
const diskFull = '53100';
/**
 * 57P01..57P03: shutting down, crashed, starting up. 53300: too many connections. 25P03: we were
 * idle in a transaction for too long.
 */
const unavailable = new Set(['57P01', '57P02', '57P03', '53300', '25P03']);
/** SQLSTATE 55P03: another transaction held a lock for longer than we wait. */
const locked = '55P03';
/** SQLSTATE 40001, 40P01: two transactions conflicted, so this transaction must restart. */
const inTheWay = new Set(['40001', '40P01']);
/** SQLSTATE 57014: a statement took longer than we wait. */
const tookTooLong = '57014';
const connectionErrors = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOENT']);
// node-postgres sets no code for these two errors.
const connectionMessages = /^(Connection terminated|Client has encountered a connection error)/;

/**
 * Messages of Citus without an SQLSTATE of their own: another node was lost during a statement or
 * its commit, or its shard has just been split.
 */
const lostNode = /^(could not commit transaction for shard|could not find valid entry for shard|failure on connection marked as essential)/;
/** What libpq reports if a connection between nodes breaks; Citus passes it on. */
const lostLink =
  /^(server closed the connection unexpectedly|no connection to the server|connection not open|could not (send|receive) data)/;
const internal = 'XX000';

/**
 * The error that `ConnectionQueue` throws if no connection becomes free in time: Postgres is
 * running, but all connections are in use.
 */
const allInUse = 'timeout exceeded when trying to connect';

/**
 * Converts failures of the server itself to problems (by SQLSTATE). Returns any other error
 * unchanged.
 */
export function mapStoreError(error: unknown): unknown {
  if (error instanceof Problem || !(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === diskFull)
    return new Problem('insufficient-storage', 'The database is out of disk space. Try again later.', { cause: error });
  if (error.message === allInUse || code === locked || inTheWay.has(code)) {
    return new Problem('store-unavailable', 'The service is busy: too many requests wait for the database. Try again in a moment.', {
      cause: error,
    });
  }
  if (code === tookTooLong)
    return new Problem('store-unavailable', 'The database took too long. Try again in a moment, or request less.', {
      cause: error,
    });
  const isNodeLost = code === internal && (lostNode.test(error.message) || lostLink.test(error.message));
  if (
    isNodeLost ||
    unavailable.has(code) ||
    code.startsWith('08') ||
    connectionErrors.has(code) ||
    connectionMessages.test(error.message)
  ) {
    return new Problem('store-unavailable', 'The database cannot be reached. Try again in a moment.', { cause: error });
  }
  return error;
}

/**
 * SQLSTATE 22021, 22P05: a string has a character that Postgres cannot store. NUL is the only such
 * character in UTF-8.
 */
const unstorable = new Set(['22021', '22P05']);

/**
 * The problem for a request that contains such a character. Null for other errors. Names with their
 * own rules are checked earlier. This covers every other string, because no statement can store or
 * find a string with such a character.
 */
export function rejectionOfText(error: unknown): Problem | null {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (!unstorable.has(code)) return null;
  return new Problem('bad-request', 'A text in the request has a NUL character, which cannot be stored. Leave it out.', { cause: error });
}

/** SQLSTATE 2201B: invalid regular expression. */
const badPattern = '2201B';

/**
 * Converts an error to the problem for a filter that cannot be evaluated or takes too long. Returns
 * other errors unchanged.
 */
export function mapFilterError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === badPattern) return new Problem('invalid-filter', 'The regular expression in the filter cannot be read.', { cause: error });
  if (code === tookTooLong)
    return new Problem('invalid-filter', 'The filter takes too long; use a simpler one, or one with fewer terms.', { cause: error });
  return error;
}

/** SQLSTATE 23505: another row has this key. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505';
}

/**
 * True if the same transaction can simply be retried: serialization failure, deadlock, lost
 * connection, Citus errors from COPY, a rejected connection, or a missing privilege. In these
 * cases, the data to be stored is not the cause.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof Problem) return error.code === 'store-unavailable' || error.code === 'insufficient-storage';
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  return inTheWay.has(code) || code === locked || code === internal || code.startsWith('08') || shutOut.has(code);
}
