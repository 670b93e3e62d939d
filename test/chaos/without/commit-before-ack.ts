import { announce } from './announce.ts';

const built = new URL('../../../dist/apps/upload/src/files/acknowledger.js', import.meta.url).href;
const { Acknowledger } = (await import(built)) as typeof import('../../../apps/upload/src/files/acknowledger.ts');

/** Without this safeguard, the response is sent before the transaction is committed. */
const { append: commit } = Acknowledger.prototype;
Acknowledger.prototype.append = function (tenantId, experimentId, append) {
  commit.call(this, tenantId, experimentId, append).catch(() => undefined);
  return Promise.resolve({
    kind: 'acknowledged',
    durableOffset: append.offset + append.length,
    epoch: null,
    isNew: true,
    complete: false,
  });
};
announce('commit-before-ack');
