import { ListObjectsV2Command, type ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import { isTenantId, type TenantId } from '#model';
import type { StoredObject } from './blob-store.ts';
import { probeTenant } from './s3-probe.ts';
import { nameOf, type S3Place } from './s3-reader.ts';

/** A tenant's objects whose keys start with `prefix`. */
export async function* listObjects(place: S3Place, tenantId: TenantId, prefix: string): AsyncGenerator<StoredObject> {
  for await (const { Contents = [] } of pages(place, { Prefix: nameOf(tenantId, prefix) })) {
    for (const { Key, Size, LastModified } of Contents) {
      if (Key === undefined || Key.endsWith('/')) continue; // folder markers in some servers
      yield { tenantId, key: Key.slice(tenantId.length + 1), bytes: Size ?? 0, modifiedAt: LastModified ?? new Date(0) };
    }
  }
}

/** The ids of tenants that have objects. */
export async function* listTenants(place: S3Place): AsyncGenerator<TenantId> {
  for await (const { CommonPrefixes = [] } of pages(place, { Delimiter: '/' })) {
    for (const { Prefix } of CommonPrefixes) {
      const name = Prefix?.slice(0, -1) ?? '';
      if (isTenantId(name) && name !== probeTenant) yield name;
    }
  }
}

async function* pages(
  { client, calls, bucket }: S3Place,
  what: { readonly Prefix?: string; readonly Delimiter?: string },
): AsyncGenerator<ListObjectsV2CommandOutput> {
  for (let next: string | undefined; ;) {
    const command = new ListObjectsV2Command({ Bucket: bucket, ContinuationToken: next, ...what });
    const page = await calls.run('list objects', 0, (abortSignal) => client.send(command, { abortSignal }));
    yield page;
    if (!page.IsTruncated) return;
    next = page.NextContinuationToken;
  }
}
