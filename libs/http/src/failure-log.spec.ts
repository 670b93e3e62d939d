import { describe, expect, it } from 'vitest';
import { Problem } from '#model';
import { type Failure, FailureLog } from './failure-log.ts';

const failure = (problem: Problem | null, more: Partial<Failure> = {}): Failure => ({
  requestId: 'id-1',
  method: 'GET',
  route: '/api/v1/things/:id',
  status: 404,
  durationMs: 12.4,
  problem,
  ...more,
});

function listen(now?: () => number) {
  const lines: [string, Record<string, unknown>][] = [];
  const at = (level: string) => (line: unknown) => void lines.push([level, line as Record<string, unknown>]);
  return { lines, log: new FailureLog({ error: at('error'), warn: at('warn'), debug: at('debug') }, now) };
}

describe('FailureLog', () => {
  it('writes rejected requests as debug, without a detail that may repeat the request', () => {
    const { lines, log } = listen();
    log.write(failure(new Problem('experiment-not-found', 'No experiment is called s3cret.'), { path: '/api/v1/things/s3cret' }));
    expect(lines).toEqual([
      [
        'debug',
        {
          message: 'A request was rejected.',
          request_id: 'id-1',
          method: 'GET',
          route: '/api/v1/things/:id',
          status: 404,
          code: 'experiment-not-found',
          duration_ms: 12,
        },
      ],
    ]);
  });

  it('writes errors of the service with their detail and cause, internal ones as error', () => {
    const { lines, log } = listen();
    const cause = new Error('disk');
    log.write(failure(new Problem('insufficient-storage', 'Full.', { cause }), { status: 507, path: '/p' }));
    log.write(failure(new Problem('internal', 'Oops.', { cause }), { status: 500, partial: true }));
    log.write(failure(null, { status: 502 }));
    expect(lines.map(([level]) => level)).toEqual(['warn', 'error', 'warn']);
    expect(lines[0]![1]).toMatchObject({ status: 507, code: 'insufficient-storage', detail: 'Full.', err: cause, path: '/p' });
    expect(lines[1]![1]).toMatchObject({ status: 500, code: 'internal', partial: true, err: cause });
    expect(lines[2]![1]).toMatchObject({ status: 502, code: null });
  });

  it('writes at most 200 errors in a second, and counts the others in the next line', () => {
    let now = 0;
    const { lines, log } = listen(() => now);
    for (let i = 0; i < 500; i++) log.write(failure(new Problem('store-unavailable', 'Down.'), { status: 503 }));
    expect(lines).toHaveLength(200);
    now = 1_000;
    log.write(failure(new Problem('store-unavailable', 'Down.'), { status: 503 }));
    log.write(failure(new Problem('store-unavailable', 'Down.'), { status: 503 }));
    expect(lines.slice(200).map(([, line]) => line['left_out'])).toEqual([300, undefined]);
  });
});
