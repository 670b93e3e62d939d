/** `npm run test:python`: tests the Python client alone. Arguments are passed to pytest. */
import { testPythonClient } from './python/python-client.ts';

const { passed, failed, notRun } = await testPythonClient(true, process.argv.slice(2));
if (notRun) console.log(`not run: the Python client: ${notRun}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
