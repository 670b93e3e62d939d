export { ShareLinksController } from './share-links.controller.ts';
export { SnapshotsController } from './snapshots.controller.ts';
export { VisitController } from './visit.controller.ts';
