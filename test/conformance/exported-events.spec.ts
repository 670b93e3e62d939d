import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { logDirectory, logDirectoryNames } from '../logs/log-directories.ts';
import { sha256 } from '../logs/point-hash.ts';
import { readExperiment } from '../e2e/rest-run.ts';
import { Cli, Service, type Uploaded } from '../e2e/service.ts';
import { stockProgram, walledIn } from './stock-client.ts';

/**
 * The event files of `plotline export --format events`, read by stock TensorBoard's library,
 * contain the effective data of the experiment. EXPORT_LOGS=all uses every log directory.
 */

/**
 * Every value, in hexadecimal, by run, tag and order; a number type that the library cannot decode
 * is null.
 */
const program = `
import hashlib, json, struct, sys
import numpy as np
from tensorboard.backend.event_processing import plugin_event_accumulator as a
from tensorboard.backend.event_processing import plugin_event_multiplexer as m
from tensorboard.compat.proto import summary_pb2
from tensorboard.util import tensor_util
mux = m.EventMultiplexer(size_guidance={a.TENSORS: 0})
mux.AddRunsFromDirectory(sys.argv[1])
mux.Reload()
def value(kind, proto):
    if kind == summary_pb2.DATA_CLASS_BLOB_SEQUENCE:
        return [hashlib.sha256(s).hexdigest() for s in proto.string_val]
    try:
        array = tensor_util.make_ndarray(proto)
    except TypeError:
        return None
    if kind == summary_pb2.DATA_CLASS_SCALAR:
        return struct.pack("<d", float(array.item())).hex()
    if array.dtype == object:
        flat = [s if isinstance(s, bytes) else s.encode() for s in array.flatten().tolist()]
        return hashlib.sha256(b"".join(struct.pack(">I", len(s)) + s for s in flat)).hexdigest()
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
out = []
for run, tags in mux.Runs().items():
    for tag in tags["tensors"]:
        kind = mux.SummaryMetadata(run, tag).data_class
        for event in mux.Tensors(run, tag):
            out.append([run, tag, int(kind), str(event.step), struct.pack("<d", event.wall_time).hex(), value(kind, event.tensor_proto)])
print(json.dumps(out))
`;

const names = process.env['EXPORT_LOGS'] === 'all' ? logDirectoryNames : (['tf2_summaries', 'torch', 'tf1_legacy'] as const);
/** TensorBoard opens a run folder with `tfevents` in its own name as if it were a file. */
const isOpenedAsFile = (run: string): boolean => run.slice(run.lastIndexOf('/') + 1).includes('tfevents');
const seriesOf = (key: string): string => JSON.stringify((JSON.parse(key) as string[]).slice(0, 2));
const hex = (value: number): string => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes.toString('hex');
};

describeWith(['tensorboard'], 'the event files of an export', () => {
  let service: Service;
  let folder: string;
  let cli: Cli;

  beforeAll(async () => {
    service = await Service.start();
    folder = await mkdtemp(join(tmpdir(), 'plotline-exported-'));
    cli = new Cli(service, join(folder, 'state'));
  });
  afterAll(async () => {
    await service?.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(names)('of %s are read exactly by stock TensorBoard', async (name) => {
    const { experiment_id: id } = await cli.json<Uploaded>('upload', '--logdir', await logDirectory(name), '--one-shot');
    const outdir = join(folder, name);
    await cli.json('export', id, '--format', 'events', '--outdir', outdir);
    const { stdout } = await promisify(execFile)(stockProgram('viewer', 'python'), ['-c', program, outdir], {
      env: walledIn(folder),
      maxBuffer: 1 << 30,
    });
    const found = new Map<string, unknown>();
    for (const [run, tag, kind, step, wallTime, value] of JSON.parse(stdout) as [string, string, number, string, string, unknown][]) {
      // A class of 0 means no class: unlisted tags, which TensorBoard does not show.
      if (kind !== 0) found.set(JSON.stringify([run, tag, step, wallTime]), value);
    }
    let compared = 0;
    const several = new Set<string>();
    for (const [run, tags] of await readExperiment(service, id)) {
      if (isOpenedAsFile(run)) continue;
      for (const [tag, series] of tags) {
        if (!series.meta.listed) continue;
        if (series.writers.length > 1) several.add(JSON.stringify([run, tag]));
        const check = (i: number, step: bigint, wallTime: number, value: unknown) => {
          // Several writers of a tag may log the same step and time.
          if (series.superseded[i] || series.writers.length > 1) return;
          const key = JSON.stringify([run, tag, String(step), hex(wallTime)]);
          expect(found.has(key), key).toBe(true);
          if (found.get(key) !== null) expect(found.get(key), key).toEqual(value);
          found.delete(key);
          compared++;
        };
        for (const [i, { step, wallTime, value }] of series.scalars.entries()) check(i, step, wallTime, hex(value));
        for (const [i, { step, wallTime, data }] of series.tensors.entries()) check(i, step, wallTime, sha256(data));
        for (const [i, { step, wallTime, blobs }] of series.blobSequences.entries()) check(i, step, wallTime, blobs.map(sha256));
      }
    }
    expect(compared).toBeGreaterThan(20);
    // Nothing else exists, except for the tags of several writers.
    expect([...found.keys()].filter((key) => !several.has(seriesOf(key)))).toEqual([]);
  });
});
