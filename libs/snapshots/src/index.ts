export { collectSnapshots } from './collect-snapshots.ts';

export { fingerprintOf } from './fingerprint.ts';

export { findSnapshot, snapshot, type StoredSnapshot } from './snapshot.ts';
export { fingerprintOfKey, type SnapshotBlobs, type SnapshotPlace } from './snapshot-place.ts';
