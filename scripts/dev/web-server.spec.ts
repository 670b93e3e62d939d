import { expect, it } from 'vitest';
import { fromSources } from './web-server.ts';

it('loads the script from the sources and removes the assets of the build', () => {
  const page =
    '<head><link rel="stylesheet" href="./web/main-1.css"><link rel="modulepreload" href="./web/first-2.js"><link rel="icon" href="./web/icon-3.svg">' +
    '<script type="module" src="./web/main-4.js"></script></head><body>data</body>';
  expect(fromSources(page)).toBe(
    '<head><link rel="icon" href="./web/icon-3.svg"><script type="module" src="/src/main.tsx"></script></head><body>data</body>',
  );
});

it('leaves a page without a script unchanged', () => {
  const page = '<head><link rel="stylesheet" href="./style.css"></head>';
  expect(fromSources(page)).toBe(page);
});
