import { z } from 'zod';
import { rankOfLog } from '#model';
import type { StoredLog } from '#store';
import { integerJson } from '../experiments/integer-json.ts';
import { exactInteger } from '../json.ts';
import type { LogLine } from './read-lines.ts';

/** A log in responses. */
export const logJson = z.object({
  file_id: z.string(),
  run: z.string(),
  name: z.string(),
  version: z.int(),
  rank: z
    .int()
    .nullable()
    .meta({ description: 'The rank of the process that wrote the log, from the name of the log. Null if the name has no rank.' }),
  bytes: integerJson.meta({ description: 'Readable bytes.' }),
  lines: integerJson.meta({ description: 'Readable lines, including an unfinished last line.' }),
  complete: z.boolean().meta({ description: 'Whether the uploader marked the log as complete.' }),
  kept: z.boolean().meta({
    description:
      "False if the text was removed because the workspace's retention period for originals has passed, or if the text did not fit into a snapshot.",
  }),
});

/** Lines of a log. `cut`: the line is longer than `maxLogLineBytes` of `/limits`. */
export const lineJson = z.object({ line: integerJson, text: z.string(), cut: z.boolean().optional() });

/** The number of lines, including an unfinished last line. */
export function linesOf({ lines, lineStart, bytes }: StoredLog): number {
  return lines + (lineStart < bytes ? 1 : 0);
}

/** Serializes a log. */
export function toLogJson(log: StoredLog): z.input<typeof logJson> {
  return {
    file_id: log.fileId,
    run: log.run,
    name: log.name,
    version: log.version,
    rank: rankOfLog(log.name),
    bytes: exactInteger(log.bytes)!,
    lines: exactInteger(linesOf(log))!,
    complete: log.complete,
    kept: log.kept,
  };
}

/** Serializes a line. */
export function toLineJson({ line, text, cut }: LogLine): z.input<typeof lineJson> {
  return { line: exactInteger(line)!, text, ...(cut && { cut }) };
}
