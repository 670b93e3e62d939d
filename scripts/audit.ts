/**
 * `npm run audit`: asks the registry for known vulnerabilities of what is locked (`npm audit`, whose data are GitHub's advisories), and fails on a critical one
 * that `install-policy/exceptions.ts` does not name with a date. A registry that does not answer is a failure too: exit code 2.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { type AuditReport, auditFaults } from './install-policy/audit-faults.ts';
import { exceptions } from './install-policy/exceptions.ts';

const root = join(import.meta.dirname.replace(/\/dist(?=\/scripts$)/, ''), '..');
const stdout = await new Promise<string>((resolve) => {
  // It exits 1 where it found something; what it says counts
  execFile('npm', ['audit', '--json', ...process.argv.slice(2)], { cwd: root, maxBuffer: 64 << 20 }, (_, said) => resolve(said));
});
const report = parse(stdout);
if (!report) {
  console.error(`The registry did not say what it knows of vulnerabilities:\n${stdout}`);
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
