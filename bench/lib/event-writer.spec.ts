import { expect, test } from 'vitest';
import { maskedCrc32c } from './crc32c.ts';
import { EventWriter, scalarForms, scalarTag } from './event-writer.ts';

/** Splits a file into the data of its records and verifies every length and checksum. */
function records(file: Buffer): Buffer[] {
  const out: Buffer[] = [];
  for (let at = 0; at < file.length;) {
    const length = Number(file.readBigUInt64LE(at));
    expect(file.readUInt32LE(at + 8)).toBe(maskedCrc32c(file, at, at + 8));
    expect(file.readUInt32LE(at + 12 + length)).toBe(maskedCrc32c(file, at + 12, at + 12 + length));
    out.push(file.subarray(at + 12, at + 12 + length));
    at += length + 16;
  }
  return out;
}

function write(bufferBytes: number, use: (writer: EventWriter) => void): Buffer {
  const parts: Buffer[] = [];
  const writer = new EventWriter((bytes) => parts.push(Buffer.from(bytes)), bufferBytes);
  use(writer);
  writer.flush();
  const file = Buffer.concat(parts);
  expect(writer.written).toBe(file.length);
  return file;
}

test('the version event has the bytes that TensorFlow writes', () => {
  const [data] = records(write(1_000, (writer) => writer.version(1_500_000_000)));
  const wallTime = Buffer.alloc(8);
  wallTime.writeDoubleLE(1_500_000_000);
  expect(data).toEqual(Buffer.concat([Buffer.from([9]), wallTime, Buffer.from([0x1a, 13]), Buffer.from('brain.Event:2')]));
});

test.each(scalarForms)('a scalar event as %s holds wall time, step, tag and value', (form) => {
  const tag = scalarTag('loss', form);
  const [zero, later] = records(
    write(1_000, (writer) => {
      writer.scalar(tag, true, 1.5, 0, 0.25);
      writer.scalar(tag, false, 2.5, 300, -8);
    }),
  ) as [Buffer, Buffer];
  const text = (hex: string): string => hex.replaceAll(' ', '');
  const metadata = '4a 0d 0a 09 0a 07 73 63 61 6c 61 72 73 20 01';
  const name = '0a 04 6c 6f 73 73';
  const tensor = form === 'float-val' ? '42 0a 08 01 12 00 2a 04' : '42 0a 08 01 12 00 22 04';
  const expected = {
    'float-val': [`2a 23 0a 21 ${name} ${tensor} 00 00 80 3e ${metadata}`, `2a 14 0a 12 ${name} ${tensor} 00 00 00 c1`],
    'tensor-content': [`2a 23 0a 21 ${name} ${tensor} 00 00 80 3e ${metadata}`, `2a 23 0a 21 ${name} ${tensor} 00 00 00 c1 ${metadata}`],
    'simple-value': [`2a 0d 0a 0b ${name} 15 00 00 80 3e`, `2a 0d 0a 0b ${name} 15 00 00 00 c1`],
  }[form];
  expect(zero.toString('hex')).toBe(text(`09 00 00 00 00 00 00 f8 3f ${expected[0]}`));
  expect(later.toString('hex')).toBe(text(`09 00 00 00 00 00 00 04 40 10 ac 02 ${expected[1]}`));
});

test('the buffer size does not change the file', () => {
  const tag = scalarTag('train/loss_000', 'float-val');
  const use = (writer: EventWriter): void => {
    writer.version(1);
    for (let step = 0; step < 200; step++) writer.scalar(tag, step === 0, step, step * 1_000_003, step);
  };
  const file = write(200, use);
  expect(file).toEqual(write(1_000_000, use));
  expect(records(file)).toHaveLength(201);
});
