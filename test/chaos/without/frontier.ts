import { announce } from './announce.ts';
import { changeStatement } from './statement.ts';

/** Without this safeguard, readers get everything acknowledged, visible or not. */
changeStatement(
  'read-frontier',
  'coalesce(v.published_epoch, p.pending_epoch - 1, a.acknowledged_epoch) as published_epoch',
  'a.acknowledged_epoch as published_epoch',
);
announce('frontier');
