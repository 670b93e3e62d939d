/**
 * A log record as a line for people: time of day, level, message, then the fields; an error's stack
 * on separate lines.
 */
export function textLine(record: Readonly<Record<string, unknown>>): string {
  const { time, level, message, err, ...fields } = record;
  const clock = typeof time === 'string' ? time.slice(11, 23) : '';
  const rest = Object.entries(fields).map(
    ([name, value]) => ` ${name}=${typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)}`,
  );
  const head = `${clock} ${String(level).toUpperCase().padEnd(5)} ${oneLine(String(message))}${rest.join('')}\n`;
  return err === undefined ? head : `${head}${errorLines(err)}`;
}

function errorLines(error: unknown): string {
  const { stack, message, cause } = error as { stack?: string; message?: string; cause?: unknown };
  const own = (stack ?? message ?? JSON.stringify(error)).replaceAll(/^/gm, '    ');
  return `${own}\n${cause === undefined ? '' : `    caused by\n${errorLines(cause)}`}`;
}

/** Control characters in uploaded names must not fake lines or colors on an operator's terminal. */
function oneLine(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
