const secretName = /^(authorization|proxy-authorization|cookie|set-cookie|plotline-share|.*(password|passwd|secret|token|credential).*)$/i;
/** Names that look secret but are not, such as counts, names and page tokens. */
const openName = /^(page_?token|next_?page_?token|token_?(id|name|hint|count))$/i;
const hidden = '[hidden]';

/**
 * A copy of `value` with secrets hidden: members with names that look secret, passwords in URLs,
 * bearer tokens inside strings. Errors become plain objects with their causes. Depth is limited, so
 * cycles are harmless.
 */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 8) return '[deeper]';
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `[${value.length} bytes]`;
  if (value instanceof Error) return redactError(value, depth);
  if (Array.isArray(value)) return value.map((element) => redact(element, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      secretName.test(name) && !openName.test(name) ? hidden : redact(member, depth + 1),
    ]),
  );
}

/** Hides passwords in URLs (`//user:password@`) and the text after `Bearer`. */
export function redactText(text: string): string {
  return text.replaceAll(/(\/\/[^\s/:@]*:)[^\s/@]+@/g, `$1${hidden}@`).replaceAll(/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${hidden}`);
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const code = (error as { code?: unknown }).code;
  return {
    name,
    message: redactText(message),
    ...(code === undefined ? {} : { code: redact(code, depth + 1) }),
    ...(stack === undefined ? {} : { stack: redactText(stack) }),
    ...(cause === undefined ? {} : { cause: redact(cause, depth + 1) }),
  };
}
