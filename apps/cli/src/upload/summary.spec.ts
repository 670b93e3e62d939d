import { describe, expect, it } from 'vitest';
import type { Receipt } from '../receipt/receipt.ts';
import { Report } from '../report.ts';
import { storedFrom } from './stored.ts';
import { summarize, type UploadOutcome } from './summary.ts';

const series = (run: string, dataClass: string, points: number, superseded: number) => ({ run, tag: 'x', dataClass, points, superseded });
const receipt: Receipt = {
  files: [],
  series: [series('a', 'scalar', 10, 4), series('a', 'tensor', 3, 1), series('other', 'scalar', 100, 50)],
  problems: [],
  blobs: 0,
  digest: null,
};

function summaryText(of: Receipt): string {
  let stdout = '';
  const uploader = {
    files: new Map([['a/x', { found: { run: 'a' } }]]),
    failed: new Map(),
    progress: { bytes: 1, done: 1 },
    uploadedBytes: 1,
  };
  const outcome = {
    target: { id: 'id', url: 'http://x/e/id' },
    uploader,
    stored: storedFrom(of, new Set(['a']), ['a']),
    visibleSeconds: null,
    seconds: 1,
  } as unknown as UploadOutcome;
  summarize(outcome, new Report(false, { write: (text) => (stdout += text) }, { write: () => undefined }));
  return stdout;
}

describe('the summary of an upload', () => {
  it('reports how many of the visible points are superseded, and why', () => {
    expect(summaryText(receipt)).toContain(
      '10 points, 3 tensors in 1 run are visible.\n5 of them are superseded: the same steps were logged again, by a restart, later in the same file, or in a newer version of the file.',
    );
  });

  it('does not mention superseded points if there are none', () => {
    expect(summaryText({ ...receipt, series: [series('a', 'scalar', 10, 0)] })).not.toContain('superseded');
  });
});
