export { collectSnapshots } from './collect-snapshots.ts';
export { type Compression, compressions } from './compression.ts';
export { type Content, fingerprintOf } from './fingerprint.ts';
export { SnapshotDamaged } from './read-splits.ts';
export { snapshot, type Snapshot, type SnapshotOptions, type SnapshotState } from './snapshot.ts';
export type { SnapshotBlobs, SnapshotPlace } from './snapshot-place.ts';
