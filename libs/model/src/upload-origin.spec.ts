import { expect, it } from 'vitest';
import { isUploadOrigin, nameOfLogdir, uploadOrigin } from './upload-origin.ts';

it.each([
  ['/home/ada/vit-sweep', 'vit-sweep'],
  ['/home/ada/vit-sweep/runs', 'vit-sweep/runs'],
  ['/home/ada/vit-sweep/Logs/', 'vit-sweep/Logs'],
  ['/runs', 'runs'],
  ['/', ''],
  ['C:\\work\\digits', 'digits'],
  ['C:\\runs', 'runs'],
  ['/data/prüfung läuf', 'prüfung läuf'],
])('the log directory %s gives the name %s', (logdir, name) => expect(nameOfLogdir(logdir)).toBe(name));

it('recognizes the descriptions that uploads get by default, and no others', () => {
  for (const logdir of ['/home/ada/vit-sweep', '/with a space/x', 'C:\\work\\digits', '\\\\share\\logs'])
    expect([logdir, isUploadOrigin(uploadOrigin('gpu-3.example', logdir))]).toEqual([logdir, true]);
  for (const text of [
    '',
    'Learning rates of a small network',
    'https://example.org/paper',
    'note: see /data',
    'ratio 1:2',
    'a:b',
    'host:/x\nand more',
  ])
    expect([text, isUploadOrigin(text)]).toEqual([text, false]);
});
