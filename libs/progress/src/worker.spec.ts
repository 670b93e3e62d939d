import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Program, type Vertex } from './testing/program.ts';
import { mergeVertex, switchVertex } from './testing/switch-and-merge.ts';
import { Cluster, type Feed } from './testing/cluster.ts';
import { runs } from './testing/runs.ts';
import { timeText, timestamp, type Timestamp } from './timestamp.ts';
import { Worker } from './testing/worker.ts';

/** Records received messages, complete times, and whether anything came too late. */
class Recorder implements Vertex {
  readonly #record: Recorded;

  constructor(saved: unknown) {
    this.#record = (saved as Recorded | undefined) ?? { received: [], complete: [], late: [], dead: 0 };
  }

  onRecv(message: unknown, time: Timestamp, outlet: { notifyAt(time: Timestamp): void }): void {
    this.#record.received.push([timeText(time), message]);
    if (this.#record.complete.includes(timeText(time))) this.#record.late.push(timeText(time));
    outlet.notifyAt(time);
  }

  onDead(time: Timestamp, outlet: { notifyAt(time: Timestamp): void }): void {
    this.#record.dead++;
    outlet.notifyAt(time);
  }

  onNotify(time: Timestamp): void {
    this.#record.complete.push(timeText(time));
  }

  save(): Recorded {
    return this.#record;
  }
}

interface Recorded {
  readonly received: [time: string, message: unknown][];
  readonly complete: string[];
  readonly late: string[];
  dead: number;
}

/** Counts each word per epoch: the example program in section 4.1 of the paper. */
function wordCount() {
  const program = new Program();
  const lines = program.input('lines');
  const words = program.vertex('words', () => ({
    onRecv: (line, time, outlet) => {
      for (const word of (line as string).split(' ')) outlet.sendBy('all', word, time);
    },
  }));
  const counts = program.vertex('counts', (saved) => {
    const open = new Map(saved as [string, [string, number][]][] | undefined);
    return {
      onRecv(word, time, outlet) {
        const known = new Map(open.get(timeText(time)));
        open.set(timeText(time), [...known.set(word as string, (known.get(word as string) ?? 0) + 1)]);
        outlet.notifyAt(time);
      },
      onNotify(time, outlet) {
        for (const pair of open.get(timeText(time)) ?? []) outlet.sendBy('all', pair, time);
        open.delete(timeText(time));
      },
      save: () => [...open],
    };
  });
  const output = program.vertex('output', (saved) => new Recorder(saved));
  program.connect(lines, words);
  program.connect(words, counts, (word) => word as string);
  program.connect(counts, output, () => 'one place');
  return { program, output };
}

const anyLine = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
const anyEpochs = fc.array(fc.array(anyLine, { maxLength: 3 }), { minLength: 1, maxLength: 4 });
const decisions = fc.array(fc.nat({ max: 0xffff }), { maxLength: 200 });

function feedOf(epochs: readonly (readonly unknown[])[]): Feed[] {
  return [...epochs.flatMap((messages, epoch): Feed[] => [...messages.map((send) => ({ send })), { advanceTo: epoch + 1 }]), 'close'];
}

describe('a program on several workers', () => {
  it('counts words per epoch, and notifies after all inputs and exactly once, although workers die and restart', () => {
    let deaths = 0;
    fc.assert(
      fc.property(fc.array(anyEpochs, { minLength: 1, maxLength: 3 }), decisions, (inputs, order) => {
        const { program, output } = wordCount();
        const cluster = new Cluster(program, inputs.map(feedOf));
        for (const decision of order) cluster.happen(decision);
        cluster.finish();
        deaths += cluster.deaths;

        const records = cluster.states(output) as Recorded[];
        const received = records.flatMap((record) =>
          record.received.map(([time, pair]) => `${time} ${(pair as [string, number]).join(' ')}`),
        );
        expect(received.toSorted()).toEqual(expectedCounts(inputs));
        expect(records.flatMap(({ late }) => late)).toEqual([]);
        const complete = records.flatMap((record) => record.complete);
        expect(complete).toEqual([...new Set(received.map((line) => line.split(' ')[0]!))].toSorted());
      }),
      { numRuns: runs },
    );
    expect(deaths).toBeGreaterThan(0);
  });

  it('iterates each message as often as it needs, and lets late epochs pass early ones in the loop', () => {
    const program = new Program();
    const input = program.input('numbers');
    const enter = program.control('enter', 'ingress', 0);
    const halve = program.vertex(
      'halve',
      () => ({
        onRecv: (message, time, outlet) => outlet.sendBy((message as number) > 1 ? 0 : 1, Math.floor((message as number) / 2), time),
      }),
      1,
    );
    const again = program.control('again', 'feedback', 1);
    const leave = program.control('leave', 'egress', 1);
    const output = program.vertex('output', (saved) => new Recorder(saved));
    program.connect(input, enter);
    program.connect(enter, halve, (message) => message as number);
    program.connect(halve, again);
    program.connect(halve, leave);
    program.connect(again, halve, (message) => message as number);
    program.connect(leave, output);

    fc.assert(
      fc.property(
        fc.array(fc.array(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 3 }), { minLength: 1, maxLength: 3 }), {
          minLength: 1,
          maxLength: 3,
        }),
        decisions,
        (inputs, order) => {
          const cluster = new Cluster(program, inputs.map(feedOf));
          for (const decision of order) cluster.happen(decision);
          cluster.finish();
          const records = cluster.states(output) as Recorded[];
          const times = records.flatMap((record) => record.received.map(([time]) => time));
          expect(times.toSorted()).toEqual(
            inputs.flatMap((epochs) => epochs.flatMap((numbers, epoch) => numbers.map(() => String(epoch)))).toSorted(),
          );
          expect(records.flatMap(({ late }) => late)).toEqual([]);
          for (const record of records)
            expect(record.complete.toSorted()).toEqual([...new Set(record.received.map(([time]) => time))].toSorted());
        },
      ),
      { numRuns: Math.ceil(runs / 2) },
    );
  });
});

