import { BlobDamaged, BlobNotFound, type BlobStore } from '#blobs';
import type { TenantId } from '#model';
import { OriginalDamaged, verifyOriginal, verifySegment } from '#originals';
import {
  keepLostRanges,
  listReferredBlobs,
  listReferredOriginals,
  listReferredSegments,
  listReferredTensors,
  type ListReferred,
  type LossReason,
  type Operator,
  readReferredObjects,
  type ReferredObject,
  type ReferredPage,
  writeLostRanges,
} from '#store';

/** What to check, and what to do about faults. */
export interface CheckOptions {
  /**
   * Whether to read all objects and verify their bytes. Otherwise, only their existence and size
   * are checked.
   */
  readonly checksums: boolean;
  /**
   * Whether to record the lost ranges of event files, so that reads of them fail with
   * `stored-bytes-lost`.
   */
  readonly quarantine: boolean;
}

/** An object that a row refers to, but that cannot be used. */
export interface ObjectFault {
  readonly workspace: string;
  readonly experiment: string;
  readonly object: string;
  readonly reason: LossReason;
  readonly detail: string;
  /** The range of the event file that the object contains; null for blobs and tensors. */
  readonly file: { readonly id: string; readonly offset: number; readonly bytes: number } | null;
}

/** The result of a check. */
export interface CheckReport {
  readonly workspaces: number;
  readonly checked: Readonly<Record<ObjectKind, number>>;
  readonly faults: readonly ObjectFault[];
  /** Number of event file ranges that are quarantined now. */
  readonly quarantined: number;
  /** Number of quarantined ranges whose objects are intact again. */
  readonly released: number;
}

const lists = {
  segments: listReferredSegments,
  originals: listReferredOriginals,
  tensors: listReferredTensors,
  blobs: listReferredBlobs,
} satisfies Record<string, ListReferred>;
type ObjectKind = keyof typeof lists;

const objectsPerPage = 1_000;
const objectsAtOnce = 16;
/** Maximum number of checked blobs to remember: many rows can refer to the same blob. */
const maxRemembered = 1_000_000;

/** Checks the objects to which the rows of these workspaces refer. */
export async function checkObjects(
  operator: Operator,
  blobs: BlobStore,
  tenantIds: readonly TenantId[],
  { checksums, quarantine }: CheckOptions,
): Promise<CheckReport> {
  await blobs.now(); // a store that is down has lost nothing
  const report = {
    workspaces: tenantIds.length,
    checked: { segments: 0, originals: 0, tensors: 0, blobs: 0 },
    faults: [] as ObjectFault[],
    quarantined: 0,
    released: 0,
  };
  for (const tenantId of tenantIds) {
    const lost: Loss[] = [];
    for (const [kind, list] of Object.entries(lists) as [ObjectKind, ListReferred][]) {
      const seen = new Set<string>();
      for await (const listed of pagesOf(operator, tenantId, list)) {
        const objects = listed.filter(({ key }) => !seen.has(key));
        for (const { key } of objects) if (seen.size < maxRemembered) seen.add(key);
        const unique = [...new Map(objects.map((object) => [object.key, object])).values()];
        report.checked[kind] += unique.length;
        lost.push(...(await findLosses(operator, blobs, tenantId, unique, checksums)));
      }
    }
    report.faults.push(...lost.map((loss) => faultOf(tenantId, loss)));
    if (!quarantine) continue;
    const ranges = lost.flatMap(({ object: { key, range }, reason }) =>
      range === null ? [] : [{ fileId: range.fileId, objectKey: key, offset: range.offset, bytes: range.bytes, reason }],
    );
    report.released += await operator.run(async (_, inTenant) => {
      const scope = inTenant(tenantId);
      await writeLostRanges(scope, ranges);
      return keepLostRanges(
        scope,
        ranges.map(({ objectKey }) => objectKey),
      );
    });
    report.quarantined += ranges.length;
  }
  return report;
}

interface Loss {
  readonly object: ReferredObject;
  readonly reason: LossReason;
  readonly detail: string;
}

async function* pagesOf(operator: Operator, tenantId: TenantId, list: ListReferred): AsyncGenerator<readonly ReferredObject[]> {
  const read = (after: ReferredPage['next']): Promise<ReferredPage> =>
    operator.run((_, inTenant) => list(inTenant(tenantId), after, objectsPerPage));
  for (let page = await read(null); ; page = await read(page.next)) {
    if (page.objects.length > 0) yield page.objects;
    if (page.next === null) return;
  }
}

async function findLosses(
  operator: Operator,
  blobs: BlobStore,
  tenantId: TenantId,
  objects: readonly ReferredObject[],
  checksums: boolean,
): Promise<Loss[]> {
  const losses: Loss[] = [];
  const left = [...objects];
  const checkSome = async (): Promise<void> => {
    for (let object = left.pop(); object !== undefined; object = left.pop()) {
      const loss = await lossOf(blobs, tenantId, object, checksums);
      if (loss !== null) losses.push({ object, ...loss });
    }
  };
  await Promise.all(Array.from({ length: objectsAtOnce }, checkSome));
  if (losses.length === 0) return [];
  // While this runs, joins and deletions can remove objects together with their rows.
  const referred = await operator.run((_, inTenant) =>
    readReferredObjects(
      inTenant(tenantId),
      losses.map(({ object }) => object.key),
    ),
  );
  return losses.filter(({ object }) => referred.has(object.key)).sort((a, b) => (a.object.key < b.object.key ? -1 : 1));
}

async function lossOf(
  blobs: BlobStore,
  tenantId: TenantId,
  object: ReferredObject,
  checksums: boolean,
): Promise<{ reason: LossReason; detail: string } | null> {
  const { key, size: expected } = object;
  const size = await blobs.has(tenantId, key);
  if (size === null) return { reason: 'missing', detail: 'The object does not exist.' };
  if (size === 0 || (expected !== null && size !== expected))
    return { reason: 'size', detail: `The object has ${size} bytes${expected === null ? '' : `, not ${expected}`}.` };
  if (!checksums) return null;
  try {
    await verify(blobs, tenantId, object);
    return null;
  } catch (error) {
    if (error instanceof BlobNotFound) return { reason: 'missing', detail: 'The object does not exist.' };
    if (error instanceof BlobDamaged || error instanceof OriginalDamaged) return { reason: 'damaged', detail: error.message };
    throw error;
  }
}

/** Throws if the bytes differ from those that were written. */
async function verify(blobs: BlobStore, tenantId: TenantId, { key, range }: ReferredObject): Promise<void> {
  if (range === null)
    await blobs.get(tenantId, key); // verified against the hash in its key
  else if (range.segment === null) await verifyOriginal(blobs, tenantId, key);
  else await verifySegment(blobs, tenantId, key, { bytes: range.bytes, ...range.segment });
}

function faultOf(workspace: string, { object: { key, experimentId, range }, reason, detail }: Loss): ObjectFault {
  const file = range && { id: range.fileId, offset: range.offset, bytes: range.bytes };
  return { workspace, experiment: experimentId, object: key, reason, detail, file };
}
