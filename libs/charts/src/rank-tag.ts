const system = /^(system|sys|gpu|cpu|perf|hardware|time|timing|throughput)\b|(gpu|cpu|memory|_per_second|per_sec|fps)/i;
const schedule = /(^|[/_])(epoch|lr|learning_rate|step|global_step|momentum|weight_decay)$/i;
const result = /(loss|acc|accuracy|error|f1|auc|precision|recall|iou|map|bleu|rouge|perplexity|ppl|mse|mae|rmse|reward|return|score)/i;
const validation = /(^|[/_-])(val|valid|validation|eval|evaluation|test|dev)([/_-]|$)/i;

/**
 * How informative a tag is about a training run, from its name: 0 for results on validation data, 1
 * for other results, 2 for anything else, 3 for schedules (epoch, learning rate), 4 for the
 * machine.
 */
export function rankTag(tag: string): number {
  if (system.test(tag)) return 4;
  if (schedule.test(tag)) return 3;
  if (!result.test(tag)) return 2;
  return validation.test(tag) ? 0 : 1;
}
