import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { stockProgram, walledIn } from './stock-client.ts';

/**
 * The scalars of an event file as stock TensorBoard's loader reads them: `[tag, step, wall time,
 * value]`, in file order.
 */
export type StockScalar = readonly [string, number, number, number];

const program = `
import json, sys
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
from tensorboard.util import tensor_util
for line in sys.stdin:
    found = []
    for event in EventFileLoader(json.loads(line)).Load():
        for value in event.summary.value:
            found.append([value.tag, event.step, event.wall_time, float(tensor_util.make_ndarray(value.tensor).item())])
    print(json.dumps(found), flush=True)
`;

/**
 * Stock TensorBoard's event file loader in its own process: importing it takes a second, so one
 * process reads many files.
 */
export class StockReader {
  readonly #child: ChildProcess;
  readonly #responses: AsyncIterator<string>;

  constructor(home: string) {
    this.#child = spawn(stockProgram('viewer', 'python'), ['-c', program], { env: walledIn(home), stdio: ['pipe', 'pipe', 'inherit'] });
    this.#responses = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
  }

  async read(path: string): Promise<StockScalar[]> {
    this.#child.stdin!.write(`${JSON.stringify(path)}\n`);
    const { value, done } = await this.#responses.next();
    if (done) throw new Error(`stock TensorBoard's loader exited while it read ${path}`);
    return JSON.parse(value) as StockScalar[];
  }

  stop(): void {
    this.#child.stdin!.end();
  }
}
