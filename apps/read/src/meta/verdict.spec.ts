import { expect, it } from 'vitest';
import { judgeClient } from './verdict.ts';

it.each([
  [null, '0.1.0', 'OK'],
  ['0.1.0', '0.1.0', 'OK'],
  ['0.1.9', '0.1.0', 'OK'],
  ['0.1.0', '0.1.2', 'WARN'],
  ['0.1.0', '0.2.0', 'ERROR'],
  ['0.3.0', '0.2.0', 'ERROR'],
  ['1.2.3', '1.2.0', 'OK'],
  ['1.1.9', '1.2.0', 'WARN'],
  ['1.3.0', '1.2.0', 'OK'],
  ['2.0.0', '1.2.0', 'ERROR'],
  ['0.9.0', '1.2.0', 'ERROR'],
  ['1.2.0-rc.1', '1.2.0', 'OK'],
  ['v1.2.0', '1.2.0', 'OK'],
  ['', '1.2.0', 'ERROR'],
  ['latest', '1.2.0', 'ERROR'],
  ['1.2', '1.2.0', 'ERROR'],
  ['<script>', '1.2.0', 'ERROR'],
])('judges a client %s of a service %s: %s', (client, service, verdict) => {
  const judged = judgeClient(client, service);
  expect(judged.verdict).toBe(verdict);
  expect(judged.message === '').toBe(verdict === 'OK');
});
