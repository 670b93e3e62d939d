import { describe, expect, it } from 'vitest';
import { limits } from '#model';
import { PointCollector } from './index.ts';
import { field, message } from './testing/event-bytes.ts';

/**
 * Reads the facts from log messages with this content, each one second after the previous message.
 */
function read(...texts: readonly (string | Uint8Array)[]) {
  const collector = new PointCollector();
  texts.forEach((text, at) => {
    const event = message(
      field(1, { double: 100 + at }),
      field(6, typeof text === 'string' ? message(field(1, 20n), field(2, text)) : text),
    );
    collector.event(event, 0, event.length, at);
  });
  const { run, events, problems } = collector.take();
  expect({ events, problems }).toEqual({ events: texts.length, problems: [] });
  return run;
}

const says = (facts: unknown) => `plotline ${JSON.stringify(facts)}`;

describe('a log message with facts of a run', () => {
  it('is parsed', () => {
    const given = {
      display_name: 'Baseline',
      job_type: 'train',
      labels: ['a', 'b', 'a', 7, ''],
      command: 'python train.py',
      git_commit: 'abc',
      git_dirty: true,
      git_branch: 'main',
      git_remote: 'https://git.example/x.git',
      folder: '/w',
      person: 'ada',
      host: 'gpu-1',
      heartbeat_seconds: 10.0,
      status: 'running',
      unknown: { field: 1 },
    };
    expect(read(says(given))).toEqual({
      wallTime: 100,
      facts: {
        wallTime: 100,
        displayName: 'Baseline',
        jobType: 'train',
        labels: ['a', 'b'],
        command: 'python train.py',
        gitCommit: 'abc',
        gitDirty: true,
        gitBranch: 'main',
        gitRemote: 'https://git.example/x.git',
        folder: '/w',
        person: 'ada',
        host: 'gpu-1',
        heartbeatSeconds: 10,
      },
      status: { status: 'running', wallTime: 100 },
    });
  });

  it('keeps the first facts and the last status', () => {
    expect(
      read(says({ host: 'one', status: 'running' }), says({ host: 'two', status: 'running' }), says({ status: 'failure' })),
    ).toMatchObject({
      facts: { host: 'one', wallTime: 100 },
      status: { status: 'failure', wallTime: 102 },
    });
  });

  it('has bounded texts', () => {
    const run = read(says({ host: '🦊'.repeat(1_000), person: 'a\0b\ud800', labels: Array.from({ length: 100 }, (_, i) => String(i)) }));
    expect(Array.from(run!.facts!.host!)).toHaveLength(limits.maxRunFactCharacters);
    expect(run!.facts!.person).toBe('a\u2400b\ufffd');
    expect(run!.facts!.labels).toHaveLength(limits.maxLabels);
  });

  it.each<[string, string | Uint8Array]>([
    ['another message', 'Saving checkpoint'],
    ['no JSON', 'plotline {"host": '],
    ['a list', 'plotline [1]'],
    ['fields of other types', says({ host: 7, labels: 'a', status: 'asleep', heartbeat_seconds: -1 })],
    ['larger than the limit', says({ host: 'x'.repeat(limits.maxRunFactsBytes) })],
    ['malformed', Uint8Array.of(0x32, 3, 0x12, 0x7f, 0)],
  ])('is ignored if it is %s', (_, text) => {
    const run = read(typeof text === 'string' ? text : text.subarray(2));
    expect([run?.facts ?? null, run?.status ?? null]).toEqual([null, null]);
  });
});
