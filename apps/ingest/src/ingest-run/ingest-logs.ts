import type { BlobStore } from '#blobs';
import type { ExperimentId, RunId } from '#model';
import { type OriginalDamaged, readFileBytes } from '#originals';
import { insertLogEntries, readLogEnd, type IngestScope, type RunFile } from '#store';
import { LogIndexer } from './index-log.ts';
import type { LostBytes } from './ingest-failure.ts';
import { bytesBehindEnd, lastEnd, lostBytes, untilDamage } from './pending-file.ts';
import { type Settlements, untouched } from './settlements.ts';

/** Context of {@link ingestLogs}. */
interface LogIngest {
  readonly scope: IngestScope;
  readonly blobs: BlobStore;
  readonly experimentId: ExperimentId;
  readonly runId: RunId;
  readonly settlements: Settlements;
}

/** The result of one pass over a run's logs. `done`: no lines are left to read. */
export interface LogsRead {
  readonly done: boolean;
  readonly bytes: number;
  readonly damage: OriginalDamaged | null;
  readonly lost: readonly LostBytes[];
}

/** Makes the pending bytes of logs readable by counting their lines. */
export async function ingestLogs(
  { scope, blobs, experimentId, runId, settlements }: LogIngest,
  logs: readonly RunFile[],
  maxBytes: number,
): Promise<LogsRead> {
  let done = true;
  let bytes = 0;
  let damage: OriginalDamaged | null = null;
  const lost: LostBytes[] = [];
  for (const file of logs) {
    const { fileId, parsedOffset, pending } = file;
    if (pending.length === 0) continue;
    const end = lastEnd(file);
    if (file.ended) {
      settlements.add(file, end, { ...untouched(file), rejectedBytes: bytesBehindEnd(file) });
      done &&= !file.more;
      continue;
    }
    const indexer = new LogIndexer(parsedOffset, (await readLogEnd(scope, fileId))!);
    const { lines } = indexer;
    const damages: OriginalDamaged[] = [];
    const stored = readFileBytes({ scope, blobs, fileId, start: parsedOffset, end, known: file });
    for await (const piece of untilDamage(stored, (found) => damages.push(found))) {
      indexer.push(piece);
      if (indexer.offset - parsedOffset >= maxBytes) break;
    }
    const readTo = indexer.offset;
    if (damages[0] && readTo === parsedOffset) {
      lost.push(lostBytes(file, damages[0]));
      damage ??= damages[0];
      done = false;
      continue;
    }
    await insertLogEntries(scope, { experimentId, runId, fileId }, indexer.entries);
    const progress = { parsedOffset: readTo, needsOffset: indexer.lineStart, records: indexer.lines - lines, unverified: 0 };
    settlements.add(file, readTo, { ...progress, rejectedBytes: 0, ended: false });
    bytes += readTo - parsedOffset;
    done &&= readTo === end && !file.more;
  }
  return { done, bytes, damage, lost };
}
