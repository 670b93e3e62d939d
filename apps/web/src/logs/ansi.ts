import { visibleText } from '#charts';

/** A part of a line with one style. `className`: classes of the style sheet. */
export interface AnsiPart {
  readonly text: string;
  readonly className: string;
}

/** Sequences that set colors (SGR), and all other terminal sequences. */
const sequences =
  // oxlint-disable-next-line no-control-regex -- the pattern looks for control characters
  /\u001b\[([0-9;:]*)m|\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-_])/g;

const colors = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

interface Look {
  color: (typeof colors)[number] | null;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underlined: boolean;
}

const plain: Look = { color: null, bold: false, dim: false, italic: false, underlined: false };

/**
 * A log line with the colors and weights that its terminal sequences set. Other sequences are
 * removed, and invisible characters are shown as code points, so that text cannot hide anything or
 * become markup.
 */
export function ansiParts(line: string): AnsiPart[] {
  const parts: AnsiPart[] = [];
  const look = { ...plain };
  let from = 0;
  const take = (to: number): void => {
    if (to > from) parts.push({ text: visibleText(line.slice(from, to)), className: classOf(look) });
  };
  for (const match of line.matchAll(sequences)) {
    take(match.index);
    from = match.index + match[0].length;
    if (match[1] !== undefined) change(look, match[1]);
  }
  take(line.length);
  return parts;
}

function change(look: Look, codes: string): void {
  const numbers = codes.split(/[;:]/).map(Number);
  for (let i = 0; i < numbers.length; i++) {
    const code = numbers[i]!;
    if (code === 0) Object.assign(look, plain);
    else if (code === 1) look.bold = true;
    else if (code === 2) look.dim = true;
    else if (code === 3) look.italic = true;
    else if (code === 4) look.underlined = true;
    else if (code === 22) look.bold = look.dim = false;
    else if (code === 23) look.italic = false;
    else if (code === 24) look.underlined = false;
    else if (code >= 30 && code <= 37) look.color = colors[code - 30]!;
    else if (code >= 90 && code <= 97) look.color = colors[code - 90]!;
    else if (code === 39) look.color = null;
    else if (code === 38 || code === 48) {
      // The first sixteen of the 256 colors have names; the others are used directly.
      if (code === 38 && numbers[i + 1] === 5 && numbers[i + 2]! < 16) look.color = colors[numbers[i + 2]! % 8]!;
      i += numbers[i + 1] === 5 ? 2 : numbers[i + 1] === 2 ? 4 : 0;
    }
  }
}

function classOf({ color, bold, dim, italic, underlined }: Look): string {
  const names = [
    color && `ansi-${color}`,
    bold && 'ansi-bold',
    dim && 'ansi-dim',
    italic && 'ansi-italic',
    underlined && 'ansi-underlined',
  ];
  return names.filter(Boolean).join(' ');
}
