/**
 * `npm run build:python`: builds the wheel and the source distribution of the Python client into
 * clients/python/dist.
 */
import { buildPythonClient } from './python/python-client.ts';

console.log(await buildPythonClient());
