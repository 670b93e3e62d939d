import { expect, it } from 'vitest';
import { sniffBlob } from './content-type.ts';

it.each([
  ['\x89PNG\r\n\x1a\n…', 'image/png'],
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['GIF89a<script>', 'image/gif'],
  ['RIFF\x10\0\0\0WEBPVP8 ', 'image/webp'],
  ['RIFF\x10\0\0\0WAVEfmt ', 'audio/wav'],
  ['\0\0\0 ftypisom\0\0\x02\0', 'video/mp4'],
  ['\x1aE\xdf\xa3\x9fB\x86\x81', 'video/webm'],
])('serves %j inline as %s', (text, type) => {
  expect(sniffBlob(Buffer.from(text, 'latin1'), text.length)).toEqual({ contentType: type, inline: true });
});

it.each(['640', 'a label, with words'])('serves %j as text, and never inline', (text) => {
  expect(sniffBlob(Buffer.from(text), text.length)).toEqual({ contentType: 'text/plain; charset=utf-8', inline: false });
});

it.each([
  '<svg/>',
  '  <!doctype html>',
  '%PDF-1.4',
  '<?xml?>',
  '\0\0\0\0',
  'text with \x07',
  '\xff\xfe<\0',
  'RIFF\x10\0\0\0AVI LIST',
  '\x89PNG',
])('never serves %j as an executable type', (text) => {
  expect(sniffBlob(Buffer.from(text, 'latin1'), text.length)).toEqual({ contentType: 'application/octet-stream', inline: false });
});

it('serves plain text only if it has seen all of it', () => {
  const head = Buffer.alloc(512, 'a');
  expect(sniffBlob(head, 513).contentType).toBe('application/octet-stream');
});