describe('Switch and Merge', () => {
  const build = (choose: (message: unknown) => 0 | 1) => {
    const program = new Program();
    const input = program.input('numbers');
    const choice = program.vertex('switch', switchVertex(choose));
    const seen: number[] = [];
    const branch = (name: string) =>
      program.vertex(name, () => ({
        onRecv(message, time, outlet) {
          seen.push(message as number);
          outlet.sendBy('all', message, time);
        },
      }));
    const [left, right] = [branch('left'), branch('right')];
    const merge = program.vertex('merge', mergeVertex());
    const output = program.vertex('output', (saved) => new Recorder(saved));
    program.connect(input, choice);
    program.connect(choice, left);
    program.connect(choice, right);
    program.connect(left, merge);
    program.connect(right, merge);
    program.connect(merge, output);
    return { program, merge, output, seen, left, right, choice };
  };

  it('compute only the taken branch, and forward live values', () => {
    const { program, output, seen } = build((message) => ((message as number) % 2) as 0 | 1);
    const cluster = new Cluster(program, [feedOf([[1, 2], [3], [4]])]);
    cluster.finish();
    const [record] = cluster.states(output) as Recorded[];
    expect(record!.received).toEqual([
      ['0', 1],
      ['0', 2],
      ['1', 3],
      ['2', 4],
    ]);
    expect(record!.dead).toBe(0);
    expect(seen).toHaveLength(4);
  });

  it('are not held back by the untaken branch', () => {
    const { program, right, merge } = build(() => 0);
    const worker = new Worker(program, { index: 0, workers: 1 }, () => undefined);
    const input = worker.input('numbers');
    input.send(1);
    input.advanceTo(1);
    worker.flush();
    for (let n = 0; n < 3; n++) worker.step(); // the switch, then both branches
    worker.flush();
    expect(worker.frontier(right).toString()).toBe('{1}');
    expect(worker.frontier(merge).toString()).toBe('{0}'); // the dead value of the untaken branch is on its way there
  });

  it('merge values of other workers: nothing is dead and alive at once', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 3 }), { minLength: 1, maxLength: 5 }), (epochs) => {
        const program = new Program();
        const input = program.input('numbers');
        const choice = program.vertex(
          'switch',
          switchVertex((message) => ((message as number) % 2) as 0 | 1),
        );
        const pass = (name: string) =>
          program.vertex(name, () => ({ onRecv: (message, time, outlet) => outlet.sendBy('all', message, time) }));
        const [left, right] = [pass('left'), pass('right')];
        const merge = program.vertex('merge', mergeVertex());
        const output = program.vertex('output', (saved) => new Recorder(saved));
        program.connect(input, choice);
        program.connect(choice, left, (message) => message as number);
        program.connect(choice, right, (message) => message as number);
        program.connect(left, merge);
        program.connect(right, merge);
        program.connect(merge, output);
        const cluster = new Cluster(program, [feedOf(epochs), feedOf([])]);
        cluster.finish();
        const records = cluster.states(output) as Recorded[];
        const received = records.flatMap((record) => record.received.map(([, message]) => message as number));
        expect(received.toSorted((a, b) => a - b)).toEqual(epochs.flat().toSorted((a, b) => a - b));
        expect(records.reduce((sum, { dead }) => sum + dead, 0)).toBe(0);
      }),
      { numRuns: Math.ceil(runs / 2) },
    );
  });

  it('reject a partition key before a merge', () => {
    const program = new Program();
    const input = program.input('numbers');
    const merge = program.vertex('merge', mergeVertex());
    expect(() => program.connect(input, merge, () => 1)).toThrow(RangeError);
  });

  it('merge two dead inputs into one dead value', () => {
    const program = new Program();
    const input = program.input('numbers');
    const first = program.vertex(
      'first switch',
      switchVertex(() => 1),
    );
    const second = program.vertex(
      'second switch',
      switchVertex(() => 0),
    );
    const sink = program.vertex('sink', () => ({ onRecv: () => undefined, onDead: () => undefined }));
    const merge = program.vertex('merge', mergeVertex());
    const output = program.vertex('output', (saved) => new Recorder(saved));
    program.connect(input, first);
    program.connect(first, second); // not taken, so both branches of the second switch are dead
    program.connect(first, sink);
    program.connect(second, merge);
    program.connect(second, merge);
    program.connect(merge, output);
    const cluster = new Cluster(program, [feedOf([[1], [], [2]])]);
    cluster.finish();
    const [record] = cluster.states(output) as Recorded[];
    expect(record!.received).toEqual([]);
    expect(record!.complete).toEqual(['0', '2']);
    expect(record!.dead).toBe(2);
  });
});

