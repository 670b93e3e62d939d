export { collectSnapshots } from './collect-snapshots.ts';
export { type Compression, compressions } from './compression.ts';
export { type Content, fingerprintOf } from './fingerprint.ts';
export { SnapshotDamaged } from './read-splits.ts';
export { findSnapshot, snapshot, type Snapshot, type SnapshotOptions, type SnapshotState, type StoredSnapshot } from './snapshot.ts';
export { fingerprintOfKey, type SnapshotBlobs, type SnapshotPlace } from './snapshot-place.ts';
