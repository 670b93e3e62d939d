/**
 * `npm run audit`: queries the registry for known vulnerabilities of the locked versions (`npm
 * audit`, with data from GitHub's advisories), and fails on a critical vulnerability without a
 * dated entry in `install-policy/exceptions.ts`. If the registry does not respond, the exit status
 * is 2.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { type AuditReport, auditFaults } from './install-policy/audit-faults.ts';
import { exceptions } from './install-policy/exceptions.ts';

const root = join(import.meta.dirname.replace(/\/dist(?=\/scripts$)/, ''), '..');
const stdout = await new Promise<string>((resolve) => {
  // `npm audit` exits with 1 if it finds anything; only its output counts.
  execFile('npm', ['audit', '--json', ...process.argv.slice(2)], { cwd: root, maxBuffer: 64 << 20 }, (_, output) => resolve(output));
});
const report = parse(stdout);
if (!report) {
  console.error(`The registry did not return a list of vulnerabilities:\n${stdout}`);
  process.exit(2);
}
const faults = auditFaults(report, exceptions, new Date().toISOString().slice(0, 10));
for (const fault of faults) console.error(fault);
console.log(`${Object.keys(report.vulnerabilities).length} packages with known vulnerabilities, ${faults.length} faults`);
process.exit(faults.length > 0 ? 1 : 0);

function parse(text: string): AuditReport | null {
  try {
    const document = JSON.parse(text) as Partial<AuditReport>;
    return document.vulnerabilities ? { vulnerabilities: document.vulnerabilities } : null;
  } catch {
    return null;
  }
}
