import { readDurabilitySettings } from './queries/maintenance/read-durability-settings.ts';
import type { Store } from './store.ts';

/**
 * Throws unless a commit on this Postgres survives a power failure. Without fsync,
 * synchronous_commit and full_page_writes, acknowledged bytes could be lost. `allowUnsafe` is for
 * tests, which may lose their data.
 */
export async function assertDurable(store: Store, { allowUnsafe }: { allowUnsafe: boolean }): Promise<void> {
  if (allowUnsafe) return;
  const { fsync, synchronousCommit, fullPageWrites } = await readDurabilitySettings(store.global);
  const faults = [
    ...(fsync === 'on' ? [] : [`fsync is ${fsync}`]),
    // remote_write, remote_apply and local also wait for the local disk.
    ...(synchronousCommit === 'off' ? ['synchronous_commit is off'] : []),
    ...(fullPageWrites === 'on' ? [] : [`full_page_writes is ${fullPageWrites}`]),
  ];
  if (faults.length > 0) {
    throw new Error(
      `This Postgres can lose committed data (${faults.join(', ')}), so nothing can be acknowledged. Turn it on and start again.`,
    );
  }
}
