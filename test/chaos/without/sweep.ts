import { Sweeper } from '#jobs';
import { announce } from './announce.ts';

/** Without this safeguard, a lost hint remains lost: nothing queues a pending run again. */
Sweeper.prototype.sweep = () => Promise.resolve();
announce('sweep');
