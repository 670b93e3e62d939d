/**
 * Prevents a spreadsheet from running a text as a formula: adds an apostrophe if the text starts
 * like one (OWASP, CSV injection).
 */
export function guardFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
