import { expect, it } from 'vitest';
import { rankTag } from './rank-tag.ts';

it.each([
  [0, ['val/accuracy', 'eval_loss', 'validation/loss', 'test/f1', 'metrics/val_acc']],
  [1, ['train/loss', 'loss', 'train_acc', 'epoch_accuracy', 'value/loss', 'reward']],
  [2, ['gradients/norm', 'layer2/weights', 'entropy']],
  [3, ['epoch', 'train/lr', 'learning_rate', 'global_step']],
  [4, ['system/gpu_memory', 'perf/images', 'train/images_per_second', 'gpu0/load']],
] as const)('ranks %i: %j', (rank, tags) => {
  expect(tags.map(rankTag)).toEqual(tags.map(() => rank));
});
