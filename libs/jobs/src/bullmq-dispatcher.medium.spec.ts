import { randomUUID } from 'node:crypto';
import { describeWith, testRedisUrl } from '#testing';
import { BullMqDispatcher } from './bullmq-dispatcher.ts';
import { dispatcherContract } from './testing/index.ts';

describeWith(['redis'], 'a queue on Redis', () => {
  dispatcherContract(
    'BullMqDispatcher',
    (onError, groupMs) => new BullMqDispatcher({ redis: { url: testRedisUrl() }, groupMs, onError, name: randomUUID() }),
  );
});