describe('a worker', () => {
  const make = (vertex: Vertex) => {
    const program = new Program();
    const input = program.input('in');
    program.connect(
      input,
      program.vertex('v', () => vertex),
    );
    return new Worker(program, { index: 0, workers: 1 }, () => undefined);
  };

  it('rejects messages and notifications before the time of the event', () => {
    const rejected: unknown[] = [];
    const worker = make({
      onRecv(_message, _time, outlet) {
        try {
          outlet.notifyAt(timestamp(1));
        } catch (error) {
          rejected.push(error);
        }
      },
      onNotify: () => undefined,
    });
    const input = worker.input('in');
    input.advanceTo(2);
    input.send('x');
    worker.step();
    expect(rejected).toEqual([new RangeError('at 2 nothing can be sent or asked for at 1')]);
  });

  it('rejects an input that goes back, or is used after it closed', () => {
    const input = make({ onRecv: () => undefined }).input('in');
    input.advanceTo(5);
    expect(() => input.advanceTo(5)).toThrow('it cannot go to 5');
    input.close();
    input.close();
    expect(() => input.send('x')).toThrow('closed');
  });
});

function expectedCounts(inputs: readonly (readonly (readonly string[])[])[]): string[] {
  const counts = new Map<string, number>();
  for (const epochs of inputs) {
    epochs.forEach((lines, epoch) => {
      for (const word of lines.flatMap((line) => line.split(' ')))
        counts.set(`${epoch} ${word}`, (counts.get(`${epoch} ${word}`) ?? 0) + 1);
    });
  }
  return [...counts].map(([key, count]) => `${key} ${count}`).toSorted();
}
