/**
 * Prevents a spreadsheet from running a string as a formula: adds an apostrophe if the string
 * starts like a formula (OWASP, CSV injection).
 */
export function guardFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
