import { Logger } from '@nestjs/common';
import { expect, it } from 'vitest';
import { createLogger } from '#telemetry';
import { nestLogger } from './nest-logger.ts';

it('logs the fields of an object as fields, with secrets hidden', () => {
  const lines: string[] = [];
  Logger.overrideLogger(nestLogger(createLogger({ level: 'info', format: 'json', write: (line) => lines.push(line) })));
  try {
    const log = new Logger('http');
    const err = new Error('no answer', { cause: new Error('postgres://app:s3cret@db') });
    log.error({ message: 'A request failed.', request_id: 'id-1', status: 500, err });
    log.warn('in words');
    log.debug({ message: 'below the level' });
  } finally {
    Logger.overrideLogger(false);
  }
  const [first, second] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toHaveLength(2);
  expect(first).toMatchObject({ level: 'error', context: 'http', message: 'A request failed.', request_id: 'id-1', status: 500 });
  expect(first!['err']).toMatchObject({ message: 'no answer', stack: expect.any(String), cause: { message: expect.any(String) } });
  expect(lines[0]).not.toContain('s3cret');
  expect(second).toMatchObject({ level: 'warn', context: 'http', message: 'in words' });
});
