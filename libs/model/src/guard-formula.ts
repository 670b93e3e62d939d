/** A text that a spreadsheet does not run as a formula: an apostrophe before it where it begins as one (OWASP, CSV injection). */
export function guardFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
