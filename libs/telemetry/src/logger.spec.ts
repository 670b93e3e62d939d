import { describe, expect, it } from 'vitest';
import { createLogger, type LoggerOptions } from './logger.ts';

const record = (options: Partial<LoggerOptions> = {}) => {
  const lines: string[] = [];
  const logger = createLogger({ level: 'debug', format: 'json', write: (line) => void lines.push(line), ...options });
  return { logger, lines, records: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
};

describe('createLogger', () => {
  it('writes one JSON object a line with level, time, message and fields', () => {
    const { logger, lines, records } = record();
    logger.child({ run: 'train' }).info('stored a batch', { points: 12n });
    expect(lines[0]).toMatch(/\}\n$/);
    expect(records()[0]).toEqual({ level: 'info', time: expect.any(String), run: 'train', points: '12', message: 'stored a batch' });
  });

  it('hides secrets: by name, in URLs, after Bearer, also inside errors and their causes', () => {
    const { logger, lines } = record();
    logger.child({ token: 'hunter1' }).error('cannot reach postgres://app:hunter2@db/plotline', {
      headers: { Authorization: 'hunter3', accept: 'text/csv' },
      list: [{ db_password: 'hunter4' }],
      err: new Error('Bearer hunter5', { cause: new Error('redis://:hunter6@cache') }),
      page_token: 'shown',
    });
    expect(lines.join()).not.toMatch(/hunter/);
    expect(lines.join()).toContain('postgres://app:[hidden]@db/plotline');
    expect(lines.join()).toContain('text/csv');
    expect(lines.join()).toContain('shown');
  });

  it('keeps error, stack and cause', () => {
    const { logger, records } = record();
    logger.error('failed', { err: new Error('outer', { cause: new TypeError('inner') }) });
    expect(records()[0]).toMatchObject({
      err: { message: 'outer', stack: expect.stringContaining('outer'), cause: { name: 'TypeError', message: 'inner' } },
    });
  });

  it('reads the context for each message', () => {
    let request = 'a';
    const { logger, records } = record({ context: () => ({ request_id: request }) });
    logger.info('one');
    request = 'b';
    logger.info('two');
    expect(records().map(({ request_id }) => request_id)).toEqual(['a', 'b']);
  });

  it('leaves out messages below its level', () => {
    const { logger, lines } = record({ level: 'warn' });
    logger.info('no');
    logger.warn('yes');
    expect(lines).toHaveLength(1);
  });

  it('writes text lines that an uploaded name cannot fake', () => {
    const { logger, lines } = record({ format: 'text' });
    logger.warn('odd tag \u001b[31m\nfake', { tag: 'loss/train', count: 2, note: 'two words' });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} WARN {2}odd tag \\u001b\[31m\\u000afake tag=loss\/train count=2 note="two words"\n$/);
  });

  it('handles circular objects', () => {
    const { logger, lines } = record();
    const ring: Record<string, unknown> = {};
    ring.self = ring;
    logger.info('ring', { ring });
    expect(lines).toHaveLength(1);
  });
});
