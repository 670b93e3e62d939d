import { isLogName, limits, Problem } from '#model';

/**
 * Validates a run name: text below the log directory with `/` between folders, which stays
 * unchanged. Never used as a path, so `..` and `\` are plain text.
 */
export function checkRunName(name: string): string {
  return checkText(name, 'run', limits.maxRunNameBytes);
}

/**
 * Validates the base name of a file. Files with `tfevents` in their names are event files (data
 * rule 10); all other files are logs of a run.
 */
export function checkFileName(name: string): string {
  checkText(name, 'name', limits.maxFileNameBytes);
  if (name.includes('/')) throw invalid('name', 'is a base name, without "/"; the folder belongs in "run"');
  if (!name.includes('tfevents') && !isLogName(name))
    throw invalid('name', 'contains "tfevents", or ends with ".plotline.log" for a log; other files are rejected');
  return name;
}

function checkText(text: string, field: string, maxBytes: number): string {
  if (text === '') throw invalid(field, 'has at least one character; the log directory itself is "."');
  // Postgres text cannot contain NUL, and a lone surrogate has no UTF-8 encoding.
  if (text.includes('\0')) throw invalid(field, 'has no NUL character');
  if (!text.isWellFormed()) throw invalid(field, 'is valid Unicode, without lone surrogates');
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) {
    throw new Problem('name-too-long', `"${field}" is limited to ${maxBytes} bytes of UTF-8; this value has ${bytes}.`, {
      extra: { field, bytes, max_bytes: maxBytes },
    });
  }
  return text;
}

function invalid(field: string, rule: string): Problem {
  return new Problem('invalid-name', `A valid "${field}" ${rule}.`, { extra: { field } });
}
